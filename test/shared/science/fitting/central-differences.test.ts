import { expect, test } from 'vitest';
import { byCentralDifferences } from '../../../../shared/science/fitting/central-differences.ts';

test('derivatives by differences are exact for a parabola in each parameter, and do not change the parameters', () => {
  const parameters = [3, 2];
  const { gradient } = byCentralDifferences(([a = 0, b = 0], x) => a * a * x + b, [1e-3, 1e-2]);
  const [byA, byB] = gradient(parameters, 5);
  expect(byA).toBeCloseTo(30, 8);
  expect(byB).toBeCloseTo(1, 8);
  expect(parameters).toEqual([3, 2]);
});
