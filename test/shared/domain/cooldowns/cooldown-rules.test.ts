import { expect, test } from 'vitest';
import { assertInOrder, imageCount, overlaps } from '../../../../shared/domain/cooldowns/rules.ts';

const day = (number: number) => new Date(Date.UTC(2026, 0, number));
const period = ([from, to]: readonly [number, number | null]) => ({
  started_at: day(from),
  ended_at: to === null ? null : day(to),
});

test.each([
  [[1, 5], [5, 9], false],
  [[1, 5], [4, 9], true],
  [[1, 9], [4, 5], true],
  [[1, 5], [6, 9], false],
  [[1, null], [4, 5], true],
  [[6, null], [4, 5], false],
  [[1, null], [8, null], true],
  [[3, 3], [1, 5], true],
  [[5, 5], [1, 5], false],
] as const)('days %j and %j overlap: %s', (a, b, expected) => {
  expect(overlaps(period(a), period(b))).toBe(expected);
  expect(overlaps(period(b), period(a))).toBe(expected);
});

test('an end may be its beginning, or not be known, but not come before it', () => {
  const check = (from: Date | null, to: Date | null) =>
    assertInOrder({ name: 'started_at', at: from }, { name: 'ended_at', at: to });
  for (const [from, to] of [
    [day(1), day(1)],
    [day(1), null],
    [null, day(1)],
  ] as const) {
    expect(() => check(from, to)).not.toThrow();
  }
  expect(() => check(day(2), day(1))).toThrow('ended_at should not be before started_at.');
});

test('images are counted among the outermost blocks', () => {
  expect(imageCount([{ type: 'image' }, { type: 'text', content: [{ type: 'image' }] }, {}])).toBe(1);
});
