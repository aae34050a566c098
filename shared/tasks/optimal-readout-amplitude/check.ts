import type { CheckForm } from '../check-model.ts';

/** Fewer single shots. The fidelity hardly depends on the amplitude near its best one, so a third of it is not far off. */
export const optimalReadoutAmplitudeCheck: CheckForm = {
  tests: { readout_amplitude: { tolerance: 0.3, of: 'value' } },
};
