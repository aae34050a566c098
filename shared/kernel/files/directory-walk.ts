import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CalibronError } from '../errors.ts';
import { isShown } from './shown-names.ts';

/** Maximum number of entries of one walk. No real configuration or execution has more. */
const MAX_ENTRIES = 100_000;

/** A regular file or a directory below another directory. */
export interface FoundEntry {
  kind: 'file' | 'directory';
  name: string;
  /** Path relative to the directory of the walk, `/`-separated. */
  relativePath: string;
  path: string;
}

/** A regular file below a directory. */
export interface FoundFile extends FoundEntry {
  size: number;
  modified: Date;
}

/**
 * Lists everything below a directory, sorted by name, each directory before its content. Links, pipes, devices and hidden
 * names are skipped, so the walk always ends and never leaves the directory.
 * @throws too_large above 100,000 entries
 */
export async function entriesBelow(directory: string): Promise<FoundEntry[]> {
  const found: FoundEntry[] = [];
  async function walk(path: string, prefix: string): Promise<void> {
    const entries = await readdir(path, { withFileTypes: true }).catch(emptyIfGone);
    const shown = entries.filter(({ name }) => isShown(name));
    for (const entry of shown.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const kind = kindOf(entry);
      if (!kind) continue;
      const child = {
        kind,
        name: entry.name,
        relativePath: `${prefix}${entry.name}`,
        path: join(path, entry.name),
      };
      found.push(child);
      if (found.length > MAX_ENTRIES) {
        throw new CalibronError(
          'too_large',
          `More than ${MAX_ENTRIES} files are there; name a smaller directory.`,
        );
      }
      if (kind === 'directory') await walk(child.path, `${child.relativePath}/`);
    }
  }
  await walk(directory, '');
  return found;
}

/** The regular files below a directory; see {@link entriesBelow}. */
export async function filesBelow(directory: string): Promise<FoundFile[]> {
  const files = (await entriesBelow(directory)).filter(({ kind }) => kind === 'file');
  const found: FoundFile[] = [];
  for (const file of files) {
    const stats = await lstat(file.path).catch(nullIfGone);
    if (stats) found.push({ ...file, size: stats.size, modified: stats.mtime });
  }
  return found;
}

function kindOf(entry: Dirent): FoundEntry['kind'] | null {
  if (entry.isDirectory()) return 'directory';
  return entry.isFile() ? 'file' : null;
}

/** Entries that vanish during the walk, and paths too long to open, are skipped. */
function nullIfGone(thrown: unknown): null {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  if (code === 'ENOENT' || code === 'ENAMETOOLONG') return null;
  throw thrown;
}

function emptyIfGone(thrown: unknown): Dirent[] {
  return nullIfGone(thrown) ?? [];
}
