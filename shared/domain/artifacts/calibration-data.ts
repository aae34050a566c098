import { stat } from 'node:fs/promises';
import { basename, dirname, extname, isAbsolute, join } from 'node:path';
import { CalibronError } from '../../kernel/errors.ts';
import {
  locate,
  noSuchFile,
  type OpenFile,
  openResolved,
  type ResolvedPath,
} from '../../kernel/files/paths.ts';
import { isShown } from '../../kernel/files/shown-names.ts';
import { type ProjectId, projectIdSchema } from '../../kernel/ids.ts';
import type { Asker } from '../parsing/index.ts';
import { descriptionOf, type UndrawnFigures } from './undrawn-figures.ts';

/** Media types of the served files, by extension. */
export const dataMediaTypes: Record<string, string> = {
  '.png': 'image/png',
  '.json': 'application/json',
  '.jsonl': 'application/x-ndjson',
  '.nc': 'application/x-netcdf',
  '.h5': 'application/x-hdf5',
  '.hdf5': 'application/x-hdf5',
  '.csv': 'text/csv; charset=utf-8',
  '.npy': 'application/octet-stream',
  '.npz': 'application/octet-stream',
  '.zip': 'application/zip',
};

/** An open file of the calibration data, ready to be served. */
export interface DataFile extends OpenFile {
  mediaType: string;
}

export interface DataFileLimits {
  /** Extensions that may be served; default: all known kinds. */
  kinds?: readonly string[];
  /** The only project whose files may be served; default: any. */
  project?: string | undefined;
  /** Whose queue a missing picture is drawn in; default: shared by all members of the project. */
  asker?: Asker | undefined;
}

/**
 * As {@link locateCurrent}. An absolute path that was written under another root, before the data was moved, is the file at the
 * same place under this root.
 */
export async function locateData(root: string, path: string): Promise<ResolvedPath | 'outside' | 'missing'> {
  const found = await locateCurrent(root, path);
  if (found !== 'outside') return found;
  for (const moved of placesUnderAnotherRoot(path)) {
    const place = await locateCurrent(root, moved);
    if (typeof place !== 'string') return place;
  }
  return 'outside';
}

/** As {@link locate}, but a figure that has a description and is not drawn yet also counts as existing. */
async function locateCurrent(root: string, path: string): Promise<ResolvedPath | 'outside' | 'missing'> {
  const found = await locate(root, path);
  const description = found === 'missing' ? descriptionOf(path) : null;
  if (description === null) return found;
  const described = await locate(root, description);
  if (typeof described === 'string') return described;
  const pictureOf = (file: string) => join(dirname(file), basename(path));
  return {
    ...described,
    path: pictureOf(described.path),
    inside: pictureOf(described.inside),
    written: pictureOf(described.written),
  };
}

/**
 * The project that a path in the calibration data belongs to: the first directory under the root. A link from one project's
 * directory into another's belongs to neither.
 * @throws not_found in all cases, with the same message
 */
export async function projectOfData(
  root: string,
  path: string,
): Promise<ResolvedPath & { project: ProjectId; name: string }> {
  const resolved = await locateData(root, path);
  if (typeof resolved === 'string') throw noSuchFile();
  const [named, project] = [resolved.written, resolved.inside].map((inside) => inside.split('/', 1)[0]);
  if (!project || project !== named || !resolved.inside.split('/').every(isShown)) throw noSuchFile();
  return { ...resolved, project: projectIdSchema.parse(project), name: basename(resolved.path) };
}

/** Maximum number of places at which a path under another root is looked for. */
const MAX_PLACES = 8;

/** The parts of an absolute path that could be a path of an execution's file relative to its root, longest first. */
function placesUnderAnotherRoot(path: string): string[] {
  const parts = path.split('/');
  if (!isAbsolute(path) || path.includes('\0') || parts.some((part) => part === '..' || part === '.'))
    return [];
  return parts
    .map((_, index) => parts.slice(index).join('/'))
    .filter((place) => INSIDE_EXECUTION.test(place))
    .slice(0, MAX_PLACES);
}

/** `<project>/<chip>/<YYYYMMDD>/<index>`, the folder of an execution, or a folder inside it. */
const INSIDE_EXECUTION = /^[^/]+\/[^/]+\/\d{8}\/\d+(?:\/|$)/;

/**
 * Whether a path is a folder that holds more than one execution's files, such as a chip's or a project's.
 * @throws not_found as {@link projectOfData}
 */
export async function isLargeFolder(root: string, path: string): Promise<boolean> {
  const { path: resolved, inside } = await projectOfData(root, path);
  if (INSIDE_EXECUTION.test(inside)) return false;
  return (await stat(resolved).catch(() => null))?.isDirectory() ?? false;
}

/**
 * Opens a file of the calibration data by a client's path. The caller must use {@link OpenFile.content} or close it. After
 * resolving links, only regular files of the known kinds inside a project's directory are served.
 * @param provide draws a figure that only has a description
 * @throws not_found in all other cases, with the same message
 */
export async function openDataFile(
  root: string,
  path: string,
  { kinds = Object.keys(dataMediaTypes), project, asker }: DataFileLimits = {},
  provide?: UndrawnFigures['provide'],
): Promise<DataFile> {
  if (/\/\.?$/.test(path)) throw noSuchFile(); // a directory name, whether or not it exists
  const resolved = await projectOfData(root, path);
  const kind = extname(resolved.path).toLowerCase();
  const mediaType = kinds.includes(kind) ? dataMediaTypes[kind] : undefined;
  if (!mediaType || (project !== undefined && resolved.project !== project)) throw noSuchFile();
  let file = await openResolved(resolved.path);
  if (file === 'missing' && provide) {
    await provide(resolved.path, asker ?? { kind: 'user', id: resolved.project });
    file = await openResolved(resolved.path);
  }
  if (typeof file === 'string') throw noSuchFile();
  return { ...file, mediaType };
}

/** A kind of file that can be parsed. */
interface ParsedKind {
  /** With the dot. */
  extension: string;
  maxBytes: number;
  /** Error message for larger files. */
  tooLarge: string;
}

/**
 * Keeps a file of one kind open while it is parsed. The size is checked before anything is read.
 * @throws not_found, too_large
 */
export async function whileParsed<T>(
  root: string,
  { path, project }: { path: string; project: string | undefined },
  { extension, maxBytes, tooLarge }: ParsedKind,
  parse: (file: { descriptor: number; size: number; name: string }) => Promise<T>,
): Promise<T> {
  const { handle, size, name } = await openDataFile(root, path, { kinds: [extension], project });
  try {
    if (size > maxBytes) throw new CalibronError('too_large', tooLarge);
    return await parse({ descriptor: handle.fd, size, name });
  } finally {
    await handle.close();
  }
}
