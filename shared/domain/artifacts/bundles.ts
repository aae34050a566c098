import { CalibronError } from '../../kernel/errors.ts';
import { type ArchiveEntry, distinctNames } from '../../kernel/files/archive.ts';
import { openDataFile } from './calibration-data.ts';
import type { UndrawnFigures } from './undrawn-figures.ts';

/** A file of the calibration data that a client names. */
export interface NamedFile {
  path: string;
  /** The only project that it may belong to; without it, any. */
  project: string | undefined;
}

/**
 * Files of the calibration data for one archive, each under its own name.
 * @param provide has figures drawn that are described only
 * @returns the files, and of those paths that name none the position in the list
 */
export async function bundleOf(
  root: string,
  files: readonly NamedFile[],
  provide: UndrawnFigures['provide'],
): Promise<{ entries: ArchiveEntry[]; missing: number[] }> {
  const entries: ArchiveEntry[] = [];
  const missing: number[] = [];
  for (const [position, { path, project }] of files.entries()) {
    const file = await openDataFile(root, path, { project }, provide).catch(nullIfNotFound);
    if (!file) {
      missing.push(position);
      continue;
    }
    const { name, size, modified } = file;
    await file.handle.close();
    entries.push({
      name,
      size,
      modified,
      // Whoever reads the archive has its first files already: one that went meanwhile is left out.
      open: async () =>
        (await openDataFile(root, path, { project }, provide).catch(nullIfNotFound))?.content() ?? null,
    });
  }
  const names = distinctNames(entries.map(({ name }) => name));
  return {
    entries: entries.map((entry, index) => ({ ...entry, name: names[index] ?? entry.name })),
    missing,
  };
}

function nullIfNotFound(thrown: unknown): null {
  if (thrown instanceof CalibronError && thrown.code === 'not_found') return null;
  throw thrown;
}
