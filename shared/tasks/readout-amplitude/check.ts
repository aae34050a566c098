import type { CheckForm } from '../check-model.ts';

/** Measures signal and noise with fewer shots. */
export const readoutAmplitudeCheck: CheckForm = {
  tests: { readout_amplitude: { tolerance: 0.3, of: 'value' } },
};
