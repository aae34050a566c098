import { expect, test } from 'vitest';
import { rowsOnScreen } from '../../console/src/ui/rows-on-screen.ts';

const of = (top: number, count = 1024) => rowsOnScreen({ top, screen: 900, count, height: 22 });

test('the rows on the screen are drawn, with some above and below', () => {
  for (const top of [500, 0, -1, -439, -440, -10_000, -21_000]) {
    const { from, to } = of(top);
    const [first, last] = [Math.max(0, Math.floor(-top / 22)), Math.min(1023, Math.floor((900 - top) / 22))];
    expect(from, `the first at ${top}`).toBeLessThanOrEqual(Math.max(0, first - 20));
    expect(to, `the last at ${top}`).toBeGreaterThan(Math.min(1023, last + 19));
    expect(to - from).toBeLessThanOrEqual(120);
  }
});

test('a movement of a few rows changes nothing, and a short table is drawn as a whole', () => {
  expect(of(-30)).toEqual(of(-400));
  expect(of(100, 5)).toEqual({ from: 0, to: 5 });
  expect(of(-5000, 5)).toEqual({ from: 5, to: 5 });
});
