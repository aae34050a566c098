import { expect, test } from 'vitest';
import { thresholdAtNoise } from '../../../../../shared/tasks/common/analysis/attainable-r2.ts';

const long = { points: 500, parameters: 5 };

test('a certain line with only noise as residuals need not reach the r2 of a line without noise', () => {
  const threshold = thresholdAtNoise(0.7, { ...long, r2: 0.65, chiSquare: 1 }) ?? 1;
  expect(threshold).toBeLessThan(0.65);
});

test('residuals of a wrong model beyond the noise still count', () => {
  const threshold = thresholdAtNoise(0.7, { ...long, r2: 0.65, chiSquare: 20 }) ?? 0.7;
  expect(threshold).toBeGreaterThan(0.65);
});

test('a fit that noise alone may explain keeps the threshold of its task', () => {
  expect(thresholdAtNoise(0.7, { ...long, r2: 0.05, chiSquare: 1 })).toBeUndefined();
  expect(thresholdAtNoise(0.7, { points: 20, parameters: 5, r2: 0.65, chiSquare: 1 })).toBeUndefined();
});

test('a task without a threshold gets none', () => {
  expect(thresholdAtNoise(null, { ...long, r2: 0.65, chiSquare: 1 })).toBeUndefined();
});
