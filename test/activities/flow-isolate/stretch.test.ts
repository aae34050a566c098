import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Stretch } from '../../../activities/flow-isolate/stretch.ts';
import { ownThreadId } from '../../../shared/kernel/thread-time.ts';

const never = () => false;

test.runIf(process.platform === 'linux')(
  'time in which others have the processor is not the time of a script',
  async () => {
    const stretch = new Stretch(200, ownThreadId(), never);
    await wait(600);
    expect(stretch.end()).toBeNull();
    while (stretch.end() === null);
    expect(stretch.spentMs).toBeGreaterThanOrEqual(200);
  },
);

test('a script that must stop does so before its time is over', () => {
  let isStopped = false;
  const stretch = new Stretch(60_000, ownThreadId(), () => isStopped);
  expect(stretch.end()).toBeNull();
  isStopped = true;
  expect(stretch.end()).toBe('stopped');
});

test('where the system does not tell of threads, the clock counts', async () => {
  const stretch = new Stretch(20, 0, never);
  await wait(40);
  expect(stretch.end()).toBe('time');
});
