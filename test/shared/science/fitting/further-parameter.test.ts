import { expect, test } from 'vitest';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import { BEYOND_CHANCE, furtherParameters } from '../../../../shared/science/fitting/further-parameter.ts';
import { type CurveModel, fitCurve } from '../../../../shared/science/fitting/least-squares.ts';
import { repetitions } from '../../../support/repetitions.ts';

const line: CurveModel = {
  evaluate: ([height = 0, slope = 0], x) => height + slope * x,
  gradient: (_, x) => [1, x],
};
const x = Array.from({ length: 40 }, (_, index) => index / 40);
const SIGMA = 0.1;

function fitted(bend: number, seed: string, sigma = SIGMA) {
  const random = randomFrom(seed);
  const y = x.map((at) => 1 + 2 * at + bend * at ** 2 + SIGMA * random.normal());
  return fitCurve({ x, y, model: line, start: [1, 1], scale: [1, 1], sigma: x.map(() => sigma) });
}

const bendOf = (bend: number, seed: string) =>
  furtherParameters(fitted(bend, seed))((index) => (x[index] ?? 0) ** 2);

test('a missing parameter of a curve has the same significance as in a fit with it', () => {
  // In a fit with the parabola, its error is SIGMA divided by the norm of x² without its linear component.
  const seen = Array.from({ length: 100 }, (_, index) => bendOf(0.6, `bent ${index}`));
  const mean = seen.reduce((sum, value) => sum + value, 0) / seen.length;
  const beside = Math.sqrt(x.reduce((sum, at) => sum + (at ** 2 - at + 1 / 6) ** 2, 0));
  expect(mean).toBeGreaterThan((0.85 * 0.6 * beside) / SIGMA);
  expect(mean).toBeLessThan((1.15 * 0.6 * beside) / SIGMA);
});

test('points that scatter by less than their deviations may show that these are too large', () => {
  const fit = fitted(0.6, 'bent', 3 * SIGMA);
  const bend = (index: number) => (x[index] ?? 0) ** 2;
  const known = furtherParameters(fit)(bend);
  const expected = furtherParameters(fitted(0.6, 'bent'), true)(bend);
  expect(furtherParameters(fit, true)(bend)).toBeCloseTo(expected, 6);
  expect(expected).toBeGreaterThan(2 * known);
});

test('an effect of the other parameters is not a further parameter', () => {
  const test = furtherParameters(fitted(0, 'line'));
  expect(test((index) => 3 - 7 * (x[index] ?? 0))).toBe(0);
});

test('noise alone almost never shows a further parameter', () => {
  const curves = repetitions({ quick: 400, soak: 40_000 });
  let alarms = 0;
  for (let index = 0; index < curves; index++) {
    if (Math.abs(bendOf(0, `straight ${index}`)) > BEYOND_CHANCE) alarms += 1;
  }
  // The limit is one in 2,000: more than 4 of 400 have a probability below 1e-5, more than 50 of 40,000 one below 1e-7.
  expect(alarms).toBeLessThanOrEqual(curves > 400 ? 50 : 4);
});
