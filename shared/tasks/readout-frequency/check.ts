import type { CheckForm } from '../check-model.ts';

/** Measures the same contrasts with fewer shots. */
export const readoutFrequencyCheck: CheckForm = {
  tests: { readout_frequency: { tolerance: 5e-4, of: 'unit' } },
};
