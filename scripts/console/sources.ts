import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { digestOfFiles, isBuiltFrom } from '../build-stamp.ts';

/** Folder of the built console. */
export const builtConsole = (tree: string) => join(tree, 'console', 'dist');

/** Whether the console was built from its present sources. */
export async function isConsoleBuilt(tree: string): Promise<boolean> {
  return isBuiltFrom(await digestOfConsole(tree), builtConsole(tree));
}

/** Digest of everything that a build reads. The lock file determines the versions of its packages. */
export async function digestOfConsole(tree: string): Promise<string> {
  const sources = await readdir(join(tree, 'console', 'src'), { recursive: true, withFileTypes: true });
  const files = [
    ...sources
      .filter((each) => each.isFile())
      .map((each) => relative(tree, join(each.parentPath, each.name))),
    ...['console/index.html', 'console/vite.config.ts', 'packages/client/client.ts', 'package-lock.json'],
  ];
  return digestOfFiles(tree, files.sort());
}
