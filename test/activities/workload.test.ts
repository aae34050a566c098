import { expect, test } from 'vitest';
import { createWorkload } from '../../activities/workload.ts';

/** Work that ends when it is let. */
function heldWork() {
  let release = () => {};
  const work = () =>
    new Promise<string>((resolve) => {
      release = () => resolve('done');
    });
  return { work, release: () => release() };
}

const never = new AbortController().signal;

test('a process is idle before its first work, and again once all work has ended', async () => {
  const workload = createWorkload({ quietMs: 0 });
  await workload.untilIdle(never);
  const [first, second] = [heldWork(), heldWork()];
  const running = [first, second].map(({ work }) => workload.counted(work)());
  let isIdle = false;
  const idle = workload.untilIdle(never).then(() => {
    isIdle = true;
  });
  first.release();
  expect(await running[0]).toBe('done');
  await new Promise(setImmediate);
  expect(isIdle).toBe(false);
  second.release();
  await idle;
});

test('work that fails has ended, too', async () => {
  const workload = createWorkload({ quietMs: 0 });
  const failing = workload.counted(async (reason: string) => {
    throw new Error(reason);
  });
  await expect(failing('the disk is full')).rejects.toThrow('the disk is full');
  await workload.untilIdle(never);
});

test('a gap between two tasks does not count as idle', async () => {
  const workload = createWorkload({ quietMs: 60_000 });
  await workload.counted(async () => {})();
  const stop = new AbortController();
  let isIdle = false;
  const idle = workload.untilIdle(stop.signal).then(() => {
    isIdle = true;
  });
  await new Promise(setImmediate);
  stop.abort();
  await expect(idle).rejects.toThrow();
  expect(isIdle).toBe(false);
});

test('a wait for an idle process ends when it is aborted, while there is work', async () => {
  const workload = createWorkload({ quietMs: 0 });
  const { work, release } = heldWork();
  const running = workload.counted(work)();
  const stop = new AbortController();
  const idle = workload.untilIdle(stop.signal);
  stop.abort(new Error('the worker stops'));
  await expect(idle).rejects.toThrow('the worker stops');
  release();
  await running;
});
