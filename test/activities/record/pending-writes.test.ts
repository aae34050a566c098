import { expect, test } from 'vitest';
import { createTrailingWrites } from '../../../activities/record/trailing-writes.ts';

const task = () => ({ since: performance.now(), took: 1 });
function recorded() {
  const warnings: unknown[] = [];
  const writes = createTrailingWrites({ log: { warn: (...each: unknown[]) => warnings.push(each) } });
  return { writes, warnings };
}

test('pending writes are written once, however often their end is requested', async () => {
  const { writes } = recorded();
  let times = 0;
  const trail = writes.follow([task()], async () => {
    times += 1;
  });
  expect(await Promise.all([trail.endNow(), trail.endNow()])).toEqual([true, true]);
  await writes.settle();
  expect(times).toBe(1);
});

test('writes that were taken back are not written; those under way are not given back', async () => {
  const { writes } = recorded();
  let times = 0;
  const left = [task()];
  const follow = () =>
    writes.follow(left, async () => {
      times += 1;
    });
  const trail = follow();
  expect(trail.takeBack()).toBe(left);
  expect(trail.takeBack()).toBeNull();
  expect(await trail.endNow()).toBe(false);
  await writes.settle();
  expect(times).toBe(0);
  const other = follow();
  const ended = other.endNow();
  expect(other.takeBack()).toBeNull();
  expect(await ended).toBe(true);
});

test('settling writes everything that is pending', async () => {
  const { writes } = recorded();
  const written: number[] = [];
  for (const index of [0, 1])
    writes.follow([task()], async () => {
      written.push(index);
    });
  await writes.settle();
  expect(written).toEqual([0, 1]);
});

test('a failed write is logged and leaves the task open', async () => {
  const { writes, warnings } = recorded();
  const trail = writes.follow([task()], async () => {
    throw new Error('The store is away.');
  });
  expect(await trail.endNow()).toBe(false);
  expect(warnings).toEqual([[{ error: 'The store is away.' }, 'a task is not ended yet']]);
});

test('writes without tasks happen as soon as the next request is sent', async () => {
  const { writes } = recorded();
  await new Promise<void>((resolve) => {
    writes.follow([], async () => resolve());
  });
});
