import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { lstat, mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { locate, type PathProblem } from './paths.ts';

/**
 * Replaces a file atomically: readers see the old or the new content, never a part, even if the process is killed.
 * @param durable true: the content is synced to disk before this returns, and survives a power failure
 * @param holds called after the temporary file is written; if it returns false, the file stays unchanged
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

/** Whether a path still refers to the file that was inspected, and the file has not been replaced or changed. */
export async function isUnreplaced(path: string, { ino, mtimeMs }: Stats): Promise<boolean> {
  const now = await lstat(path).catch(() => null);
  return now?.ino === ino && now.mtimeMs === mtimeMs;
}

/**
 * Writes a file under a root atomically and durably; missing directories are created. Links in the path must stay inside
 * the root. If the file itself is a link, the write is refused.
 * @returns the reason why nothing was written, or null
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
    // Meanwhile the directory may have been replaced by a link.
    const stillInside = async () => (await realpath(directory)) === directory;
    return (await replaceFile(target, content, { durable: true, holds: stillInside })) ? null : 'outside';
  } catch (thrown) {
    if (codeOf(thrown) === 'ENAMETOOLONG') return 'not_a_file';
    throw thrown;
  }
}

/** Creates a directory under the root, never through a link that leads outside. @returns its real path */
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
    // Another process may have created the directory. A dangling link is not accepted.
    if (code !== 'EEXIST' || !(await lstat(directory)).isDirectory()) return 'not_a_file';
  }
  return directory;
}

/** Makes the rename durable, if the operating system can sync directories. */
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
