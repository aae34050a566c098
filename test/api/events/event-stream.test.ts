import { once } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openEventStream } from '../../../api/events/event-stream.ts';
import { createRunFeeds } from '../../../api/events/run-feeds.ts';
import type { RunNews, RunView, RunWatch } from '../../../shared/domain/runs/index.ts';
import { executionNamed, projectNamed, taskNamed, userNamed } from '../../support/ids.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const run = {
  projectId: projectNamed('project'),
  executionId: executionNamed('20260102-000'),
  userId: userNamed('ada'),
};

const view = (done: number, ended = false): RunView => ({
  state: { status: ended ? 'completed' : 'running', stage: 'Rabi', resumed_at: null },
  progress: { done, failed: 0, skipped: 0, total: 100_000, stage: 'Rabi', estimated_end: null },
  waiting: { for: null },
  end: ended ? { status: 'completed' } : null,
});

const nothing = { tasks: 0, entries: 0 };

const task = (number: number, message = 'x'.repeat(200)): RunNews => ({
  event: 'task',
  data: {
    task_id: taskNamed(`task ${number}`),
    task_name: 'CheckRabi',
    qid: '0',
    status: 'completed',
    message,
  },
});

const logged = (index: number): RunNews => ({
  event: 'log',
  data: {
    index,
    kind: 'log',
    message: `entry ${index}`,
    name: null,
    value: null,
    at: '2026-01-02T03:04:05.678Z',
  },
});

/** A run that brings these looks one after another, then the last of them again without news. */
function watching(looks: Awaited<ReturnType<RunWatch['look']>>[]) {
  let looked = 0;
  const feeds = createRunFeeds(() => ({
    look: async () => {
      const at = Math.min(looked, looks.length - 1);
      looked += 1;
      const seen = looks[at] ?? null;
      return seen && looked > looks.length ? { ...seen, news: [] } : seen;
    },
  }));
  return { feeds, looked: () => looked };
}

test('a silent run is looked at twice a second for all listeners together, and each hears a sign of life', async () => {
  const { feeds, looked } = watching([{ view: view(0), news: [] }]);
  const streams = await Promise.all(Array.from({ length: 50 }, () => openEventStream(feeds, run, nothing)));
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
  const { feeds } = watching([{ view: view(20_000), news: tasks }]);
  const slow = await openEventStream(feeds, run, nothing);
  const quick = await openEventStream(feeds, run, nothing);
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
  const { feeds } = watching([{ view: view(0), news: [] }]);
  const stream = await openEventStream(feeds, run, nothing);
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
      return { view: view(1, false), news: [] };
    },
  }));
  const stream = await openEventStream(feeds, run, nothing);
  away = true;
  await vi.advanceTimersByTimeAsync(5000);
  expect(stream?.destroyed).toBe(false);
  stream?.destroy();
  await vi.advanceTimersByTimeAsync(1);
  await expect(openEventStream(feeds, run, nothing)).rejects.toThrow('the store is away');
  expect(vi.getTimerCount()).toBe(0);
});

test('a run that is deleted ends the stream', async () => {
  const { feeds } = watching([{ view: view(0), news: [] }, null]);
  const stream = await openEventStream(feeds, run, nothing);
  if (!stream) throw new Error('the run goes on');
  stream.resume();
  const ended = once(stream, 'end');
  await vi.advanceTimersByTimeAsync(1000);
  await ended;
});

/** What a listener hears of a run that has ended, as event, what it is about and id. */
async function hear(news: RunNews[], heard: { tasks: number; entries: number }) {
  const { feeds } = watching([{ view: view(2, true), news }]);
  const stream = await openEventStream(feeds, run, heard);
  if (!stream) return null;
  const parts: string[] = [];
  for await (const part of stream) parts.push(String(part));
  const frames = parts
    .join('')
    .split('\n\n')
    .filter((frame) => frame.startsWith('id:'));
  return frames.map((frame) => {
    const { event, id } = /^id: (?<id>.*)\nevent: (?<event>.*)\n/.exec(frame)?.groups ?? {};
    return [event, /"(?:index|task_id)":"?([^",]*)/.exec(frame)?.[1], id];
  });
}

test('ids count tasks and entries of the log, and a client that reconnects receives only the rest of either', async () => {
  const news = [logged(0), task(1, ''), logged(1), logged(2), task(2, '')];
  expect(await hear(news, nothing)).toEqual([
    ['log', '0', '0.1'],
    ['task', 'task 1', '1.1'],
    ['log', '1', '1.2'],
    ['log', '2', '1.3'],
    ['task', 'task 2', '2.3'],
    ['end', undefined, '3.3'],
  ]);
  expect(await hear(news, { tasks: 1, entries: 2 })).toEqual([
    ['log', '2', '1.3'],
    ['task', 'task 2', '2.3'],
    ['end', undefined, '3.3'],
  ]);
  expect(await hear(news, { tasks: 3, entries: 3 })).toBeNull();
});

test('a task after entries that were heard elsewhere is numbered with them, so that they never repeat', async () => {
  const news = [task(1, ''), task(2, ''), logged(0), logged(1)];
  expect(await hear(news, { tasks: 1, entries: 1 })).toEqual([
    ['task', 'task 2', '2.1'],
    ['log', '1', '2.2'],
    ['end', undefined, '3.2'],
  ]);
});

test('an id of an earlier format leaves out tasks and no entry', async () => {
  expect(await hear([logged(0), task(1, ''), task(2, '')], { tasks: 1, entries: 0 })).toEqual([
    ['log', '0', '1.1'],
    ['task', 'task 2', '2.1'],
    ['end', undefined, '3.1'],
  ]);
});
