import { expect } from 'vitest';

/** Part of the deviations, in standard errors, that lie within a limit. */
export function share(values: readonly number[], limit: number): number {
  return values.filter((value) => Math.abs(value) <= limit).length / values.length;
}

/** An error bar is honest when the truth lies within one of it as often as a normal distribution says, and not shifted. */
export function expectHonestErrors(values: readonly number[]): void {
  expect(values.length).toBeGreaterThanOrEqual(50);
  expect(share(values, 1)).toBeGreaterThanOrEqual(0.55);
  expect(share(values, 1)).toBeLessThanOrEqual(0.8);
  expect(share(values, 3)).toBeGreaterThanOrEqual(0.95);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  // The mean of n unbiased deviations scatters by 1/√n; a systematic shift would show.
  expect(Math.abs(mean)).toBeLessThan(5 / Math.sqrt(values.length));
}
