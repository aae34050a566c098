import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTrailingWrites } from '../../../activities/record/trailing-writes.ts';
import { createLog } from '../../../shared/kernel/log.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Milliseconds until writes happen that are pending for `waited` ms, the last of a task that took `took` ms. */
async function delayOf({ waited, took }: { waited: number; took: number }): Promise<number> {
  const { follow } = createTrailingWrites({ log: createLog('test', 'SILENT') });
  const since = performance.now();
  vi.advanceTimersByTime(waited);
  const followed = performance.now();
  let writtenAt = Number.NaN;
  follow([{ since, took }], async () => {
    writtenAt = performance.now();
  });
  await vi.runAllTimersAsync();
  return writtenAt - followed;
}

test('writes of a quick task wait 50 ms for more of its target, but none longer than 100 ms in all', async () => {
  expect(await delayOf({ waited: 0, took: 49 })).toBe(50);
  expect(await delayOf({ waited: 99, took: 49 })).toBe(50);
  expect(await delayOf({ waited: 100, took: 49 })).toBe(3);
});

test('writes of a task that took 50 ms wait only for the next request to be sent', async () => {
  expect(await delayOf({ waited: 0, took: 50 })).toBe(3);
});
