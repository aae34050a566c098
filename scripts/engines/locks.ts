import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, ownIdentity, type ProcessIdentity } from './pids.ts';

const RETRY_MS = 100;

/**
 * Runs `body` while this process exclusively holds the lock file at `path`. A lock of a dead process is taken over.
 * `onWait` is called once, with the holder, if another process holds the lock.
 */
export async function withLock<T>(
  path: string,
  body: () => Promise<T>,
  onWait?: (holder: ProcessIdentity) => void,
): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  const release = await acquire(path, onWait);
  try {
    return await body();
  } finally {
    await release();
  }
}

async function acquire(
  path: string,
  onWait?: (holder: ProcessIdentity) => void,
): Promise<() => Promise<void>> {
  // A temporary file is linked into place, so that a lock always contains its holder.
  const mine = `${path}.${randomUUID()}`;
  const text = JSON.stringify({ ...ownIdentity(), id: randomUUID() });
  await writeFile(mine, text);
  try {
    let isReported = false;
    while (!(await linked(mine, path))) {
      const held = await readFile(path, 'utf8').catch(() => null);
      if (held === null) {
        continue;
      }
      const holder = holderIn(held);
      if (holder === null || !isRunning(holder)) {
        await breakLock(path, held);
        continue;
      }
      if (!isReported) {
        isReported = true;
        onWait?.(holder);
      }
      await sleep(RETRY_MS);
    }
  } finally {
    await rm(mine, { force: true });
  }
  return async () => {
    if ((await readFile(path, 'utf8').catch(() => null)) === text) {
      await rm(path, { force: true });
    }
  };
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
      return false;
    }
    throw error;
  }
}

/** Removes the lock of a dead process. Restores it if another process has taken the lock meanwhile. */
async function breakLock(path: string, dead: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  if ((await readFile(aside, 'utf8')) !== dead) {
    await link(aside, path).catch(() => {});
  }
  await rm(aside, { force: true });
}

function holderIn(text: string): ProcessIdentity | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && 'pid' in value && 'startTime' in value) {
      const { pid, startTime } = value;
      if (typeof pid === 'number' && (typeof startTime === 'string' || startTime === null)) {
        return { pid, startTime };
      }
    }
  } catch {
    // An unreadable lock has no holder.
  }
  return null;
}
