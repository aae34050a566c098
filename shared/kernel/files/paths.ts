import { constants, type ReadStream, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath, stat } from 'node:fs/promises';
import { basename, isAbsolute, relative, resolve, sep } from 'node:path';
import { CalibronError } from '../errors.ts';

/**
 * Why a path yields no file: it leads outside its root, nothing exists there, or it is not a regular file (a directory, a
 * pipe, a device).
 */
export type PathProblem = 'outside' | 'missing' | 'not_a_file';

/** An existing path under a root, with links resolved. */
export interface ResolvedPath {
  /** The root itself, with links resolved. */
  root: string;
  path: string;
  /** Path relative to the root, `/`-separated; empty for the root. */
  inside: string;
  /** The same as the client wrote it, without resolving links. */
  written: string;
}

/** An open file. Reads always come from the file that was checked, even if its name now refers to another one. */
export interface OpenFile {
  name: string;
  size: number;
  modified: Date;
  /** Changes with the file's content. */
  etag: string;
  handle: FileHandle;
  /** Streams the bytes from `start` to `end`, both inclusive. The stream closes the file. */
  content(range?: { start: number; end: number }): ReadStream;
}

/**
 * Resolves a client-supplied path, absolute or relative to the root, and checks that it stays inside the root: first as
 * written, before any file system access, then again with links resolved.
 */
export async function locate(root: string, path: string): Promise<ResolvedPath | 'outside' | 'missing'> {
  if (path.includes('\0')) return 'outside';
  const realRoot = await realpath(root).catch(() => null);
  if (realRoot === null) return within(resolve(root), resolve(root, path)) === null ? 'outside' : 'missing';
  const written = within(resolve(root), resolve(root, path)) ?? within(realRoot, resolve(realRoot, path));
  if (written === null) return 'outside';
  try {
    const real = await realpath(resolve(realRoot, written));
    const inside = within(realRoot, real);
    if (inside === null) return 'outside';
    const parts = (path: string) => path.split(sep).join('/');
    return { root: realRoot, path: real, inside: parts(inside), written: parts(written) };
  } catch {
    return 'missing'; // no such path, a loop of links, a name too long
  }
}

/** Opens a regular file under a root; see {@link openResolved}. */
export async function openInside(root: string, path: string): Promise<OpenFile | PathProblem> {
  const resolved = await locate(root, path);
  return typeof resolved === 'string' ? resolved : openResolved(resolved.path);
}

/** Maximum number of attempts to open a file that is being replaced at the same time. */
const OPENINGS = 20;

/**
 * Opens the regular file at a checked path whose links are resolved. It detects links and pipes that have since replaced
 * a part of the path: the last component is not followed, opening never blocks, and the descriptor must belong to exactly
 * this path. If the file was replaced meanwhile and the system cannot confirm that, the new file is opened and checked
 * instead.
 */
export async function openResolved(path: string): Promise<OpenFile | PathProblem> {
  for (let opening = 1; opening < OPENINGS; opening++) {
    const file = await openOnce(path);
    if (file !== 'outside') return file;
  }
  return openOnce(path);
}

async function openOnce(path: string): Promise<OpenFile | PathProblem> {
  const seen = await lstat(path).catch(() => null);
  if (!seen) return 'missing';
  // Opening a device or a pipe can have side effects.
  if (!seen.isFile()) return 'not_a_file';
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => null);
  if (!handle) return 'missing';
  const opened = await sameFile(handle, path).catch(() => null);
  if (opened) return describe(basename(path), opened, handle);
  await handle.close();
  return 'outside';
}

/** Path relative to the root, judged by its text alone; null if it leads outside. */
function within(root: string, path: string): string | null {
  const inside = relative(root, path);
  const outside = inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return outside ? null : inside;
}

/** Linux appends this to the path of an open file whose name was removed or reused. */
const NAME_GONE = ' (deleted)';

/** Stats of the open file if it is the regular file at this real path, or was until it was unlinked; else null. */
async function sameFile(handle: FileHandle, path: string): Promise<Stats | null> {
  const [opened, real] = await Promise.all([handle.stat(), openedPath(handle, path)]);
  if (!opened.isFile()) return null;
  if (real === `${path}${NAME_GONE}`) return opened;
  const named = await stat(path);
  return real === path && opened.ino === named.ino && opened.dev === named.dev ? opened : null;
}

/**
 * Real path of the open file. Linux reports it for the descriptor. Other systems resolve the name, which misses a file that
 * was replaced and put back since it was opened.
 */
function openedPath({ fd }: FileHandle, path: string): Promise<string> {
  return readlink(`/proc/self/fd/${fd}`).catch(() => realpath(path));
}

function describe(name: string, { size, mtime, mtimeMs }: Stats, handle: FileHandle): OpenFile {
  return {
    name,
    size,
    modified: mtime,
    etag: `"${size.toString(36)}-${Math.trunc(mtimeMs * 1000).toString(36)}"`,
    handle,
    // An explicit end keeps the length as announced if the file grows meanwhile.
    content: ({ start, end } = { start: 0, end: Math.max(size - 1, 0) }) =>
      handle.createReadStream({ start, end }),
  };
}

/** One error for files that are missing, not served or owned by another user, so that callers cannot distinguish them. */
export function noSuchFile(): CalibronError {
  return new CalibronError('not_found', 'There is no such file.');
}
