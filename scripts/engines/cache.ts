import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { withLock } from './locks.ts';
import { noReport, type Report } from './types.ts';

/** Nothing can be stored in the cache. The message names the setting for another directory. */
export class UnusableCache extends Error {
  override readonly name = 'UnusableCache';
}

/** Cache directory for engines: per user, outside the repository. */
export function cacheRoot(environment: NodeJS.ProcessEnv = process.env): string {
  if (environment.CALIBRON_CACHE) {
    return environment.CALIBRON_CACHE;
  }
  return join(environment.XDG_CACHE_HOME || join(home(), '.cache'), 'calibron');
}

/** @throws if the user has no home directory, such as a user of a container without an entry in passwd */
function home(): string {
  try {
    return homedir();
  } catch (thrown) {
    throw new UnusableCache(
      'This user has no home directory. Set CALIBRON_CACHE to a directory for the engines.',
      {
        cause: thrown,
      },
    );
  }
}

/** Errors of a directory that cannot be written to. */
const NOT_WRITABLE = ['EACCES', 'EPERM', 'EROFS'];

async function makeWritable(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true });
    await access(directory, constants.W_OK);
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && NOT_WRITABLE.includes(String(thrown.code))))
      throw thrown;
    throw new UnusableCache(
      `The directory ${directory} cannot be written to. Set CALIBRON_CACHE to a directory that can, for the engines.`,
      { cause: thrown },
    );
  }
}

/** Whether the path exists. */
export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/**
 * The directory `entry`, filled by `fill` if it does not exist yet. It appears atomically. If several processes need it,
 * one fills it and the others wait.
 */
export async function cachedDirectory(
  entry: string,
  fill: (directory: string) => Promise<void>,
  report: Report = noReport,
): Promise<string> {
  if (await exists(entry)) {
    return entry;
  }
  await makeWritable(dirname(entry));
  const wait = () => report(`waiting for another process that prepares ${basename(entry)}`);
  return withLock(
    `${entry}.lock`,
    async () => {
      if (await exists(entry)) {
        return entry;
      }
      await removeLeftovers(entry);
      const draft = `${entry}.draft-${randomUUID()}`;
      await mkdir(draft, { recursive: true });
      try {
        await fill(draft);
        await rename(draft, entry);
      } finally {
        await rm(draft, { recursive: true, force: true });
      }
      return entry;
    },
    wait,
  );
}

/** Removes what a process that died while filling left. No other process writes there while we hold the lock. */
async function removeLeftovers(entry: string): Promise<void> {
  const prefix = `${basename(entry)}.draft-`;
  for (const name of await readdir(dirname(entry))) {
    if (name.startsWith(prefix)) {
      await rm(join(dirname(entry), name), { recursive: true, force: true });
    }
  }
}
