import type { CheckForm } from '../check-model.ts';

/** Measures the reset with fewer shots. */
export const activeResetCheck: CheckForm = {
  tests: { reset_residual_population: { tolerance: 0.03, of: 'unit' } },
};
