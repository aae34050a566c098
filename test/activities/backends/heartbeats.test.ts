import { ActivityCancelledError, ActivityNotFoundError } from '@temporalio/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  createHeartbeats,
  type Heartbeats,
  heartbeatInterval,
  silenceLimit,
} from '../../../activities/backends/heartbeats.ts';

const TIMEOUT = 10_000;
const LIMIT = 7000;
const never = new AbortController().signal;

/** An engine that answers at once, with an error while it has one. */
const engine = { error: null as Error | null, heard: 0 };
/** Heartbeats that went out through the SDK. */
let bySdk = 0;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance'] });
  Object.assign(engine, { error: null, heard: 0 });
  bySdk = 0;
});
afterEach(() => {
  vi.useRealTimers();
});

function begin(): Heartbeats {
  return createHeartbeats({
    timeout: TIMEOUT,
    async send() {
      if (engine.error) throw engine.error;
      engine.heard += 1;
    },
    sendBySdk: () => {
      bySdk += 1;
    },
  });
}

/** Lets time pass for an instrument that shows a sign of life twice a second. */
async function pass(heartbeats: Heartbeats, milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += 500) {
    heartbeats.alive();
    await vi.advanceTimersByTimeAsync(Math.min(500, milliseconds - passed));
  }
}

test('an instrument has three seconds to stop in, and of a short heartbeat time-out its share', () => {
  expect(silenceLimit(60_000)).toBe(57_000);
  expect(silenceLimit(10_000)).toBe(7000);
  expect(silenceLimit(2000)).toBe(1400);
});

test('an instrument is let go after so long without an answer, not earlier, and not while there are answers', async () => {
  const heartbeats = begin();
  await pass(heartbeats, 600_000);
  expect(heartbeats.letGo.aborted).toBe(false);
  const before = engine.heard;
  engine.error = new Error('unavailable');
  // The last answer may be as old as the pause between two heartbeats.
  await pass(heartbeats, LIMIT - LIMIT / 3 - 500);
  expect(heartbeats.letGo.aborted).toBe(false);
  await pass(heartbeats, LIMIT / 3 + 500);
  expect(engine.heard).toBe(before);
  expect(heartbeats.letGo.aborted).toBe(true);
  expect(heartbeats.letGo.reason).toMatchObject({
    message: 'The worker had no answer from the engine for 7 s and stopped the instrument.',
    type: 'WorkerShutdown',
  });
});

test('one answer in between is enough to go on', async () => {
  const heartbeats = begin();
  for (let round = 0; round < 10; round += 1) {
    engine.error = new Error('unavailable');
    await pass(heartbeats, LIMIT / 2);
    engine.error = null;
    await pass(heartbeats, LIMIT / 3);
  }
  expect(heartbeats.letGo.aborted).toBe(false);
});

test('an instrument that shows no sign of life is let go as well, since the engine hears nothing of it', async () => {
  const heartbeats = begin();
  await vi.advanceTimersByTimeAsync(LIMIT + 1);
  expect(engine.heard).toBe(1);
  expect(heartbeats.letGo.reason).toMatchObject({ message: expect.stringMatching(/no sign of life/) });
});

test('it is wanted once the engine has answered, and not before', async () => {
  engine.error = new Error('unavailable');
  const heartbeats = begin();
  let wanted = false;
  const waiting = heartbeats.wanted(never).then(() => {
    wanted = true;
  });
  await pass(heartbeats, LIMIT / 2);
  expect(wanted).toBe(false);
  engine.error = null;
  await pass(heartbeats, LIMIT / 3);
  await waiting;
  expect(wanted).toBe(true);
});

test('each heartbeat but the first that is answered also goes out through the SDK, whose core would end the attempt', async () => {
  const heartbeats = begin();
  await pass(heartbeats, 60_000);
  expect(engine.heard).toBeGreaterThan(20);
  expect(bySdk).toBe(engine.heard - 1);
  engine.error = new Error('unavailable');
  await pass(heartbeats, LIMIT / 2);
  expect(bySdk).toBe(engine.heard - 1);
});

test('heartbeats go out at least every third of the timeout, and every ten seconds however long that is', () => {
  for (const timeout of [1000, 3000, 10_000, 30_000]) {
    expect(heartbeatInterval(timeout)).toBeLessThanOrEqual(timeout / 3);
  }
  expect(heartbeatInterval(3_600_000)).toBe(10_000);
});

test('an attempt that had no answer while its instrument was alive is cut off, a silent one is not', async () => {
  const cut = begin();
  engine.error = new Error('unavailable');
  await pass(cut, TIMEOUT);
  expect(cut.isCutOff()).toBe(true);
  engine.error = null;
  const silent = begin();
  await vi.advanceTimersByTimeAsync(LIMIT + 1);
  expect(silent.letGo.aborted).toBe(true);
  expect(silent.isCutOff()).toBe(false);
});

test('an attempt that the engine no longer waits for learns it at the first heartbeat', async () => {
  engine.error = new ActivityNotFoundError('Not found');
  const heartbeats = begin();
  await expect(heartbeats.wanted(heartbeats.letGo)).rejects.toMatchObject({
    message: 'This measurement is not wanted any more.',
    type: 'Fenced',
  });
});

test('the SDK is told of a cancel, which the engine has answered: the instrument is stopped as usual', async () => {
  const heartbeats = begin();
  await pass(heartbeats, 1000);
  engine.error = new ActivityCancelledError('cancelled');
  await pass(heartbeats, 600_000);
  expect(bySdk).toBeGreaterThan(1);
  expect(heartbeats.letGo.aborted).toBe(false);
});

test('an attempt whose backend is silent ends when the engine notices, and one that is cut off ends at once', async () => {
  const silent = begin();
  await vi.advanceTimersByTimeAsync(LIMIT);
  const ended = vi.fn();
  const waiting = silent.mayEnd(never).then(ended);
  await vi.advanceTimersByTimeAsync(TIMEOUT);
  expect(ended).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(TIMEOUT);
  await waiting;

  const cutOff = begin();
  engine.error = new Error('unavailable');
  await pass(cutOff, TIMEOUT);
  expect(cutOff.letGo.aborted).toBe(true);
  await cutOff.mayEnd(never);
});
