import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { lstat, mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { locate, type PathProblem } from './paths.ts';

/**
 * Writes a file so that whoever reads it, also after a kill, finds the old content or the new one, never a part.
 * @param durable true: it is on the disk when this returns, and outlasts a power cut
 * @param holds asked when the content is written aside: false leaves the file as it was
 * @returns whether the file has the new content
 */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  { durable = false, holds = async () => true }: { durable?: boolean; holds?: () => Promise<boolean> } = {},
): Promise<boolean> {
  const directory = dirname(path);
  const temporary = join(directory, `.${randomUUID()}.partial`);
  let isInPlace = false;
  try {
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    const file = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644);
    try {
      await file.writeFile(content);
      if (durable) await file.sync();
    } finally {
      await file.close();
    }
    if (!(await holds())) return false;
    await rename(temporary, path);
    isInPlace = true;
    if (durable) await syncDirectory(directory);
    return true;
  } finally {
    if (!isInPlace) await rm(temporary, { force: true });
  }
}

/** Whether a path still means the file whose state was taken: a file that is replaced is another one. */
export async function isUnreplaced(path: string, { ino, mtimeMs }: Stats): Promise<boolean> {
  const now = await lstat(path).catch(() => null);
  return now?.ino === ino && now.mtimeMs === mtimeMs;
}

/**
 * Writes a file under a root as a whole or not at all, on the disk when this returns; directories are made as needed.
 * A link in the way to the file must stay inside the root, a link in its place is refused.
 * @returns why nothing was written, or null
 */
export async function writeInside(
  root: string,
  path: string,
  content: string | Uint8Array,
): Promise<Exclude<PathProblem, 'missing'> | null> {
  await mkdir(root, { recursive: true });
  const directory = await makeDirectory(root, dirname(path));
  if (directory === 'outside' || directory === 'not_a_file') return directory;
  const target = join(directory, basename(path));
  const present = await lstat(target).catch(() => null);
  if (present && !present.isFile()) return 'not_a_file';
  try {
    // The directory may have become a link meanwhile.
    const stillInside = async () => (await realpath(directory)) === directory;
    return (await replaceFile(target, content, { durable: true, holds: stillInside })) ? null : 'outside';
  } catch (thrown) {
    if (codeOf(thrown) === 'ENAMETOOLONG') return 'not_a_file';
    throw thrown;
  }
}

/** Makes a directory under the root, never through a link that leads out of it; returns its real path. */
async function makeDirectory(root: string, path: string): Promise<string | 'outside' | 'not_a_file'> {
  const resolved = await locate(root, path);
  if (resolved === 'outside') return resolved;
  if (resolved !== 'missing')
    return (await lstat(resolved.path)).isDirectory() ? resolved.path : 'not_a_file';
  const parent = await makeDirectory(root, dirname(path));
  if (parent === 'outside' || parent === 'not_a_file') return parent;
  const directory = join(parent, basename(path));
  try {
    await mkdir(directory);
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === 'ENOTDIR' || code === 'ENAMETOOLONG') return 'not_a_file';
    // Somebody else may have made it; a link that leads nowhere is no directory.
    if (code !== 'EEXIST' || !(await lstat(directory)).isDirectory()) return 'not_a_file';
  }
  return directory;
}

/** Makes the new name last, where the system can do that for directories. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, constants.O_RDONLY);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
}
