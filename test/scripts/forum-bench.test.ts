import { expect, test } from 'vitest';
import { benchForumReads } from '../../scripts/bench/forum-reads.ts';

test('the bench of the forum asks lists, search and counts of the posts that it fills in', async () => {
  const figures = await benchForumReads(true, 0);
  expect(figures[0]?.name).toBe('1000 forum posts filled in');
  expect(figures.slice(2).map(({ value }) => value)).toEqual(
    Array(17).fill(expect.stringMatching(/^\d+\.\d, \d+\.\d ms; CPU \d+\.\d$/)),
  );
});
