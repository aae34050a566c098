import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Whether this is `npm run soak`, in which everything repeats in full. */
export const soaking = process.env.CALIBRON_TEST_SOAK === '1';

/**
 * How often a test repeats, or on which cases: `quick` in `npm test`, `soak` in `npm run soak`. The quick cases are those
 * that tell most, so that the test still fails there for what it guards against.
 *
 * @example
 * const RUNS = repetitions({ quick: 20, soak: 100 });
 */
export function repetitions<T>({ quick, soak }: { quick: T; soak: T }): T {
  return soaking ? soak : quick;
}

/** Test files that repeat more in a soak, from the root of the repository. */
export function repeatingFiles(): string[] {
  const tests = fileURLToPath(new URL('..', import.meta.url));
  return readdirSync(tests, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .filter((path) => /\brepetitions\(/.test(readFileSync(join(tests, path), 'utf8')))
    .map((path) => `test/${path}`);
}
