import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** File beside the built ones, with the digest of their sources. */
export const CONSOLE_STAMP = '.sources';

/** Folder of the built console. */
export const builtConsole = (tree: string) => join(tree, 'console', 'dist');

/** Whether the console was built from the sources with this digest. */
export async function isConsoleBuilt(tree: string, sources?: string): Promise<boolean> {
  const stamp = await readFile(join(builtConsole(tree), CONSOLE_STAMP), 'utf8').catch(() => '');
  return stamp !== '' && stamp === (sources ?? (await digestOfConsole(tree)));
}

/** Digest of everything that a build reads. The lock file determines the versions of its packages. */
export async function digestOfConsole(tree: string): Promise<string> {
  const sources = await readdir(join(tree, 'console', 'src'), { recursive: true, withFileTypes: true });
  const files = [
    ...sources.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name)),
    ...['console/index.html', 'console/vite.config.ts', 'packages/client/client.ts', 'package-lock.json'].map(
      (name) => join(tree, name),
    ),
  ];
  const hash = createHash('sha256');
  for (const file of files.sort()) hash.update(`${relative(tree, file)}\0`).update(await readFile(file));
  return hash.digest('hex');
}
