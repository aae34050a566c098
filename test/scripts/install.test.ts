import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isAlive } from '../../scripts/engines/pids.ts';
import { packageRoot } from '../../shared/kernel/package-root.ts';
import { eventually } from '../support/laboratory.ts';

const root = fileURLToPath(packageRoot);

let directory: string;
const children: ChildProcess[] = [];

/** A tree without packages, and an npm that installs for ever. */
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-install-'));
  await mkdir(join(directory, 'scripts'));
  for (const name of [
    'package.json',
    'package-lock.json',
    'scripts/start.mjs',
    'scripts/install.mjs',
    'scripts/compiled.mjs',
  ]) {
    await copyFile(join(root, name), join(directory, name));
  }
  await endlessNpm('');
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
});

/** Replaces npm with a program that writes its pid, runs the command and then waits. */
async function endlessNpm(command: string) {
  await writeFile(
    join(directory, 'npm'),
    `#!/bin/sh\necho $$ > ${directory}/npm.pid\n${command}\nexec sleep 600\n`,
  );
  await chmod(join(directory, 'npm'), 0o755);
}

function start(args: string[] = [], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [join(directory, 'scripts/start.mjs'), ...args], {
    env: { ...process.env, PATH: `${directory}:${process.env['PATH']}`, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  let said = '';
  child.stdout.on('data', (part) => {
    said += String(part);
  });
  return { pid: child.pid, ended: once(child, 'exit'), said: () => said };
}

const npmPid = async () => Number(await readFile(join(directory, 'npm.pid'), 'utf8').catch(() => '0'));

test('a start that is installing packages is stopped from another shell, with its npm', async () => {
  const installing = start();
  await eventually(npmPid);
  const stopping = start(['--stop']);
  expect(await stopping.ended).toEqual([0, null]);
  expect(stopping.said()).toBe(
    `stopped the npm start of pid ${installing.pid}, which was installing packages\n`,
  );
  await installing.ended;
  await eventually(async () => !isAlive(await npmPid()));
});

test('the mark of one that was killed is nobody', async () => {
  await rm(join(directory, 'npm.pid'), { force: true });
  const killed = start();
  const npm = await eventually(npmPid);
  process.kill(killed.pid ?? 0, 'SIGKILL');
  await killed.ended;
  process.kill(npm, 'SIGKILL');
  await rm(join(directory, 'npm.pid'), { force: true });
  // It stops nobody, so it begins to install as any start does.
  const next = start(['--stop']);
  await eventually(npmPid);
  expect(next.said()).not.toContain('stopped');
  process.kill(next.pid ?? 0, 'SIGTERM');
  await next.ended;
  await eventually(async () => !isAlive(await npmPid()));
});

test('npm gets a cache of its own where the one of the user cannot be written to, and it is removed', async () => {
  await rm(join(directory, 'npm.pid'), { force: true });
  await endlessNpm(
    `echo "$npm_config_cache" > ${directory}/cache.txt\ntouch "$npm_config_cache/package"\nkill -TERM $PPID`,
  );
  const kept = start([], { npm_config_cache: directory });
  await kept.ended;
  expect((await readFile(join(directory, 'cache.txt'), 'utf8')).trim()).toBe(directory);
  const replaced = start([], { npm_config_cache: '/dev/null/npm' });
  await replaced.ended;
  const cache = (await readFile(join(directory, 'cache.txt'), 'utf8')).trim();
  expect(cache).not.toBe('/dev/null/npm');
  expect(existsSync(cache)).toBe(false);
});

/** Loaded before the start: spawn returns only when the child has had time to run. */
const SLOW_SPAWN = `import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
const { spawn } = childProcess;
childProcess.spawn = (...args) => {
  const child = spawn(...args);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  return child;
};
syncBuiltinESMExports();
`;

test('a start that is stopped at the moment npm begins stops npm as well', async () => {
  await rm(join(directory, 'npm.pid'), { force: true });
  await endlessNpm('kill -TERM $PPID');
  await writeFile(join(directory, 'slow-spawn.mjs'), SLOW_SPAWN);
  const stopped = start([], { NODE_OPTIONS: `--import=${join(directory, 'slow-spawn.mjs')}` });
  expect(await stopped.ended).toEqual([130, null]);
  const npm = await npmPid();
  expect(npm).toBeGreaterThan(0);
  await eventually(async () => !isAlive(npm));
});
