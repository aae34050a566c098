import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isAlive } from '../../../scripts/engines/pids.ts';
import {
  adoptOrStart,
  entryOf,
  forgetProcess,
  type RememberedProcess,
  readState,
  rememberProcess,
  stillRuns,
  stopRemembered,
  writeState,
} from '../../../scripts/engines/state.ts';

let directory: string;
let file: string;
let children: ChildProcess[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-state-'));
  file = join(directory, '.data', 'engines.json');
  children = [];
});

afterEach(async () => {
  for (const child of children) {
    child.kill('SIGKILL');
  }
  await rm(directory, { recursive: true, force: true });
});

test('a missing file is empty', async () => {
  expect(await readState(file)).toEqual([]);
});

test.each(['', '{', 'null', '[]', '{"processes":{}}', '\0\0\0'])('garbage is empty: %j', async (garbage) => {
  await writeState(file, []);
  await writeFile(file, garbage);
  expect(await readState(file)).toEqual([]);
});

test('an entry that cannot be read does not spoil the others', async () => {
  const good = entryOf('api', process.pid, { port: 8000, logFile: 'api.log' });
  await writeState(file, []);
  await writeFile(file, JSON.stringify({ processes: [{ name: 'worker', pid: 'many' }, null, good] }));
  expect(await readState(file)).toEqual([good]);
});

test('processes are remembered by name, also at the same time, and forgotten', async () => {
  await Promise.all(['api', 'worker', 'temporal'].map((name) => rememberProcess(file, entryOf(name, 1))));
  await rememberProcess(file, entryOf('api', 2));
  expect(Object.fromEntries((await readState(file)).map(({ name, pid }) => [name, pid]))).toEqual({
    api: 2,
    worker: 1,
    temporal: 1,
  });
  await forgetProcess(file, 'worker');
  expect((await readState(file)).map(({ name }) => name).sort()).toEqual(['api', 'temporal']);
  expect(await readdir(join(directory, '.data'))).toEqual(['engines.json']);
});

test('a healthy process is adopted', async () => {
  const running = recorded('api');
  await rememberProcess(file, running);
  const result = await adoptOrStart(file, 'api', options(true));
  expect(result).toEqual({ process: running, adopted: true });
  expect(stillRuns(running)).toBe(true);
});

test('a process that runs but is not healthy is stopped before another is started', async () => {
  const stuck = recorded('api', 'process.on("SIGTERM", () => {})');
  await rememberProcess(file, stuck);
  let ranWhenStarted = true;
  const fresh = recorded('api');
  const result = await adoptOrStart(file, 'api', {
    ...options(false),
    start: async () => {
      ranWhenStarted = stillRuns(stuck);
      return fresh;
    },
  });
  expect(ranWhenStarted).toBe(false);
  expect(result).toEqual({ process: fresh, adopted: false });
  expect(await readState(file)).toEqual([fresh]);
});

test('a recycled pid is neither adopted nor killed', async () => {
  const stranger = recorded('api');
  await rememberProcess(file, { ...stranger, startTime: 'of the process that had this pid before' });
  const fresh = recorded('api');
  const result = await adoptOrStart(file, 'api', { ...options(true), start: async () => fresh });
  expect(result).toEqual({ process: fresh, adopted: false });
  expect(stillRuns(stranger)).toBe(true);
});

test('a process of unknown start time could be anyone, and is left alone', async () => {
  const unknown = { ...recorded('api'), startTime: null };
  await stopRemembered(unknown, 0);
  expect(unknown.pid !== null && isAlive(unknown.pid)).toBe(true);
});

test('a process that ended is started anew', async () => {
  const ended = recorded('api');
  await stopRemembered(ended, 1_000);
  await rememberProcess(file, ended);
  const result = await adoptOrStart(file, 'api', options(true));
  expect(result.adopted).toBe(false);
});

/** A process that does nothing, for as long as the test lasts. */
function recorded(name: string, script = ''): RememberedProcess {
  const child = spawn(process.execPath, ['--eval', `${script}; setInterval(() => {}, 1000)`], {
    stdio: 'ignore',
  });
  children.push(child);
  return entryOf(name, child.pid ?? 0);
}

function options(healthy: boolean) {
  return { healthy: async () => healthy, start: async () => recorded('api'), graceMs: 300 };
}
