import { expect } from 'vitest';

function share(values: readonly number[], limit: number): number {
  return values.filter((value) => Math.abs(value) <= limit).length / values.length;
}

/** Deviations from the truth in standard errors are spread as honest errors make them, without a shift. */
export function expectHonestErrors(values: readonly number[]): void {
  expect(values.length).toBeGreaterThanOrEqual(50);
  expect(share(values, 1)).toBeGreaterThanOrEqual(0.55);
  expect(share(values, 1)).toBeLessThanOrEqual(0.8);
  expect(share(values, 3)).toBeGreaterThanOrEqual(0.95);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  expect(Math.abs(mean)).toBeLessThan(4 / Math.sqrt(values.length));
}
