import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Whether this is `npm run soak`, in which everything repeats in full. */
export const soaking = process.env.CALIBRON_TEST_SOAK === '1';

/**
 * How often a test repeats, or on which cases: `quick` in `npm test`, `soak` in `npm run soak`. The quick cases are those
 * with the most information, so that the test still fails there for what it guards against.
 *
 * @example
 * const RUNS = repetitions({ quick: 20, soak: 100 });
 */
export function repetitions<T>({ quick, soak }: { quick: T; soak: T }): T {
  return soaking ? soak : quick;
}

/** Test files that repeat more in a soak, by themselves or by what they import of the tests, from the root. */
export function repeatingFiles(): string[] {
  const tests = fileURLToPath(new URL('..', import.meta.url));
  const repeating = new Map<string, boolean>();
  const repeats = (path: string): boolean => {
    const known = repeating.get(path);
    if (known !== undefined) return known;
    repeating.set(path, false);
    const text = readFileSync(join(tests, path), 'utf8');
    const imported = [...text.matchAll(/ from '(\.[^']+\.ts)';$/gm)]
      .map(([, name = '']) => join(dirname(path), name))
      .filter((name) => !name.startsWith('..') && name !== OWN_PATH);
    const found = CALL.test(text) || imported.some(repeats);
    repeating.set(path, found);
    return found;
  };
  return readdirSync(tests, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && repeats(path))
    .map((path) => `test/${path}`);
}

const OWN_PATH = 'support/repetitions.ts';
const CALL = /\brepetitions\(/;
