import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isAlive } from '../../../scripts/engines/pids.ts';

const RUNNER = fileURLToPath(new URL('../../../scripts/test.mjs', import.meta.url));
const CONFIG = fileURLToPath(new URL('fixtures/vitest.config.ts', import.meta.url));

test.each([
  ['only passes', ['good'], '2 passed, 0 failed', 0],
  ['is of two files', ['good', 'failing'], '3 passed, 1 failed', 1],
  ['skips', ['skipping'], '1 passed, 0 failed, 2 skipped', 0],
  ['has a failing test', ['failing'], '1 passed, 1 failed', 1],
  ['has a file that does not load', ['unloadable', 'good'], '2 passed, 1 failed', 1],
  ['has a failing hook', ['hook'], '1 passed, 1 failed', 1],
  ['has an error outside of any test', ['unhandled'], '1 passed, 1 failed', 1],
  ['finds no file', ['nowhere'], '0 passed, 1 failed', 1],
  ['matches no test', ['good', '-t', 'no such name'], '0 passed, 1 failed, 2 skipped', 1],
])('a run that %s says so in its last line and its exit code', async (_what, args, last, code) => {
  expect(await runner(args)).toEqual({ last, code });
});

test('a run repeats at its end what failed tests printed', async () => {
  const { child, ended } = start(['printing'], {});
  let output = '';
  child.stdout.on('data', (text: string) => {
    output += text;
  });
  expect(await ended).toEqual({ last: '1 passed, 1 failed', code: 1 });
  const end = output.slice(output.lastIndexOf('Duration'));
  expect(end).toContain('Printed by "fails":\nits page was empty');
  expect(end).not.toContain('all is well');
});

test('a run whose setup fails is a failure', async () => {
  expect(await runner(['good'], { FIXTURE_SETUP: '1' })).toEqual({ last: '0 passed, 1 failed', code: 1 });
});

test('a run that is told to stop leaves no process of its tests', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'calibron-endless-'));
  const file = join(directory, 'pid');
  const run = start(['endless'], { FIXTURE_PID_FILE: file });
  let pid = 0;
  await expect
    .poll(async () => {
      pid = Number(await readFile(file, 'utf8').catch(() => 0));
      return pid;
    })
    .toBeGreaterThan(0);
  run.child.kill('SIGTERM');
  expect((await run.ended).last).toBe('0 passed, 1 failed');
  await expect.poll(() => isAlive(pid)).toBe(false);
  await rm(directory, { recursive: true });
});

interface Ended {
  last: string;
  code: number;
}

function runner(args: string[], environment: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return start(args, environment).ended;
}

function start(args: string[], environment: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [RUNNER, '--config', CONFIG, ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.resume();
  const ended = once(child, 'close').then(
    ([code]): Ended => ({ last: output.trimEnd().split('\n').at(-1) ?? '', code }),
  );
  return { child, ended };
}
