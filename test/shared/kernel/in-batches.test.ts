import { expect, test } from 'vitest';
import { inBatches } from '../../../shared/kernel/in-batches.ts';

/** Changes `count` documents, `limit` at a time. @returns the changed batches */
async function changed(count: number, limit: number): Promise<number[][]> {
  let left = Array.from({ length: count }, (_, index) => index);
  const batches: number[][] = [];
  await inBatches(
    limit,
    async (most) => left.slice(0, most),
    async (ids) => {
      batches.push([...ids]);
      left = left.filter((id) => !ids.includes(id));
    },
  );
  return batches;
}

test('every document is changed once, at most the limit in one command', async () => {
  expect(await changed(5, 2)).toEqual([[0, 1], [2, 3], [4]]);
});

test('it ends after a full last batch', async () => {
  expect(await changed(4, 2)).toEqual([
    [0, 1],
    [2, 3],
  ]);
});

test('nothing is changed where nothing is found', async () => {
  expect(await changed(0, 2)).toEqual([]);
});
