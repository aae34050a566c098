import type { CheckForm } from '../check-model.ts';

/** Measures the staircase with fewer shots, which shows errors of a few percent. */
export const allXyCheck: CheckForm = {
  tests: {
    allxy_amplitude_error: { tolerance: 0.03, of: 'unit', shouldBe: 0 },
    // MHz
    allxy_detuning: { tolerance: 2, of: 'unit', shouldBe: 0 },
  },
};
