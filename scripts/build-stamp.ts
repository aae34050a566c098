import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** File beside built ones, with the digest of their sources. */
export const BUILD_STAMP = '.sources';

/** Whether the files of a folder were built from the sources with this digest. */
export async function isBuiltFrom(sources: string, folder: string): Promise<boolean> {
  return (await readFile(join(folder, BUILD_STAMP), 'utf8').catch(() => '')) === sources;
}

/** Digest of the names and the contents of files. @param files relative to the tree, in the same order each time */
export async function digestOfFiles(tree: string, files: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${file}\0`).update(await readFile(join(tree, file)));
  return hash.digest('hex');
}
