import { describe, expect, test } from 'vitest';
import { summaryOf } from '../../../scripts/bench/honesty/pulls.ts';
import { randomFrom } from '../../../shared/science/device/random.ts';

/** Normal pulls of this deviation. */
function pullsOf(count: number, deviation: number, seed = 'pulls'): number[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, () => deviation * random.normal());
}

describe('the summary of the pulls of a quantity', () => {
  test('tells bias, RMS, and the parts within the error and within the reach of 95 %', () => {
    const { count, bias, rms, within, beside } = summaryOf([0.5, -1, 1.5, 3]);
    expect({ count, bias, within, beside }).toEqual({
      count: 4,
      bias: 1,
      within: { most: 0.5, nearlyAll: 0.75 },
      beside: false,
    });
    expect(rms).toBeCloseTo(Math.sqrt(12.5 / 4), 12);
  });

  test.each([
    { deviation: 0.7, count: 6, beside: false },
    { deviation: 1.5, count: 6, beside: false },
    { deviation: 0.7, count: 400, beside: true },
    { deviation: 1, count: 400, beside: false },
    { deviation: 1.5, count: 400, beside: true },
  ])('marks $count pulls that scatter by $deviation only where chance does not explain it', (given) => {
    expect(summaryOf(pullsOf(given.count, given.deviation)).beside).toBe(given.beside);
  });

  test('seldom marks what is as large as is still honest', () => {
    for (const deviation of [0.85, 1.2]) {
      const marked = Array.from(
        { length: 400 },
        (_, index) => summaryOf(pullsOf(50, deviation, `limit ${index}`)).beside,
      );
      expect(marked.filter(Boolean).length).toBeLessThan(0.05 * marked.length);
    }
  });

  test('does not take one pull that lies far out for errors that are all too small', () => {
    const { rms, beside } = summaryOf([...pullsOf(30, 1), 8]);
    expect(rms).toBeGreaterThan(1.2 * (1 + 2 / Math.sqrt(2 * 31)));
    expect(beside).toBe(false);
  });
});
