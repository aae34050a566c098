import type { CheckForm } from '../check-model.ts';

/** Fewer shots of the reset. */
export const activeResetCheck: CheckForm = {
  tests: { reset_residual_population: { tolerance: 0.03, of: 'unit' } },
};
