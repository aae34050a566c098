import type { CheckForm } from '../check-model.ts';

/** The task itself compares with perfect gates; its check takes fewer shots. */
export const checkZx90Check: CheckForm = {
  tests: { zx90_rotation_error: { tolerance: 0.02, of: 'unit', shouldBe: 0 } },
  isAgainstPerfect: true,
};
