import type { CheckForm } from '../check-model.ts';

/**
 * Measures fewer single shots. Near the best amplitude, the fidelity hardly depends on it, so the tolerance is a third
 * of the amplitude.
 */
export const optimalReadoutAmplitudeCheck: CheckForm = {
  tests: { readout_amplitude: { tolerance: 0.3, of: 'value' } },
};
