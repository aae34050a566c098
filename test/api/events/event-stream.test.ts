import { once } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openEventStream } from '../../../api/events/event-stream.ts';
import { createRunFeeds } from '../../../api/events/run-feeds.ts';
import type { ClosedTask } from '../../../shared/domain/results/index.ts';
import type { RunView, RunWatch } from '../../../shared/domain/runs/index.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const run = { projectId: 'project', executionId: '20260102-000' };

const view = (done: number, ended = false): RunView => ({
  state: { status: ended ? 'completed' : 'running', stage: 'Rabi', resumed_at: null },
  progress: { done, failed: 0, skipped: 0, total: 100_000, stage: 'Rabi', estimated_end: null },
  waiting: { for: null },
  end: ended ? { status: 'completed' } : null,
});

const task = (number: number): ClosedTask => ({
  task_id: `task ${number}`,
  name: 'CheckRabi',
  qid: '0',
  status: 'completed',
  message: 'x'.repeat(200),
  stage: 0,
});

/** A run that brings these looks one after another, then the last of them again without tasks. */
function watching(looks: Awaited<ReturnType<RunWatch['look']>>[]) {
  let looked = 0;
  const feeds = createRunFeeds(() => ({
    look: async () => {
      const at = Math.min(looked, looks.length - 1);
      looked += 1;
      const seen = looks[at] ?? null;
      return seen && looked > looks.length ? { ...seen, closed: [] } : seen;
    },
  }));
  return { feeds, looked: () => looked };
}

test('a silent run is looked at twice a second for all listeners together, and each hears a sign of life', async () => {
  const { feeds, looked } = watching([{ view: view(0), closed: [] }]);
  const streams = await Promise.all(Array.from({ length: 50 }, () => openEventStream(feeds, run, 0)));
  const heard = streams.map((stream) => {
    const parts: string[] = [];
    stream?.on('data', (part) => parts.push(String(part)));
    return parts;
  });
  await vi.advanceTimersByTimeAsync(30_000);
  expect(looked()).toBeGreaterThan(50);
  expect(looked()).toBeLessThan(70);
  for (const parts of heard) expect(parts.filter((part) => part === ':\n\n')).toHaveLength(2);
  for (const stream of streams) stream?.destroy();
  await vi.advanceTimersByTimeAsync(1000);
  const then = looked();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(looked(), 'nobody listens any more').toBe(then);
  expect(vi.getTimerCount()).toBe(0);
});

test('a slow listener holds back nothing but itself and keeps no more than its buffer', async () => {
  const tasks = Array.from({ length: 20_000 }, (_, number) => task(number));
  const { feeds } = watching([{ view: view(20_000), closed: tasks }]);
  const slow = await openEventStream(feeds, run, 0);
  const quick = await openEventStream(feeds, run, 0);
  let parts = 0;
  quick?.on('data', () => {
    parts += 1;
  });
  await vi.advanceTimersByTimeAsync(2000);
  expect(parts).toBe(20_003);
  expect(slow?.readableLength).toBeLessThan(256 * 1024);
  for (const stream of [slow, quick]) stream?.destroy();
});

test('a connection ends after an hour, so that token and membership are looked at again', async () => {
  const { feeds } = watching([{ view: view(0), closed: [] }]);
  const stream = await openEventStream(feeds, run, 0);
  if (!stream) throw new Error('the run goes on');
  stream.resume();
  const ended = once(stream, 'end');
  await vi.advanceTimersByTimeAsync(3_600_000);
  await ended;
});

test('a store that is away for a while ends no stream, and a first look that fails opens none', async () => {
  let away = false;
  const feeds = createRunFeeds(() => ({
    look: async () => {
      if (away) throw new Error('the store is away');
      return { view: view(1, false), closed: [] };
    },
  }));
  const stream = await openEventStream(feeds, run, 0);
  away = true;
  await vi.advanceTimersByTimeAsync(5000);
  expect(stream?.destroyed).toBe(false);
  stream?.destroy();
  await vi.advanceTimersByTimeAsync(1);
  await expect(openEventStream(feeds, run, 0)).rejects.toThrow('the store is away');
  expect(vi.getTimerCount()).toBe(0);
});

test('a run that is deleted ends the stream', async () => {
  const { feeds } = watching([{ view: view(0), closed: [] }, null]);
  const stream = await openEventStream(feeds, run, 0);
  if (!stream) throw new Error('the run goes on');
  stream.resume();
  const ended = once(stream, 'end');
  await vi.advanceTimersByTimeAsync(1000);
  await ended;
});
