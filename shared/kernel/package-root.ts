import { existsSync } from 'node:fs';

function folderWithPackage(folder: URL): URL {
  return existsSync(new URL('package.json', folder)) ? folder : folderWithPackage(new URL('..', folder));
}

/** Root folder of the package, for files that are not code. This module may run from source or from `dist/`. */
export const packageRoot = folderWithPackage(new URL('.', import.meta.url));

/**
 * The compiled module of a source file (`shared/domain/parsing/thread.ts`), for threads. Threads run compiled JavaScript
 * even in tests: without a loader they start in half the time and need 50 MB less.
 */
export function compiledModule(source: string): URL {
  return new URL(`dist/${source.replace(/\.ts$/, '.js')}`, packageRoot);
}
