import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A log larger than this when its process starts is put aside as `<name>.log.1`. */
const LARGEST_LOG = 10 * 1024 * 1024;

/** Processes that `npm start` runs. */
export const memberNames = ['temporal', 'mongodb', 'api', 'worker'] as const;
export type MemberName = (typeof memberNames)[number];

/** Where a data directory keeps what; everything is below `root`. */
export interface Place {
  root: string;
  /** Processes with pids and ports. */
  stateFile: string;
  /** Held by the `npm start` that runs here. */
  lockFile: string;
  /** Who holds the lock, and what it is doing. */
  holderFile: string;
  temporalFile: string;
  mongoDirectory: string;
  logDirectory: string;
}

export function placeAt(root: string): Place {
  return {
    root,
    stateFile: join(root, 'engines.json'),
    lockFile: join(root, 'start.lock'),
    holderFile: join(root, 'start.json'),
    temporalFile: join(root, 'temporal', 'temporal.db'),
    mongoDirectory: join(root, 'mongodb'),
    logDirectory: join(root, 'logs'),
  };
}

/** The log of a process that is about to start. */
export function logFileOf(place: Place, name: MemberName): string {
  mkdirSync(place.logDirectory, { recursive: true });
  const file = join(place.logDirectory, `${name}.log`);
  if (existsSync(file) && statSync(file).size > LARGEST_LOG) renameSync(file, `${file}.1`);
  return file;
}
