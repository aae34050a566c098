import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** File in DATA_DIR in which `npm start` says how far it is with downloading or building Temporal. */
const FILE = 'temporal-progress.txt';
/** Maximum number of bytes of a message that is shown. */
const LONGEST = 500;
/** Age in milliseconds from which a message is that of a start that has ended. */
const OUTDATED = 10 * 60_000;

/** Keeps the message for the API, which serves meanwhile. A failure to write it is no reason to stop. */
export async function writeStartProgress(dataDirectory: string, message: string): Promise<void> {
  await writeFile(join(dataDirectory, FILE), message).catch(() => {});
}

export async function clearStartProgress(dataDirectory: string): Promise<void> {
  await rm(join(dataDirectory, FILE), { force: true }).catch(() => {});
}

/** How far a start is with Temporal, as a message; null if none is preparing it. */
export async function readStartProgress(dataDirectory: string, now = Date.now()): Promise<string | null> {
  const file = join(dataDirectory, FILE);
  try {
    const { size, mtimeMs } = await stat(file);
    if (size > LONGEST || now - mtimeMs > OUTDATED) return null;
    return (await readFile(file, 'utf8')).trim() || null;
  } catch {
    return null;
  }
}
