import type { CheckForm } from '../check-model.ts';

/** Measures the distances of both states with fewer shots. */
export const optimalReadoutFrequencyCheck: CheckForm = {
  tests: { readout_frequency: { tolerance: 5e-4, of: 'unit' } },
};
