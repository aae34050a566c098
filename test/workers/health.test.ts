import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLog } from '../../shared/kernel/log.ts';
import { showHealth } from '../../workers/health.ts';

const log = createLog('test', 'silent');
const LONG_AGO = new Date('2026-01-01T00:00:00Z');
let directory: string;
let path: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-health-'));
  path = join(directory, 'healthy');
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(directory, { recursive: true, force: true });
});

test('the file grows old while something that the worker needs does not answer', async () => {
  const store = { answers: true };
  const needed = [{ ping: async () => true }, { ping: async () => store.answers }];
  const health = showHealth(path, needed, log);
  await vi.waitFor(() => expect(existsSync(path)).toBe(true));

  store.answers = false;
  await utimes(path, LONG_AGO, LONG_AGO);
  await vi.advanceTimersByTimeAsync(60_000);
  expect((await stat(path)).mtime).toEqual(LONG_AGO);

  store.answers = true;
  await vi.advanceTimersByTimeAsync(5000);
  expect((await stat(path)).mtime).not.toEqual(LONG_AGO);
  health.end();
});

test('a file that an earlier worker left does not count for this one, and none is left at the end', async () => {
  await writeFile(path, '');
  const health = showHealth(path, [{ ping: async () => false }], log);
  expect(existsSync(path)).toBe(false);
  health.end();

  const answering = showHealth(path, [{ ping: async () => true }], log);
  answering.end();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(existsSync(path)).toBe(false);
});
