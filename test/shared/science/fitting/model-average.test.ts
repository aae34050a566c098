import { expect, test } from 'vitest';
import {
  type CurveModel,
  fitCurve,
  type SuccessfulFit,
} from '../../../../shared/science/fitting/least-squares.ts';
import {
  averageEstimates,
  averageFits,
  weightOfSecond,
} from '../../../../shared/science/fitting/model-average.ts';

test('a model with one more parameter has the same weight as the other one if its gain is that of chance', () => {
  expect(weightOfSecond(2, 1)).toBe(0.5);
  expect(weightOfSecond(0, 0)).toBe(0.5);
  expect(weightOfSecond(0, 1)).toBeCloseTo(1 / (1 + Math.E), 9);
  expect(weightOfSecond(40, 1)).toBeCloseTo(1, 6);
  expect(weightOfSecond(-40, 1)).toBeCloseTo(0, 6);
});

test('the error of an average covers the difference of both values', () => {
  expect(averageEstimates({ value: 1, error: 0.1 }, { value: 3, error: 0.1 }, 0.5)).toEqual({
    value: 2,
    error: Math.sqrt(1.01),
  });
});

test('a value without weight is not used', () => {
  const first = { value: 1, error: 0.1 };
  expect(averageEstimates(first, { value: Number.NaN, error: Number.NaN }, 0)).toEqual(first);
});

const line: CurveModel = {
  evaluate: ([offset = 0, slope = 0], x) => offset + slope * x,
  gradient: () => [],
};
const slopes = (x: number) => [1, x];

/** A fit of an offset, or of a line. */
function fitOf(y: readonly number[], parameters: 1 | 2): SuccessfulFit {
  const fit = fitCurve({
    x: y.map((_, index) => index),
    y,
    model: { ...line, gradient: (_, x) => slopes(x).slice(0, parameters) },
    start: [1, 1].slice(0, parameters),
    scale: [1, 1].slice(0, parameters),
  });
  if (!fit.ok) throw new Error(fit.message);
  return fit;
}

test('the average of two fits has the parameters of the likelier one', () => {
  const y = [0, 1.2, 1.8, 3.3, 3.9, 5.1, 5.8];
  const [first, second] = [fitOf(y, 1), fitOf(y, 2)];
  const likelier = averageFits(first, second, 0.75);
  expect(likelier?.parameters).toHaveLength(2);
  expect(likelier?.parameters[1]).toBeCloseTo(0.75 * (second.parameters[1] ?? 0), 9);
  expect(averageFits(first, second, 0.25)?.parameters).toHaveLength(1);
});

test('fits of different curves have no average', () => {
  const y = [0, 1, 2, 3, 4, 5, 6];
  const [first, second] = [fitOf([100, 101, 99, 100, 101, 99, 100], 1), fitOf(y, 2)];
  expect(averageFits(first, second, 0.5)).toBeNull();
  expect(averageFits(second, second, 0.5)).toBeNull();
});
