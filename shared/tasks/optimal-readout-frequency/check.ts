import type { CheckForm } from '../check-model.ts';

/** The distances of both states with fewer shots. */
export const optimalReadoutFrequencyCheck: CheckForm = {
  tests: { readout_frequency: { tolerance: 5e-4, of: 'unit' } },
};
