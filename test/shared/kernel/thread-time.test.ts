import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ownThreadId, processorClock, processorTimeOf } from '../../../shared/kernel/thread-time.ts';

function compute(milliseconds: number): void {
  const spent = processorClock(ownThreadId());
  while (spent() < milliseconds);
}

test('the clock of a thread counts its work', () => {
  const spent = processorClock(ownThreadId());
  compute(60);
  expect(spent()).toBeGreaterThanOrEqual(60);
});

test.runIf(process.platform === 'linux')('waiting costs a thread no processor time', async () => {
  const spent = processorClock(ownThreadId());
  await wait(400);
  expect(spent()).toBeLessThan(300);
});

test('an unknown thread has no time', () => {
  expect(processorTimeOf(0)).toBeNull();
  expect(processorTimeOf(2 ** 30)).toBeNull();
});
