import { expect, test } from 'vitest';
import { thresholdAtNoise } from '../../../../../shared/tasks/common/analysis/attainable-r2.ts';

const long = { points: 500, parameters: 5 };

test('a certain line that leaves only noise need not reach the r2 of a quiet one', () => {
  const threshold = thresholdAtNoise(0.7, { ...long, r2: 0.65, chiSquare: 1 }) ?? 1;
  expect(threshold).toBeLessThan(0.65);
});

test('what a wrong model leaves beyond the noise still counts against it', () => {
  const threshold = thresholdAtNoise(0.7, { ...long, r2: 0.65, chiSquare: 20 }) ?? 0.7;
  expect(threshold).toBeGreaterThan(0.65);
});

test('a fit that noise alone may give keeps the threshold of its task', () => {
  expect(thresholdAtNoise(0.7, { ...long, r2: 0.05, chiSquare: 1 })).toBeUndefined();
  expect(thresholdAtNoise(0.7, { points: 20, parameters: 5, r2: 0.65, chiSquare: 1 })).toBeUndefined();
});

test('a task without a threshold gets none', () => {
  expect(thresholdAtNoise(null, { ...long, r2: 0.65, chiSquare: 1 })).toBeUndefined();
});
