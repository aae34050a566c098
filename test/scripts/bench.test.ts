import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { packageRoot } from '../../shared/kernel/package-root.ts';

const run = promisify(execFile);
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
    /a task, one after another \(3\), its worker keeps records +[1-9]\d*\.\d \(.*\) ms; (?!0\.0)\d+\.\d/,
  );
  expect(stdout).toMatch(/a task, 64 targets in parallel \(64\), a foreign backend +[1-9]/);
  expect(stdout).toMatch(/rpc RespondActivityTaskCompleted +\d/);
}, 300_000);

test('a bench that does not exist is told from those that do', async () => {
  await expect(
    run(process.execPath, ['--import', 'tsx', main, 'speed'], { cwd: packageRoot }),
  ).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/Say what to measure: .*engine \| run64/),
  });
});
