import { expect, test } from 'vitest';
import { inParallel } from '../../../shared/kernel/in-parallel.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('all items are worked on, never more at once than allowed', async () => {
  const done: number[] = [];
  let [underWay, most] = [0, 0];
  await inParallel(3, [1, 2, 3, 4, 5, 6, 7, 8], async (item) => {
    underWay += 1;
    most = Math.max(most, underWay);
    await turn();
    underWay -= 1;
    done.push(item);
  });
  expect(done).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(most).toBe(3);
});

test('after a failure nothing new begins, and what is under way ends first', async () => {
  const [begun, ended]: [number[], number[]] = [[], []];
  const work = async (item: number) => {
    begun.push(item);
    if (item === 1) throw new Error('first');
    await turn();
    ended.push(item);
  };
  await expect(inParallel(2, [1, 2, 3, 4], work)).rejects.toThrow('first');
  expect([begun, ended]).toEqual([[1, 2], [2]]);
});

test('nothing to do is done at once', async () => {
  await inParallel(4, [], () => Promise.reject(new Error('never called')));
});
