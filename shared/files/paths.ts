import { createReadStream, type ReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, extname, isAbsolute, relative, resolve, sep } from 'node:path';
import { CalibronError } from '../errors.ts';

const mediaTypes: Record<string, string> = {
  '.png': 'image/png',
  '.json': 'application/json',
  '.nc': 'application/x-netcdf',
};

/** A file of the calibration data, as it is served. */
export interface ServedFile {
  name: string;
  mediaType: string;
  size: number;
  /** Changes with the file's content. */
  etag: string;
  content(): ReadStream;
}

/**
 * Finds a file under a root by the path that a client names. Links are resolved before the path is
 * compared with the root, and only plain files of the known kinds are served.
 * @throws not_found for everything else, in the same words
 */
export async function findServedFile(
  root: string,
  path: string,
  kinds: readonly string[] = Object.keys(mediaTypes),
): Promise<ServedFile> {
  const file = await confined(root, path);
  const mediaType = file && kinds.includes(extname(file)) ? mediaTypes[extname(file)] : undefined;
  const found = file && mediaType ? await describe(file) : null;
  if (!file || !mediaType || !found) throw new CalibronError('not_found', 'There is no such file.');
  return { name: basename(file), mediaType, ...found, content: () => createReadStream(file) };
}

/** The real path of a file inside the root; null when it is outside or not there. */
async function confined(root: string, path: string): Promise<string | null> {
  if (path.includes('\0')) return null;
  try {
    const realRoot = await realpath(root);
    const file = await realpath(resolve(realRoot, path));
    const inside = relative(realRoot, file);
    const outside = inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside);
    return outside ? null : file;
  } catch {
    return null; // no such path, a loop of links, a name too long: all are "no such file"
  }
}

async function describe(file: string): Promise<{ size: number; etag: string } | null> {
  const stats = await stat(file).catch(() => null);
  if (!stats?.isFile()) return null;
  return { size: stats.size, etag: `"${stats.size.toString(36)}-${Math.trunc(stats.mtimeMs).toString(36)}"` };
}
