import type { CheckForm } from '../check-model.ts';

/** The staircase with fewer shots, which shows errors of some percent. */
export const allXyCheck: CheckForm = {
  tests: {
    allxy_amplitude_error: { tolerance: 0.03, of: 'unit', shouldBe: 0 },
    // MHz
    allxy_detuning: { tolerance: 2, of: 'unit', shouldBe: 0 },
  },
};
