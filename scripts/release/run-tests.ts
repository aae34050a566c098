import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Counts in the last line of the tests. */
const COUNTS = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/;
/** Characters of the output that are kept to find its last line. */
const KEPT_OUTPUT = 500;

export interface TestCounts {
  passed: number;
  failed: number;
  skipped: number;
}

/**
 * Runs the tests of a tree and shows their output. A signal that ends this process ends them too.
 * @param program of Node.js
 * @param args for the tests, such as files
 * @returns one failure if the tests ended before they were counted
 */
export async function runTests(
  root: string,
  {
    program,
    args,
    environment,
  }: { program: string; args: readonly string[]; environment: NodeJS.ProcessEnv },
): Promise<TestCounts> {
  const tests = spawn(program, [join(root, 'scripts/test.mjs'), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
  });
  const stop = () => {
    tests.kill('SIGTERM');
    tests.once('close', () => process.exit(130));
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, stop);
  let output = '';
  tests.stdout.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text);
    output = (output + text).slice(-KEPT_OUTPUT);
  });
  await once(tests, 'close');
  for (const signal of signals) process.off(signal, stop);
  return countsIn(output);
}

/** The counts at the end of the output of the tests. */
export function countsIn(output: string): TestCounts {
  const [, passed, failed, skipped] = COUNTS.exec(output.trimEnd().split('\n').at(-1) ?? '') ?? [];
  if (passed === undefined) return { passed: 0, failed: 1, skipped: 0 };
  return { passed: Number(passed), failed: Number(failed), skipped: Number(skipped ?? 0) };
}
