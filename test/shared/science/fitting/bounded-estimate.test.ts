import { describe, expect, test } from 'vitest';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import { atMost, rootAboveZero, sizeOfSquare } from '../../../../shared/science/fitting/bounded-estimate.ts';
import { expectHonestErrors } from '../../../support/coverage-rules.ts';

describe('an absolute value from its square', () => {
  test('far from zero is the root, with half of the relative error', () => {
    expect(sizeOfSquare({ value: 4, error: 0.01 })).toEqual({ value: 2, error: 0.0025 });
    const near = sizeOfSquare({ value: 4, error: 0.2 });
    expect(near.value).toBeCloseTo(2, 2);
    expect(near.error).toBeCloseTo(0.05, 3);
  });

  test('near zero has an error that covers all possible values, for estimates below and above zero', () => {
    for (const value of [-2, -0.5, 0, 0.5, 1]) {
      const size = sizeOfSquare({ value, error: 1 });
      expect(size.value).toBeGreaterThan(0);
      expect(size.error).toBeGreaterThan(0.25);
      expect(size.value - 2.5 * size.error).toBeLessThan(0);
    }
  });

  test('of zero is within an error or slightly more, for any noise', () => {
    const random = randomFrom('no size');
    const pulls = Array.from({ length: 1000 }, () => {
      const { value, error } = sizeOfSquare({ value: random.normal(), error: 1 });
      return value / error;
    });
    const square = pulls.reduce((sum, pull) => sum + pull ** 2, 0) / pulls.length;
    // By the deviation alone it would be 1.7.
    expect(Math.sqrt(square)).toBeLessThan(1.4);
  });

  test('deviates as its error states, for all values', () => {
    const random = randomFrom('sizes');
    const pulls = Array.from({ length: 2000 }, () => {
      const [size, error] = [random.between(0, 3), 1];
      const found = sizeOfSquare({ value: size ** 2 + error * random.normal(), error });
      return (found.value - size) / found.error;
    });
    expectHonestErrors(pulls);
  });
});

describe('the root of an estimate that may be negative', () => {
  test('has half of the relative error far above zero, and none far below', () => {
    const above = rootAboveZero({ value: 4, error: 0.01 });
    expect(above.value).toBe(2);
    expect(above.error).toBeCloseTo(0.0025, 4);
    expect(rootAboveZero({ value: -10, error: 1 })).toEqual({ value: 0, error: 0 });
  });

  test('near zero deviates as its error states, on either side', () => {
    const random = randomFrom('roots');
    for (const square of [0.05, 0.5, 1, 2, 9]) {
      const pulls = Array.from({ length: 2000 }, () => {
        const root = rootAboveZero({ value: square + random.normal(), error: 1 });
        // Far below zero the root does not change, so its error may be zero.
        return (root.value - Math.sqrt(square)) / Math.hypot(root.error, 0.1);
      });
      const rms = Math.sqrt(pulls.reduce((sum, pull) => sum + pull ** 2, 0) / pulls.length);
      expect(rms, `of ${square}`).toBeGreaterThan(0.7);
      expect(rms, `of ${square}`).toBeLessThan(1.2);
      // By the slope alone it would be one in ten.
      expect(pulls.filter((pull) => Math.abs(pull) > 5).length, `of ${square}`).toBeLessThan(10);
    }
  });
});

describe('a value that is at most one', () => {
  test('is unchanged far below one, and never clipped to one', () => {
    expect(atMost(1, { value: 0.8, error: 0.004 })).toEqual({ value: 0.8, error: 0.004 });
    const above = atMost(1, { value: 1.003, error: 0.004 });
    expect(above.value).toBeLessThan(1);
    expect(above.value).toBeGreaterThan(0.995);
    expect(above.error).toBeLessThan(0.004);
    expect(above.error).toBeGreaterThan(0.001);
  });

  test('deviates as its error states, for values up to one', () => {
    const random = randomFrom('values');
    const squares = Array.from({ length: 2000 }, () => {
      const value = random.between(0.98, 1);
      const estimate = atMost(1, { value: value + 0.004 * random.normal(), error: 0.004 });
      return ((estimate.value - value) / estimate.error) ** 2;
    });
    const rms = Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length);
    expect(rms).toBeGreaterThan(0.85);
    expect(rms).toBeLessThan(1.2);
  });
});
