import { randomUUID } from 'node:crypto';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { diskProblemOf } from './disk-errors.ts';
import { messageOf } from './errors.ts';

/** Milliseconds for which what was seen of a disk counts. */
const SEEN_FOR = 2000;
/** Free inodes that a measurement starts with; it makes a handful of files. */
const INODE_RESERVE = 500;
/** Bytes of the file that is written to see whether the disk takes any: more than a file system keeps inside an inode. */
const PROBE = new Uint8Array(8192);
const MIB = 1024 * 1024;

/** A directory that must be writable. */
export interface WatchedDirectory {
  path: string;
  /** What it is for: figures and raw data. */
  title: string;
}

/** What is left on the disk of a directory. */
export interface RoomLeft {
  freeBytes: number;
  totalBytes: number;
  /** Both 0 where the file system has no fixed number of inodes. */
  freeInodes: number;
  totalInodes: number;
}

/** The system calls, which tests replace. */
export interface DiskCalls {
  room(path: string): Promise<RoomLeft>;
  /** Writes a small file and removes it. */
  probe(path: string): Promise<void>;
}

export type DiskSpace = ReturnType<typeof createDiskSpace>;

/**
 * Watches whether there is space for new measurements. A directory that is missing, or that this process may not write to for
 * another reason, is not a shortage: work that uses it fails with its own error.
 */
export function createDiskSpace({
  directories,
  reserveBytes,
  calls = systemCalls,
  now = () => performance.now(),
}: {
  directories(): Promise<readonly WatchedDirectory[]>;
  /** A measurement starts only if this many bytes are free. */
  reserveBytes: number;
  calls?: DiskCalls;
  now?: () => number;
}) {
  let seen: { at: number; problem: string | null } | null = null;
  let looking: Promise<string | null> | null = null;

  async function lookAt({ path, title }: WatchedDirectory): Promise<string | null> {
    const disk = `the disk of ${title} (${path})`;
    let room: RoomLeft;
    try {
      room = await calls.room(path);
    } catch {
      return null;
    }
    const { freeBytes, freeInodes, totalInodes } = room;
    if (freeBytes < reserveBytes) {
      return `${disk} has ${mib(freeBytes)} MiB left, and a measurement starts with ${mib(reserveBytes)} MiB (DISK_RESERVE_MIB)`;
    }
    if (totalInodes > 0 && freeInodes < INODE_RESERVE) {
      return `${disk} has room for ${freeInodes} more files, and a measurement starts with ${INODE_RESERVE}`;
    }
    try {
      await calls.probe(path);
    } catch (thrown) {
      const problem = diskProblemOf(messageOf(thrown));
      return problem && `${disk} ${problem}`;
    }
    return null;
  }

  async function lookAtAll(): Promise<string | null> {
    const problems = await Promise.all((await directories()).map(lookAt));
    return problems.find((problem) => problem !== null) ?? null;
  }

  return {
    /** Why no new measurement may start, as a message without its period; null if there is space. */
    shortage(): Promise<string | null> {
      if (seen && now() - seen.at < SEEN_FOR) return Promise.resolve(seen.problem);
      looking ??= lookAtAll()
        .then((problem) => {
          seen = { at: now(), problem };
          return problem;
        })
        .finally(() => {
          looking = null;
        });
      return looking;
    },
  };
}

const systemCalls: DiskCalls = {
  room: roomOf,
  async probe(path) {
    const file = join(path, `.${randomUUID()}.space`);
    try {
      await writeFile(file, PROBE, { flag: 'wx' });
    } finally {
      await rm(file, { force: true });
    }
  },
};

/** What is left on the disk of a directory. */
export async function roomOf(path: string): Promise<RoomLeft> {
  const { bsize, blocks, bavail, files, ffree } = await statfs(path);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize, freeInodes: ffree, totalInodes: files };
}

function mib(bytes: number): number {
  return Math.floor(bytes / MIB);
}
