import { constants, type ReadStream, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath, stat } from 'node:fs/promises';
import { basename, isAbsolute, relative, resolve, sep } from 'node:path';
import { CalibronError } from '../errors.ts';

/**
 * Why a path gives no file: it leads out of its root, there is nothing, or something that is no plain file
 * (a directory, a pipe, a device).
 */
export type PathProblem = 'outside' | 'missing' | 'not_a_file';

/** A path under a root that exists, links resolved. */
export interface ResolvedPath {
  /** The root itself, links resolved. */
  root: string;
  path: string;
  /** The path within its root, `/`-separated; empty for the root. */
  inside: string;
  /** The same as the client wrote it, links not resolved. */
  written: string;
}

/** A file that is held open: what is read from it is the file that was checked, whatever its name means by now. */
export interface OpenFile {
  name: string;
  size: number;
  modified: Date;
  /** Changes with the file's content. */
  etag: string;
  handle: FileHandle;
  /** The bytes from `start` to `end`, both included; the stream closes the file. */
  content(range?: { start: number; end: number }): ReadStream;
}

/**
 * Resolves a path that a client names, absolute or relative to the root, and keeps it inside the root: as it is
 * written, before the file system is asked, and again after links are resolved.
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

/** Opens a plain file under a root, as {@link openResolved} does. */
export async function openInside(root: string, path: string): Promise<OpenFile | PathProblem> {
  const resolved = await locate(root, path);
  return typeof resolved === 'string' ? resolved : openResolved(resolved.path);
}

/** How often a file is opened whose name has come to mean another one before it was looked at. */
const OPENINGS = 20;

/**
 * Opens the plain file of a path whose links are resolved and which was checked. A link or a pipe that has taken the
 * place of a part of it since is noticed: the last name is not followed, opening does not wait, and the descriptor must
 * be the file of this very path. Where the system does not tell that of a file that was replaced meanwhile, the new one
 * is opened, and checked, instead.
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
  // Opening a device or a pipe may already do something.
  if (!seen.isFile()) return 'not_a_file';
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => null);
  if (!handle) return 'missing';
  const opened = await sameFile(handle, path).catch(() => null);
  if (opened) return describe(basename(path), opened, handle);
  await handle.close();
  return 'outside';
}

/** What a path means within a root as it is written; null outside of it. */
function within(root: string, path: string): string | null {
  const inside = relative(root, path);
  const outside = inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return outside ? null : inside;
}

/** What Linux puts behind the path of an open file whose name is gone, or another file's by now. */
const NAME_GONE = ' (deleted)';

/** The state of the open file when it is, or was until its name went, the plain file of this real path; else null. */
async function sameFile(handle: FileHandle, path: string): Promise<Stats | null> {
  const [opened, real] = await Promise.all([handle.stat(), openedPath(handle, path)]);
  if (!opened.isFile()) return null;
  if (real === `${path}${NAME_GONE}`) return opened;
  const named = await stat(path);
  return real === path && opened.ino === named.ino && opened.dev === named.dev ? opened : null;
}

/**
 * Where the open file lies. Linux knows it of the descriptor; elsewhere the name is asked, which may have come to mean
 * another file and back since it was opened.
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
    // The end is stated, so that a file that grows meanwhile stays as long as was said.
    content: ({ start, end } = { start: 0, end: Math.max(size - 1, 0) }) =>
      handle.createReadStream({ start, end }),
  };
}

/** The one answer for whatever is not there, not served or somebody else's. */
export function noSuchFile(): CalibronError {
  return new CalibronError('not_found', 'There is no such file.');
}
