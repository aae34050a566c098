import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A log larger than this number of bytes is renamed to `<name>.log.1` when its process starts. */
const LARGEST_LOG = 10 * 1024 * 1024;

/** Processes that `npm start` always runs. */
export const serviceNames = ['temporal', 'mongodb', 'api', 'worker'] as const;
/** These, the instrument of the demonstration, and the updater if SYSTEM_UPDATES is on. */
export const possibleServices = [...serviceNames, 'instrument', 'updater'] as const;
export type ServiceName = (typeof possibleServices)[number];
/** Services that run our own programs. */
export type ProgramName = Extract<ServiceName, 'api' | 'worker' | 'instrument' | 'updater'>;

/** Directory in a data directory while a backup is being restored to it, or if a restore was cut off. */
export const RESTORING = '.restoring';

/** Paths of a data directory. All are below `root`. */
export interface DataDirectory {
  root: string;
  /** Processes with pids and ports. */
  stateFile: string;
  /** Lock file held by the running `npm start`. */
  lockFile: string;
  /** Holder of the lock and its current phase. */
  holderFile: string;
  temporalFile: string;
  mongoDirectory: string;
  /** Password of the store's user. */
  storePasswordFile: string;
  /** Token that Temporal's web interface asks for. */
  uiTokenFile: string;
  logDirectory: string;
  /** Digest of the release that served the data last. */
  releaseFile: string;
}

export function dataDirectoryAt(root: string): DataDirectory {
  return {
    root,
    stateFile: join(root, 'engines.json'),
    lockFile: join(root, 'start.lock'),
    holderFile: join(root, 'start.json'),
    temporalFile: join(root, 'temporal', 'temporal.db'),
    mongoDirectory: join(root, 'mongodb'),
    storePasswordFile: join(root, 'store-password'),
    uiTokenFile: join(root, 'temporal-ui-token'),
    logDirectory: join(root, 'logs'),
    releaseFile: join(root, 'release'),
  };
}

/** The log file for a process that is about to start. */
export function logFileOf(directory: DataDirectory, name: ServiceName): string {
  mkdirSync(directory.logDirectory, { recursive: true });
  const file = join(directory.logDirectory, `${name}.log`);
  if (existsSync(file) && statSync(file).size > LARGEST_LOG) renameSync(file, `${file}.1`);
  return file;
}
