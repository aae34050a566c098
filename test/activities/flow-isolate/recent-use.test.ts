import { expect, test } from 'vitest';
import { createRecentUse } from '../../../activities/flow-isolate/recent-use.ts';

test('recent processor time halves every minute, separately for each party', () => {
  let now = 0;
  const recentUse = createRecentUse(() => now);
  recentUse.add('a', 500);
  recentUse.add('b', 100);
  now += 60_000;
  recentUse.add('b', 100);
  expect(recentUse.of('a')).toBeCloseTo(250);
  expect(recentUse.of('b')).toBeCloseTo(150);
  expect(recentUse.of('c')).toBe(0);
});
