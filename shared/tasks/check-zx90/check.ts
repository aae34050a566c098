import type { CheckForm } from '../check-model.ts';

/** Measures the same as the task with fewer shots. The task compares with perfect gates. */
export const checkZx90Check: CheckForm = {
  tests: { zx90_rotation_error: { tolerance: 0.02, of: 'unit', shouldBe: 0 } },
  isAgainstPerfect: true,
};
