import { describe, expect, test } from 'vitest';
import { shapedDecay } from '../../../../shared/science/fitting/decay-shapes.ts';
import { fitExponential } from '../../../../shared/science/fitting/exponential.ts';
import { smoothMisfit } from '../../../../shared/science/fitting/smooth-misfit.ts';

const linear = (from: number, to: number, count: number) =>
  Array.from({ length: count }, (_, index) => from + ((to - from) * index) / (count - 1));
const logarithmic = (from: number, to: number, count: number) =>
  linear(Math.log(from), Math.log(to), count).map(Math.exp);

/** In units of the decay's time. */
const sweeps = [
  logarithmic(0.1, 20, 51),
  logarithmic(0.02, 100, 101),
  linear(0, 5, 51),
  linear(0.01, 20, 201),
  linear(0, 60, 301),
];

describe('of a decay other than the fitted one', () => {
  test.each([
    ['stretched', [1, 1, 0, 1.2]],
    ['stretched', [1, 1, 0, 2]],
    ['stretched', [1, 1, 0, 4]],
    ['twoRates', [1, 1, 0, 0.5, 0.3]],
    ['twoRates', [1, 1, 0, 1.2, 1]],
    ['twoRates', [1, 0.4, 0, 2, 0.6]],
  ] as const)('at least four fifths of the gain of its fit are found (%s, %j)', (shape, parameters) => {
    const { evaluate } = shapedDecay(shape);
    for (const t of sweeps) {
      const y = t.map((at) => evaluate(parameters, at));
      const sigma = y.map((value) => 0.002 + 0.02 * Math.sqrt(Math.max(0, value * (1 - value))));
      const { fit } = fitExponential(t, y, { sigma });
      if (!fit.ok) throw new Error(fit.message);
      const { residuals } = fit.whitened;
      const gain = residuals.reduce((sum, residual) => sum + residual ** 2, 0);
      const found = smoothMisfit(t, residuals, sigma);
      expect(found).toBeGreaterThan(0.8 * gain);
      expect(found).toBeLessThan(1.001 * gain);
    }
  });
});

test('residuals that change their sign from point to point are not a misfit', () => {
  const t = linear(0, 5, 201);
  const residuals = t.map((_, index) => (index % 2 === 0 ? 1 : -1));
  expect(
    smoothMisfit(
      t,
      residuals,
      t.map(() => 0.01),
    ),
  ).toBeLessThan(5);
});
