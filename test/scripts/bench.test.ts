import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { isAlive } from '../../scripts/engines/pids.ts';
import { packageRoot } from '../../shared/kernel/package-root.ts';
import { eventually } from '../support/laboratory.ts';

const run = promisify(execFile);

/** Ids of the processes that a process started, directly or through others. */
async function descendantsOf(pid: number): Promise<number[]> {
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = await Promise.all(
    all.map(async (each) => {
      const stat = await readFile(`/proc/${each}/stat`, 'utf8').catch(() => '');
      return { pid: each, parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) };
    }),
  );
  const children = parents.filter(({ parent }) => parent === pid).map((each) => each.pid);
  return [...children, ...(await Promise.all(children.map(descendantsOf))).flat()];
}
const main = fileURLToPath(new URL('scripts/bench/main.ts', packageRoot));

test('a bench brings up engines of its own, measures and prints its figures with the command that made them', async () => {
  // What the tests' own engines told this process must not be what makes the bench work.
  const environment = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('CALIBRON_TEST_')),
  );
  const { stdout } = await run(process.execPath, ['--import', 'tsx', main, 'engine', 'memory', 'small'], {
    cwd: packageRoot,
    env: environment,
  });
  expect(stdout).toContain('npm run bench -- engine memory small');
  expect(stdout).toMatch(
    /a task, one after another \(3\), the simulator's host +[1-9]\d*\.\d \(.*\) ms; (?!0\.0)\d+\.\d/,
  );
  expect(stdout).toMatch(/a task, 64 targets in parallel \(64\), a foreign backend +[1-9]/);
  expect(stdout).toMatch(/rpc RespondActivityTaskCompleted +\d/);
}, 300_000);

test('a bench that is stopped ends everything that it started', async () => {
  const bench = spawn(process.execPath, ['--import', 'tsx', main, 'engine', 'memory'], {
    cwd: packageRoot,
    stdio: 'ignore',
  });
  const exited = once(bench, 'exit');
  const started = await eventually(async () => {
    const found = await descendantsOf(bench.pid ?? expect.fail());
    const programs = await Promise.all(
      found.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
    );
    // The worker comes after both engines.
    return programs.some((line) => line.includes('instant-worker')) ? found : null;
  });
  bench.kill('SIGTERM');
  expect(await exited).toEqual([143, null]);
  await eventually(() => Promise.resolve(!started.some(isAlive)));
}, 300_000);

test('a bench that does not exist is told from those that do', async () => {
  await expect(
    run(process.execPath, ['--import', 'tsx', main, 'speed'], { cwd: packageRoot }),
  ).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/Say what to measure: .*engine \| run64/),
  });
});
