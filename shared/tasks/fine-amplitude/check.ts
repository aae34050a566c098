import type { CheckForm } from '../check-model.ts';

/** Measures trains of pulses with fewer shots. Errors of the pulses add up, so they are still visible. */
export const fineAmplitudeCheck: CheckForm = {
  tests: {
    drag_hpi_amplitude: { tolerance: 0.01, of: 'value' },
    drag_pi_amplitude: { tolerance: 0.01, of: 'value' },
  },
};
