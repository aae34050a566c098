import { expect, test } from 'vitest';
import { survivalCurve } from '../../../../shared/tasks/common/analysis/survival-curve.ts';

test('the error of a length follows from its own sequences', () => {
  const of = (count: unknown, sequences: number) => ({
    count,
    survivals: Array.from({ length: sequences }, (_, index) => (index % 2 === 0 ? 0.8 : 0.9)),
  });
  const curve = survivalCurve([of(1, 80), of(2, 20), of(4, 80), of(8, 1), of(null, 80)]);
  expect(curve.counts).toEqual([1, 2, 4]);
  expect(curve.sequences).toBe(80);
  const [whole = 0, quarter = 0] = curve.errors;
  expect(quarter / whole).toBeGreaterThan(1.9);
  expect(quarter / whole).toBeLessThan(2.1);
});
