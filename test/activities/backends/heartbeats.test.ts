import { ActivityCancelledError, ActivityNotFoundError } from '@temporalio/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Heartbeats, keepHeartbeats, silenceLimit } from '../../../activities/backends/heartbeats.ts';

const TIMEOUT = 10_000;
const LIMIT = 7000;
const never = new AbortController().signal;

/** An engine that answers at once, with an error while it has one. */
const engine = { error: null as Error | null, heard: 0 };
let news = 0;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance'] });
  Object.assign(engine, { error: null, heard: 0 });
  news = 0;
});
afterEach(() => {
  vi.useRealTimers();
});

function begin(notBefore?: number): Heartbeats {
  return keepHeartbeats({
    timeout: TIMEOUT,
    notBefore,
    async send() {
      if (engine.error) throw engine.error;
      engine.heard += 1;
    },
    onNews: () => {
      news += 1;
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

test('an attempt that the engine began a moment ago at most is wanted without asking, for as long as from a heartbeat then', async () => {
  const before = performance.now();
  await vi.advanceTimersByTimeAsync(1000);
  const heartbeats = begin(before);
  await heartbeats.wanted(never);
  expect(engine.heard).toBe(0);
  engine.error = new Error('unavailable');
  await pass(heartbeats, LIMIT - 1500);
  expect(heartbeats.letGo.aborted).toBe(false);
  await pass(heartbeats, 500);
  expect(heartbeats.letGo.aborted).toBe(true);
});

test('an attempt that the engine may have begun some time ago is wanted once the engine has said so', async () => {
  const before = performance.now();
  await vi.advanceTimersByTimeAsync(Math.ceil(LIMIT / 3));
  engine.error = new ActivityNotFoundError('Not found');
  const heartbeats = begin(before);
  await expect(heartbeats.wanted(heartbeats.letGo)).rejects.toMatchObject({ type: 'Fenced' });
});

test('an attempt of which no heartbeat was sent sends them as others do, and is let go when its backend is silent', async () => {
  const heartbeats = begin(performance.now());
  await pass(heartbeats, LIMIT);
  expect(engine.heard).toBeGreaterThan(1);
  const silent = begin(performance.now());
  await vi.advanceTimersByTimeAsync(LIMIT);
  expect(silent.letGo.reason).toMatchObject({ message: expect.stringMatching(/no sign of life/) });
});

test('whoever is not waited for any more is told at the first heartbeat', async () => {
  engine.error = new ActivityNotFoundError('Not found');
  const heartbeats = begin();
  await expect(heartbeats.wanted(heartbeats.letGo)).rejects.toMatchObject({
    message: 'This measurement is not asked for any more.',
    type: 'Fenced',
  });
});

test('the SDK is told of a cancel, which the engine has answered: the instrument is stopped as usual', async () => {
  const heartbeats = begin();
  await pass(heartbeats, 1000);
  engine.error = new ActivityCancelledError('cancelled');
  await pass(heartbeats, 600_000);
  expect(news).toBeGreaterThan(1);
  expect(heartbeats.letGo.aborted).toBe(false);
});

test('an attempt whose backend was silent ends when the engine has noticed, one that was cut off at once', async () => {
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
