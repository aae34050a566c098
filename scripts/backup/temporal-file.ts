import { constants } from 'node:fs';
import { copyFile, open, rm, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { BackupProblem } from './problem.ts';

/** The database and its write-ahead log. */
export const TEMPORAL_FILES = ['temporal.db', 'temporal.db-wal'] as const;

/** Bytes at the beginning of a write-ahead log; they contain two random numbers that change when the log is restarted. */
const WAL_HEADER = 32;
const ATTEMPTS = 40;
const PAUSE_MS = 250;

/**
 * Copies Temporal's SQLite database while it is in use. The database is in WAL mode: its pages change only at a checkpoint, which
 * copies them from the log, and the log keeps these pages until it is restarted. A copy of the database and then of its log is
 * therefore consistent if the log was not restarted in between: pages in the copied log replace those of the copied database.
 * The copy is in the state that a kill would leave, which SQLite recovers when it opens the database.
 * @param from path of the database; the log is beside it
 * @param to path of the copy, which must not exist
 */
export async function copyTemporalFile(from: string, to: string): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const before = await walHeader(from);
    await copy(from, to);
    const hasLog = await copy(`${from}-wal`, `${to}-wal`);
    const after = await walHeader(from);
    // If there was no log before, a log that appeared meanwhile has not changed the database yet.
    if (before === after && (hasLog || before === null)) return;
    await Promise.all([rm(to, { force: true }), rm(`${to}-wal`, { force: true })]);
    await sleep(PAUSE_MS);
  }
  throw new BackupProblem(
    `Temporal's database ${from} changes too fast to be copied. Make the backup when fewer runs are open.`,
  );
}

/** @returns whether there was a file */
async function copy(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    return true;
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return false;
    throw thrown;
  }
}

/** The header of the log; null if there is none or it is empty. */
async function walHeader(database: string): Promise<string | null> {
  const path = `${database}-wal`;
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size < WAL_HEADER) return null;
  const file = await open(path, 'r');
  try {
    const header = Buffer.alloc(WAL_HEADER);
    await file.read(header, 0, WAL_HEADER, 0);
    return header.toString('hex');
  } finally {
    await file.close();
  }
}
