import { basename } from 'node:path';
import { isError } from '../../kernel/errors.ts';
import { type ArchiveEntry, distinctNames } from '../../kernel/files/archive.ts';
import { contentOf } from '../../kernel/files/archive-content.ts';
import { openResolved } from '../../kernel/files/paths.ts';
import type { Asker } from '../parsing/index.ts';
import { openDataFile } from './calibration-data.ts';
import { descriptionOf, pictureOf, type UndrawnFigures } from './undrawn-figures.ts';

/** A file of the calibration data that a client requests. */
export interface NamedFile {
  path: string;
  /** The only project that the file may belong to; undefined allows any. */
  project: string | undefined;
}

/** The user an archive is made for, and the function that draws its figures. */
export interface ArchiveDrawing {
  provide: UndrawnFigures['provide'];
  /** Default: shared by all members of the project. */
  asker?: Asker | undefined;
}

/**
 * Files of the calibration data for one archive, each under its own name. A figure without a picture is drawn when its turn
 * comes, so that the archive starts at once; until then, its size is that of its description.
 * @returns the files, and the list positions of paths that do not exist
 */
export async function bundleOf(
  root: string,
  files: readonly NamedFile[],
  { provide, asker }: ArchiveDrawing,
): Promise<{ entries: ArchiveEntry[]; missing: number[] }> {
  const entries: ArchiveEntry[] = [];
  const missing: number[] = [];
  for (const [position, file] of files.entries()) {
    const found = await stateOf(root, file);
    if (!found) {
      missing.push(position);
      continue;
    }
    const { path, project } = file;
    entries.push({
      ...found,
      // The archive may already have started, so a file that was deleted meanwhile is left out.
      open: async () =>
        (await openDataFile(root, path, { project, asker }, provide).catch(nullIfNotFound))?.content() ??
        null,
    });
  }
  const names = distinctNames(entries.map(({ name }) => name));
  return {
    entries: entries.map((entry, index) => ({ ...entry, name: names[index] ?? entry.name })),
    missing,
  };
}

/** Name, size and time of a file, or of the description of a figure that is not drawn yet; null if neither exists. */
async function stateOf(
  root: string,
  { path, project }: NamedFile,
): Promise<Pick<ArchiveEntry, 'name' | 'size' | 'modified'> | null> {
  const description = descriptionOf(path);
  const file =
    (await openDataFile(root, path, { project }).catch(nullIfNotFound)) ??
    (description && (await openDataFile(root, description, { project }).catch(nullIfNotFound)));
  if (!file) return null;
  await file.handle.close();
  return { name: basename(path), size: file.size, modified: file.modified };
}

/**
 * As {@link contentOf}, but with a picture of every figure that has a description. Those of a directory are drawn when their turn
 * comes.
 */
export async function contentWithFigures(
  path: string,
  { provide, asker }: ArchiveDrawing & { asker: Asker },
): Promise<ArchiveEntry[]> {
  await provide(path, asker);
  const entries = await contentOf(path);
  const names = new Set(entries.map(({ name }) => name));
  return entries.flatMap((entry) => {
    const below = `${path}/${entry.name}`;
    const picture = pictureOf(below);
    const name = picture?.slice(path.length + 1);
    if (picture === null || name === undefined || names.has(name)) return [entry];
    const open = async () => {
      await provide(picture, asker);
      const file = await openResolved(picture);
      return typeof file === 'string' ? null : file.content();
    };
    return [entry, { ...entry, name, open }];
  });
}

function nullIfNotFound(thrown: unknown): null {
  if (isError(thrown, 'not_found')) return null;
  throw thrown;
}
