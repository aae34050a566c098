import { expect, test } from 'vitest';
import { byCentralDifferences } from '../../../../shared/science/fitting/central-differences.ts';
import { shapedDecay } from '../../../../shared/science/fitting/decay-shapes.ts';

test.each([
  ['stretched', [0.9, 20_000, 0.05, 1.7]],
  ['stretched', [0.9, 20_000, 0.05, 1]],
  ['twoRates', [0.9, 20_000, 0.05, 0.8, 6_000]],
  ['twoRates', [0.9, 20_000, 0.05, 2, 40_000]],
] as const)('the slopes of a %s decay are those of its curve (%j)', (shape, parameters) => {
  const { evaluate, gradient } = shapedDecay(shape);
  const numeric = byCentralDifferences(
    evaluate,
    parameters.map((value) => 1e-6 * value),
  );
  for (const t of [0, 100, 5_000, 20_000, 100_000, Number.POSITIVE_INFINITY]) {
    const slopes = gradient(parameters, t);
    expect(slopes).toHaveLength(parameters.length);
    for (const [index, slope] of numeric.gradient(parameters, t).entries()) {
      const size = 1 / (parameters[index] ?? 1);
      expect(Math.abs((slopes[index] ?? Number.NaN) - slope)).toBeLessThan(1e-6 * size);
    }
  }
});
