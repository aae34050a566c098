import { expect } from 'vitest';
import { repetitions } from './repetitions.ts';

/** How many seeds a test of error bars takes; `soak` in full. */
export function coverageSeeds(soak: number): number {
  return repetitions({ quick: 25, soak });
}

/**
 * Deviations at least, and bounds for the parts of them within one and three standard errors, of which 0.683 and 0.997
 * are expected: few scatter more.
 */
const { least, withinOne, withinThree } = repetitions({
  quick: { least: 20, withinOne: [0.44, 0.93] as const, withinThree: 0.9 },
  soak: { least: 50, withinOne: [0.55, 0.8] as const, withinThree: 0.95 },
});

/** Part of the deviations, in standard errors, that lie within a limit. */
function share(values: readonly number[], limit: number): number {
  return values.filter((value) => Math.abs(value) <= limit).length / values.length;
}

/**
 * Error bars are honest when the deviations from the truth, in standard errors, are spread as a normal distribution says,
 * and not shifted.
 */
export function expectHonestErrors(values: readonly number[]): void {
  expect(values.length).toBeGreaterThanOrEqual(least);
  expect(share(values, 1)).toBeGreaterThanOrEqual(withinOne[0]);
  expect(share(values, 1)).toBeLessThanOrEqual(withinOne[1]);
  expect(share(values, 3)).toBeGreaterThanOrEqual(withinThree);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  // The mean of n unbiased deviations scatters by 1/√n; a systematic shift would show.
  expect(Math.abs(mean)).toBeLessThan(4 / Math.sqrt(values.length));
}
