import { expect, test } from 'vitest';
import { createSetbacks } from '../../workflows/setbacks.ts';

/** What a task does after each of so many setbacks. */
function after(count: number, kind: Parameters<ReturnType<typeof createSetbacks>['note']>[0]) {
  const setbacks = createSetbacks();
  return Array.from({ length: count }, () => setbacks.note(kind));
}

test.each([
  ['unknown', [1, 2, 4, 8, 16, 30, 30, 30, 30, 30], /^The measurement was given up after 11 tries: /],
  ['unprepared', [0, 1, 2, 4, 8, 16, 30, 30, 30, 30], /^The measurement was given up after 11 tries: /],
  ['slow', [0, 0], /^The measurement was given up after 3 tries: /],
] as const)(
  'a task with setbacks (%s) is asked for more and more seldom, and given up',
  (kind, pauses, sentence) => {
    const came = after(pauses.length + 1, kind);
    expect(came.slice(0, -1)).toEqual(pauses);
    expect(came.at(-1)).toMatch(sentence);
  },
);

test('setbacks of one kind do not count for another', () => {
  const setbacks = createSetbacks();
  setbacks.note('slow');
  setbacks.note('slow');
  expect(setbacks.note('unprepared')).toBe(0);
  expect(setbacks.note('unknown')).toBe(1);
});
