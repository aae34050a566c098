import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { MongoClient } from 'mongodb';
import { readSettings, type Settings } from '../../shared/domain/settings.ts';
import { findEngine } from '../engines/sources.ts';
import type { Report } from '../engines/types.ts';
import { dataDirectoryAt, RESTORING } from '../start/data-directory.ts';
import { runAsOnlyInstance } from '../start/single-instance.ts';
import { stopAll } from '../start/stopping.ts';
import { markComplete } from '../store/copy.ts';
import { withStore } from '../store/replace-store.ts';
import {
  type Contents,
  contents,
  fileEntry,
  listBackups,
  MANIFEST,
  type Manifest,
  type RootName,
} from './contents.ts';
import { isLabServer, refuseServedNamespace, withEngine, withTemporal } from './engines.ts';
import { restoreFiles } from './files.ts';
import { knownKey } from './keys.ts';
import { readPiece, readText } from './pieces.ts';
import { BackupProblem } from './problem.ts';
import { type SettledRun, settle } from './settle.ts';
import { loadDatabase, type Target } from './store-dump.ts';

/** Names that an empty directory may have: of a file system's root, and of the restore itself. */
const OF_NOBODY = new Set(['lost+found', RESTORING, 'start.lock', 'start.json']);

export interface RestoreOptions {
  /** A backup, or a directory of backups, of which the newest is taken. */
  from: string;
  passphrase: string | null;
  /** A copy that runs beside the original, rather than in its place. */
  asCopy: boolean;
  report: Report;
}

/** A backup that was found. */
interface Found {
  target: Target;
  manifest: Manifest;
  inside: Contents;
}

/**
 * Restores a backup to the directories and servers of the settings, which must be empty. Everything is put together in a directory
 * beside its place, and moved when it is whole, so a restore that was cut off is repeated from the beginning.
 * @returns the outcome of each run that was open
 * @throws BackupProblem
 */
export async function restoreBackup(settings: Settings, options: RestoreOptions): Promise<SettledRun[]> {
  const { report } = options;
  const found = await openBackup(options);
  report(`the backup of ${found.manifest.taken_at}, made by release ${found.manifest.service_version}`);
  const directory = dataDirectoryAt(settings.DATA_DIR);
  const places = [...new Set([settings.DATA_DIR, settings.CALIB_DATA_PATH, settings.CONFIG_PATH])];
  for (const place of places) await refuseUsed(place);
  if (isLabServer('TEMPORAL_ADDRESS')) await refuseServedNamespace(settings);
  return runAsOnlyInstance(directory, { report, patience: 0 }, async () => {
    // Engines outlive a restore that is killed.
    await stopAll(dataDirectoryAt(join(settings.DATA_DIR, RESTORING)), 0);
    for (const place of places) {
      await refuseUsed(place);
      await empty(place);
    }
    // Shows an unfinished restore, also while its parts are moved.
    const staging = join(settings.DATA_DIR, RESTORING);
    await mkdir(staging, { recursive: true, mode: 0o700 });
    const staged = { ...settings, ...stagedPaths(settings) };
    await writeFiles(found, staged);
    report(`${found.manifest.files} files`);
    const settled = await restoreEngines(settings, staged, found, options);
    for (const place of places) await moveIntoPlace(place);
    // Before the directories, so that no later restore takes a database in use for an unfinished one.
    if (isLabServer('MONGODB_URI')) {
      await withServer(settings, (client) => markComplete(client.db(settings.MONGODB_DATABASE)));
    }
    // The data directory first: as long as it is marked as unfinished, the whole restore is repeated.
    for (const place of places) await rm(join(place, RESTORING), { recursive: true, force: true });
    report('restored');
    return settled;
  });
}

async function openBackup({ from, passphrase }: RestoreOptions): Promise<Found> {
  const given = resolve(from);
  const isOne = existsSync(join(given, MANIFEST));
  const directory = isOne ? join(given, '..') : given;
  const all = await listBackups(directory);
  const chosen = isOne ? all.find(({ name }) => join(directory, name) === given) : all.at(-1);
  if (!chosen) throw new BackupProblem(`${given} has no finished backup.`);
  const key = await knownKey(directory, passphrase);
  const target = { directory: join(directory, chosen.name), key: chosen.manifest.encrypted ? key : null };
  const text = await readText(target.directory, chosen.manifest.contents, target.key);
  return { target, manifest: chosen.manifest, inside: contents.parse(JSON.parse(text)) };
}

/** @throws BackupProblem if a directory has content that is not of an unfinished restore */
async function refuseUsed(path: string): Promise<void> {
  const names = await namesIn(path);
  if (names.includes(RESTORING)) return;
  const used = names.filter((name) => !isOfNobody(name));
  if (used.length === 0) return;
  throw new BackupProblem(
    `${path} is in use: it has ${used.slice(0, 3).join(', ')}${used.length > 3 ? ' and more' : ''}. ` +
      'Restore to an empty directory, or move this one away.',
  );
}

