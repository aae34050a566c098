import type { CheckForm } from '../check-model.ts';

/** Measures the reflections of both states with fewer shots. */
export const dispersiveShiftCheck: CheckForm = {
  tests: {
    optimal_readout_frequency: { tolerance: 5e-4, of: 'unit' },
    // MHz
    dispersive_shift: { tolerance: 0.25, of: 'unit' },
  },
};
