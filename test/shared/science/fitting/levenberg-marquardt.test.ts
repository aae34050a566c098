import { expect, test } from 'vitest';
import { fitCurve } from '../../../../shared/science/fitting/least-squares.ts';
import {
  levenbergMarquardt,
  residualsOf,
  sumOfSquares,
  type WeightedCurve,
} from '../../../../shared/science/fitting/levenberg-marquardt.ts';

const X = Array.from({ length: 21 }, (_, index) => index / 4);
const decay: WeightedCurve['model'] = {
  evaluate: ([size = 0, rate = 0], x) => size * Math.exp(-rate * x),
  gradient: ([size = 0, rate = 0], x) => [Math.exp(-rate * x), -x * size * Math.exp(-rate * x)],
};
const problem: WeightedCurve = {
  x: X,
  y: X.map((x) => 2 * Math.exp(-0.7 * x)),
  sigma: X.map(() => 1),
  model: decay,
  scale: [1, 1],
};
const settings = { damping: 1e-2, iterations: 60 };

test('finds a curve from a distant start, in units of any scale', () => {
  const [size, rate] = levenbergMarquardt(problem, [1, 0.1], settings);
  expect(size).toBeCloseTo(2, 6);
  expect(rate).toBeCloseTo(0.7, 6);
  const [scaledSize = 0, scaledRate = 0] = levenbergMarquardt(
    { ...problem, scale: [1e-3, 1e2] },
    [1e3, 1e-3],
    settings,
  );
  expect(scaledSize * 1e-3).toBeCloseTo(2, 5);
  expect(scaledRate * 1e2).toBeCloseTo(0.7, 5);
});

test('returns no result worse than its start, for any number of steps', () => {
  for (const start of [
    [1, 0.1],
    [2, 0.7],
    [-5, 3],
    [1e3, -4],
    [1, -200],
  ]) {
    const before = sumOfSquares(residualsOf(problem, start));
    for (const iterations of [0, 1, 2, 3, 10]) {
      const found = levenbergMarquardt(problem, start, { damping: 1e-4, iterations });
      expect(sumOfSquares(residualsOf(problem, found)), `${iterations} from ${start}`).toBeLessThanOrEqual(
        before,
      );
    }
  }
});

const line: WeightedCurve['model'] = {
  evaluate: ([offset = 0, slope = 0], x) => offset + slope * x,
  gradient: (_, x) => [1, x],
};
const points = {
  x: X,
  y: X.map((x) => 1 + 2 * x + Math.sin(7 * x)),
  model: line,
  start: [0, 0],
  scale: [1, 1],
};

test.each([
  ['points without a value', { y: points.y.map((y, index) => (index === 3 ? Number.NaN : y)) }],
  ['infinite points', { y: points.y.map((y, index) => (index === 3 ? Number.POSITIVE_INFINITY : y)) }],
  ['squares that overflow', { y: points.y.map((y) => 1e200 * y) }],
  ['points at a single position', { x: X.map(() => 1) }],
  ['data that do not vary', { y: X.map(() => 5) }],
  ['a parameter without effect', { model: { ...line, gradient: () => [1, 0] } }],
  ['deviations of zero', { sigma: X.map(() => 0) }],
  ['a start that is not a number', { start: [Number.NaN, 0] }],
])('%s end in a failed fit', (_, changed) => {
  const fit = fitCurve({ ...points, ...changed });
  expect(fit).toMatchObject({ ok: false, message: expect.stringMatching(/converge|determine/) });
});

test('a line is the same for a reversed axis and at any distance from zero', () => {
  const plain = fitCurve(points);
  const turned = fitCurve({ ...points, x: points.x.toReversed(), y: points.y.toReversed() });
  const far = fitCurve({ ...points, y: points.y.map((y) => 1e6 + y) });
  if (!plain.ok || !turned.ok || !far.ok) return expect.fail('a line was not fitted');
  for (const [index, error] of plain.errors.entries()) {
    expect(turned.parameters[index]).toBeCloseTo(plain.parameters[index] ?? Number.NaN, 9);
    expect(turned.errors[index]).toBeCloseTo(error, 9);
    expect(far.errors[index]).toBeCloseTo(error, 6);
  }
  expect(far.parameters[1]).toBeCloseTo(plain.parameters[1] ?? Number.NaN, 6);
});