/** None if there is no such directory. */
async function namesIn(path: string): Promise<string[]> {
  return existsSync(path) ? readdir(path) : [];
}

function isOfNobody(name: string): boolean {
  return OF_NOBODY.has(name) || name.startsWith('start.lock.');
}

/** Removes what an unfinished restore has left. */
async function empty(path: string): Promise<void> {
  const names = await namesIn(path);
  if (!names.includes(RESTORING)) return;
  // Last, because it allows the removal of the rest.
  for (const name of names.filter((each) => !isOfNobody(each))) {
    await rm(join(path, name), { recursive: true, force: true });
  }
  await rm(join(path, RESTORING), { recursive: true, force: true });
}

/** Where the directories are put together: each in its own file system, so that it can be moved into place. */
function stagedPaths({ DATA_DIR, CALIB_DATA_PATH, CONFIG_PATH }: Settings) {
  const staged = (path: string) => {
    const below = relative(DATA_DIR, path);
    return below.startsWith('..') ? join(path, RESTORING) : join(DATA_DIR, RESTORING, below);
  };
  return {
    DATA_DIR: join(DATA_DIR, RESTORING),
    CALIB_DATA_PATH: staged(CALIB_DATA_PATH),
    CONFIG_PATH: staged(CONFIG_PATH),
  };
}

async function writeFiles(
  { target, inside }: Found,
  { DATA_DIR, CALIB_DATA_PATH, CONFIG_PATH }: Settings,
): Promise<void> {
  const lines = (await readText(target.directory, inside.files, target.key)).split('\n');
  const entries = lines.filter((line) => line !== '').map((line) => fileEntry.parse(JSON.parse(line)));
  const roots: Record<RootName, string> = {
    data: DATA_DIR,
    calib_data: CALIB_DATA_PATH,
    config: CONFIG_PATH,
  };
  await restoreFiles(entries, roots, target);
}

/** Restores the store and Temporal, and brings both together. */
async function restoreEngines(
  settings: Settings,
  staged: Settings,
  { target, inside, manifest }: Found,
  { asCopy, report }: RestoreOptions,
): Promise<SettledRun[]> {
  const { mongoDirectory, temporalFile, logDirectory } = dataDirectoryAt(staged.DATA_DIR);
  const ownTemporal = !isLabServer('TEMPORAL_ADDRESS');
  if (ownTemporal && inside.engine) {
    await mkdir(join(temporalFile, '..'), { recursive: true });
    for (const piece of inside.engine.pieces) {
      const path = join(staged.DATA_DIR, piece.path);
      await writeFile(path, readPiece(target.directory, piece, target.key), { flag: 'wx', mode: 0o600 });
    }
  }
  const settling = {
    takenAt: manifest.taken_at,
    storeFrom: inside.store_from,
    engineUntil: inside.engine ? inside.engine_until : null,
    asCopy,
    dataRoot: staged.CALIB_DATA_PATH,
    report,
  };
  const settleWith = (mongodb: string): Promise<SettledRun[]> => {
    const addresses = {
      ...process.env,
      MONGODB_URI_FILE: '',
      MONGODB_URI: mongodb,
      TEMPORAL_ADDRESS_FILE: '',
    };
    const there = (temporal: string): Settings => ({
      ...readSettings({ ...addresses, TEMPORAL_ADDRESS: temporal }),
      ...stagedPaths(settings),
    });
    if (!ownTemporal) {
      const at = there(settings.TEMPORAL_ADDRESS);
      return withEngine(at, (engine) => settle(at, engine, settling));
    }
    const logFile = join(logDirectory, 'restore.log');
    return withTemporal(staged, { databaseFile: temporalFile, logFile }, (engine, address) =>
      settle(there(address), engine, settling),
    );
  };
  const database = settings.MONGODB_DATABASE;
  const load = async (client: MongoClient, address: string) => {
    await loadDatabase(client.db(database), inside.collections, target);
    report(`${manifest.documents} documents of ${inside.collections.length} collections`);
    return settleWith(address);
  };
  if (isLabServer('MONGODB_URI')) {
    return withServer(settings, (client) => load(client, settings.MONGODB_URI));
  }
  const source = await findEngine('mongodb', report);
  const store = { source, dataPath: mongoDirectory, logFile: join(logDirectory, 'restore.log') };
  return withStore(store, async (client, address) => {
    const settled = await load(client, address);
    await markComplete(client.db(database));
    return settled;
  });
}

/** Runs `use` with a client of the lab's MongoDB. */
async function withServer<T>(settings: Settings, use: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(settings.MONGODB_URI, { writeConcern: { w: 'majority', journal: true } });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** Moves what was put together for a directory into it. */
async function moveIntoPlace(path: string): Promise<void> {
  const staging = join(path, RESTORING);
  if (!existsSync(staging)) return;
  for (const name of await readdir(staging)) await rename(join(staging, name), join(path, name));
}
