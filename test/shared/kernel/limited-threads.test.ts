import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, expect, test } from 'vitest';
import { QueueFull } from '../../../shared/kernel/fair-queue.ts';
import {
  createLimitedThreads,
  JobOverLimit,
  type LimitedThreads,
} from '../../../shared/kernel/limited-threads.ts';

const directory = await mkdtemp(join(tmpdir(), 'calibron-limited-threads-'));
const file = pathToFileURL(join(directory, 'working-thread.mjs'));
await build({
  entryPoints: [fileURLToPath(new URL('fixtures/working-thread.ts', import.meta.url))],
  outfile: fileURLToPath(file),
  bundle: true,
  format: 'esm',
  platform: 'node',
});
const limits = { threads: 1, waiting: 3, processorMs: 300, memoryMb: 32, idleMs: 60_000 };
const threads: LimitedThreads<string, string> = createLimitedThreads(file, limits);
const ada = { user: 'ada' };
afterAll(async () => {
  await threads.destroy();
  await rm(directory, { recursive: true });
});

test('what computes or allocates without end is ended with its thread, and the next job gets another one', async () => {
  await expect(threads.run(ada, 'compute')).rejects.toBeInstanceOf(JobOverLimit);
  await expect(threads.run(ada, 'allocate')).rejects.toBeInstanceOf(JobOverLimit);
  expect(await threads.run(ada, 'a')).toBe('a');
});

test('the time of a job begins when a thread takes it, not while it waits', async () => {
  const jobs = ['compute', 'compute', 'a'].map((job) => threads.run(ada, job));
  const results = await Promise.allSettled(jobs);
  expect(results[0]).toMatchObject({ reason: expect.any(JobOverLimit) });
  expect(results[1]).toMatchObject({ reason: expect.any(JobOverLimit) });
  expect(results[2]).toMatchObject({ value: 'a' });
});

test('more jobs than may wait are refused, and the rest is done', async () => {
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => threads.run(ada, 'a')));
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(20);
  for (const reason of refused) expect(reason).toBeInstanceOf(QueueFull);
});

test('what the work itself throws comes back as it is', async () => {
  await expect(threads.run(ada, 'throw')).rejects.toThrow('as told');
});

test('the event loop turns while a thread computes', async () => {
  let turns = 0;
  const turning = setInterval(() => {
    turns += 1;
  }, 1);
  await threads.run(ada, 'compute').catch(() => undefined);
  clearInterval(turning);
  expect(turns).toBeGreaterThan(10);
});

test('what is waiting for a thread is not made yet, and what is refused never is', async () => {
  const computing = threads.run(ada, 'compute');
  let made = 0;
  const make = async () => {
    made += 1;
    return 'a';
  };
  const jobs = Promise.allSettled(Array.from({ length: 8 }, () => threads.runMade(ada, make)));
  await setImmediate();
  expect(made).toBe(0);
  await expect(computing).rejects.toBeInstanceOf(JobOverLimit);
  expect((await jobs).filter(({ status }) => status === 'fulfilled')).toHaveLength(limits.waiting);
  expect(made).toBe(limits.waiting);
  await expect(threads.runMade(ada, () => Promise.reject(new Error('not made')))).rejects.toThrow('not made');
  expect(await threads.run(ada, 'a')).toBe('a');
});

test('a job of one user waits for one of another at most, however many that one has', async () => {
  const done: string[] = [];
  const run = (user: string, job: string) => threads.run({ user }, job).then(() => done.push(user));
  await Promise.all([run('ada', 'a'), run('ada', 'a'), run('ada', 'a'), run('bob', 'a')]);
  expect(done.indexOf('bob')).toBeLessThanOrEqual(1);
});
