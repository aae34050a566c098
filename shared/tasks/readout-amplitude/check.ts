import type { CheckForm } from '../check-model.ts';

/** Signal and noise with fewer shots. */
export const readoutAmplitudeCheck: CheckForm = {
  tests: { readout_amplitude: { tolerance: 0.3, of: 'value' } },
};
