import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ArchiveEntry } from './archive.ts';
import { filesBelow } from './directory-walk.ts';
import { noSuchFile, openResolved } from './paths.ts';

/**
 * Archive entries for a file, or for all visible files below a directory. The path must be checked, with links resolved.
 * Files of a directory that disappear before they are read are skipped.
 */
export async function contentOf(path: string): Promise<ArchiveEntry[]> {
  const found = await stat(path).catch(() => null);
  if (!found?.isFile() && !found?.isDirectory()) throw noSuchFile();
  const files = found.isFile()
    ? [{ relativePath: basename(path), path, size: found.size, modified: found.mtime }]
    : await filesBelow(path);
  return files.map(({ relativePath, path: file, size, modified }) => ({
    name: relativePath,
    size,
    modified,
    async open() {
      const opened = await openResolved(file);
      if (typeof opened !== 'string') return opened.content();
      if (opened === 'missing' && found.isDirectory()) return null;
      throw noSuchFile();
    },
  }));
}
