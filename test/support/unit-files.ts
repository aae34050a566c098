import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Folders with tests of pure code. */
const FOLDERS = ['test/shared', 'test/activities/record', 'test/api', 'test/workflows'];
/** What pure code does not use: servers, other processes, threads and compiled programs. */
const IMPURE =
  /\binject\(|CALIBRON_TEST_|node:child_process|node:worker_threads|'piscina'|\bcreateServer\(|\.listen\(|\bcompiledModule\('/;
/** Imports of code; imports of types alone need nothing. */
const IMPORT = /(?:import|export) (?!type )[^;'"]*? from '(\.[^']+\.ts)';|import\('(\.[^']+\.ts)'\)/g;

/**
 * Test files of pure code, from the root: nothing that they import, directly or through other files, starts a server, a process
 * or a thread. They run without any preparation.
 */
export function unitFiles(): string[] {
  const known = new Map<string, boolean>();
  const isPure = (path: string): boolean => {
    const found = known.get(path);
    if (found !== undefined) return found;
    known.set(path, true);
    const text = readFileSync(join(root, path), 'utf8');
    const imported = [...text.matchAll(IMPORT)].map(([, name, loaded = '']) =>
      join(dirname(path), name ?? loaded),
    );
    const pure = !IMPURE.test(text) && imported.every(isPure);
    known.set(path, pure);
    return pure;
  };
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => relative(root, join(root, folder, name))),
  )
    .filter(isPure)
    .sort();
}
