import { createReadStream, existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { MongoClient } from 'mongodb';
import type { Settings } from '../../shared/domain/settings.ts';
import { replaceFile } from '../../shared/kernel/files/atomic-write.ts';
import { createInstallationStore } from '../../shared/kernel/installation/store.ts';
import { SERVICE_VERSION } from '../../shared/kernel/service-version.ts';
import { withLock } from '../engines/locks.ts';
import { runningAddress } from '../engines/state.ts';
import { storeKindOf } from '../engines/store-kind.ts';
import type { Report } from '../engines/types.ts';
import { dataDirectoryAt, RESTORING } from '../start/data-directory.ts';
import { runAsOnlyInstance } from '../start/single-instance.ts';
import { stopGrace } from '../start/stop-grace.ts';
import { stopAll } from '../start/stopping.ts';
import { findProgramOf, withStore } from '../store/replace-store.ts';
import {
  type Contents,
  contents,
  type FileEntry,
  FORMAT,
  fileEntry,
  listBackups,
  MANIFEST,
  type Manifest,
  UNFINISHED,
} from './contents.ts';
import { checkTemporal, isLabServer } from './engines.ts';
import { backUpFiles, entryKey, type Previous, type Root } from './files.ts';
import { keyForBackups } from './keys.ts';
import { type Piece, readText, verifyPiece, writePiece } from './pieces.ts';
import { BackupProblem } from './problem.ts';
import { outdatedBackups, type Retention } from './retention-rules.ts';
import { dumpDatabase, dumpServer, type Target } from './store-dump.ts';
import { copyTemporalFile, TEMPORAL_FILES } from './temporal-file.ts';

/** Names in DATA_DIR that are not files of the installation: engines, what can be made again, and what belongs to processes. */
const NOT_BACKED_UP = [
  'mongodb',
  'temporal',
  'cache',
  'logs',
  'engines.json',
  'engines.json.lock',
  'start.json',
  'start.lock',
  RESTORING,
];

/** Directory in a backup that is being made for engines that read copies. */
const SCRATCH = 'scratch';

export interface BackupOptions {
  /** Directory of all backups. */
  to: string;
  passphrase: string | null;
  retention: Retention;
  report: Report;
}

/** Makes a backup of an installation, which may be in use, and removes outdated ones. @returns its name */
export async function takeBackup(settings: Settings, options: BackupOptions): Promise<string> {
  const { to, report, retention } = options;
  await mkdir(to, { recursive: true, mode: 0o700 });
  return withLock(
    join(to, 'backup.lock'),
    async () => {
      const key = await keyForBackups(to, options.passphrase);
      const earlier = await listBackups(to);
      const takenAt = new Date();
      const name = takenAt.toISOString().replaceAll(/[:.]/g, '-');
      const directory = join(to, `${name}${UNFINISHED}`);
      await removeUnfinished(to);
      await mkdir(directory, { mode: 0o700 });
      const previous = await previousOf(to, earlier.at(-1), key);
      const manifest = await fill(settings, { directory, key }, { previous, takenAt, report });
      await replaceFile(join(directory, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, {
        durable: true,
      });
      await rename(directory, join(to, name));
      report(
        `${name}: ${manifest.documents} documents and ${manifest.files} files are backed up and checked`,
      );
      const all = [...earlier, { name, manifest }];
      const taken = all.map((each) => ({ name: each.name, takenAt: new Date(each.manifest.taken_at) }));
      for (const outdated of outdatedBackups(taken, retention)) {
        // A backup that is half removed must not be taken for a whole one.
        await rename(join(to, outdated), join(to, `${outdated}${UNFINISHED}`));
        await rm(join(to, `${outdated}${UNFINISHED}`), { recursive: true });
        report(`${outdated}: removed, since newer ones cover its day and week`);
      }
      return name;
    },
    ({ pid }) => {
      throw new BackupProblem(`Another backup to ${to} is being made (pid ${pid}). Wait for it.`);
    },
  );
}

/** Removes what earlier backups left that were cut off, in making or in removing. */
async function removeUnfinished(to: string): Promise<void> {
  for (const name of await readdir(to)) {
    if (!name.endsWith(UNFINISHED)) continue;
    // Engines outlive a program that is killed.
    await stopAll(dataDirectoryAt(join(to, name, SCRATCH)), 0);
    await rm(join(to, name), { recursive: true });
  }
}

interface Filling {
  previous: Previous | null;
  takenAt: Date;
  report: Report;
}

async function fill(settings: Settings, target: Target, filling: Filling): Promise<Manifest> {
  const { previous, takenAt, report } = filling;
  const { directory, key } = target;
  const entries = new Map<string, FileEntry>();
  const roots = rootsOf(settings, dirname(directory));
  for (const root of roots) await backUpFiles(root, entries, target, previous);
  report(`${entries.size} files and directories`);

  const storeFrom = new Date();
  const store = await backUpStore(settings, target, report);
  const documents = store.collections.reduce((sum, each) => sum + each.documents, 0);
  report(`${documents} documents of ${store.collections.length} collections`);
  const engine = await backUpTemporal(settings, target, report);
  const engineUntil = new Date();

  // What the store has learned of since the first look.
  for (const root of roots) await backUpFiles(root, entries, target, previous);
  const list = [...entries.values()].map((entry) => Buffer.from(`${JSON.stringify(entry)}\n`));
  const files = await writePiece(directory, 'files.jsonl', list, key);
  const inside: Contents = contents.parse({
    installation_id: store.installationId,
    store_from: storeFrom.toISOString(),
    engine_until: engineUntil.toISOString(),
    database: settings.MONGODB_DATABASE,
    one_moment: store.oneMoment,
    collections: store.collections,
    engine,
    files,
  });
  const described = await writePiece(directory, 'contents.json', [Buffer.from(JSON.stringify(inside))], key);
  const pieces = piecesOf(inside, entries.values(), described);
  for (const each of pieces) await verifyPiece(directory, each);
  return {
    format: FORMAT,
    service_version: SERVICE_VERSION,
    taken_at: takenAt.toISOString(),
    finished_at: new Date().toISOString(),
    encrypted: key !== null,
    documents,
    files: [...entries.values()].filter(({ kind }) => kind === 'file').length,
    bytes: pieces.reduce((sum, { bytes }) => sum + bytes, 0),
    contents: described,
  };
}

function piecesOf(inside: Contents, entries: Iterable<FileEntry>, described: Piece): Piece[] {
  return [
    described,
    inside.files,
    ...inside.collections.map(({ piece }) => piece),
    ...(inside.engine?.pieces ?? []),
    ...[...entries].flatMap(({ piece }) => (piece ? [piece] : [])),
  ];
}

/** The directories of an installation. One that is inside another is not backed up twice, nor is the backup itself. */
function rootsOf({ DATA_DIR, CALIB_DATA_PATH, CONFIG_PATH }: Settings, to: string): Root[] {
  const roots = [
    { name: 'data' as const, path: DATA_DIR },
    { name: 'calib_data' as const, path: CALIB_DATA_PATH },
    { name: 'config' as const, path: CONFIG_PATH },
  ];
  return roots.map((root) => {
    const others = [...roots.map(({ path }) => path), to].filter((path) => path !== root.path);
    if (to === root.path)
      throw new BackupProblem(`${to} is a directory of the installation. Choose another one.`);
    const nested = others.map((path) => relative(root.path, path)).filter((path) => !path.startsWith('..'));
    return { ...root, without: new Set([...(root.name === 'data' ? NOT_BACKED_UP : []), ...nested]) };
  });
}

type StoreBackup = { collections: Contents['collections']; installationId: string; oneMoment: boolean };

async function backUpStore(settings: Settings, target: Target, report: Report): Promise<StoreBackup> {
  const database = settings.MONGODB_DATABASE;
  const installationIdIn = async (client: MongoClient) =>
    (await createInstallationStore(client.db(database)).get()).installation_id;
  const dumpOfServer = async (client: MongoClient): Promise<StoreBackup> => {
    const { collections, oneMoment } = await dumpServer(client, database, target);
    if (!oneMoment) {
      report('this server keeps no snapshots: what is written meanwhile may be backed up in part');
    }
    return { collections, oneMoment, installationId: await installationIdIn(client) };
  };
  if (isLabServer('MONGODB_URI')) {
    const client = new MongoClient(settings.MONGODB_URI, { readPreference: 'primary' });
    try {
      return await dumpOfServer(client);
    } finally {
      await client.close();
    }
  }
  const directory = dataDirectoryAt(settings.DATA_DIR);
  const kind = await storeKindOf(directory.mongoDirectory);
  if (kind === undefined) {
    throw new BackupProblem(
      `${settings.DATA_DIR} holds no store. Set DATA_DIR, or MONGODB_URI if the store is a server.`,
    );
  }
  const source = await findProgramOf(kind, report);
  const dump = async (client: MongoClient): Promise<StoreBackup> => ({
    collections: await dumpDatabase(client.db(database), target),
    installationId: await installationIdIn(client),
    oneMoment: true,
  });
  const running = await runningAddress(directory.stateFile, 'mongodb');
  const scratch = dataDirectoryAt(join(target.directory, SCRATCH));
  const logFile = join(scratch.logDirectory, 'store.log');
  try {
    if (running === null) {
      return await runAsOnlyInstance(directory, { report, patience: 0 }, async () => {
        await stopAll(directory, stopGrace(settings));
        return withStore({ source, dataPath: directory.mongoDirectory, logFile }, dump);
      });
    }
    const client = new MongoClient(running);
    try {
      if (kind === 'mongod') return await dumpOfServer(client);
      // A copy of one moment, served by a store of its own.
      const dataPath = scratch.mongoDirectory;
      await mkdir(dataPath, { recursive: true });
      await client.db('admin').command({ calibronSnapshot: 1, to: join(dataPath, 'store.mv') });
      return await withStore({ source, dataPath, logFile }, dump);
    } finally {
      await client.close();
    }
  } finally {
    await rm(scratch.root, { recursive: true, force: true });
  }
}

async function backUpTemporal(
  settings: Settings,
  target: Target,
  report: Report,
): Promise<Contents['engine']> {
  const { temporalFile } = dataDirectoryAt(settings.DATA_DIR);
  if (isLabServer('TEMPORAL_ADDRESS') || !existsSync(temporalFile)) {
    report('Temporal is not part of this backup: back up its database now (docs/backup.md)');
    return null;
  }
  const { directory, key } = target;
  const scratch = dataDirectoryAt(join(directory, SCRATCH));
  const copies = dirname(scratch.temporalFile);
  await mkdir(copies, { recursive: true });
  try {
    await copyTemporalFile(temporalFile, scratch.temporalFile);
    const pieces: Piece[] = [];
    for (const name of TEMPORAL_FILES) {
      const file = join(copies, name);
      if (existsSync(file))
        pieces.push(await writePiece(directory, join('temporal', name), createReadStream(file), key));
    }
    // Temporal changes what it opens, so this is the last use of the copy.
    const open_workflows = await checkTemporal(
      settings,
      scratch.temporalFile,
      join(scratch.logDirectory, 'temporal.log'),
    );
    report(`Temporal's database, which has ${open_workflows} open workflows`);
    return { namespace: settings.TEMPORAL_NAMESPACE, open_workflows, pieces };
  } finally {
    await rm(scratch.root, { recursive: true, force: true });
  }
}

async function previousOf(
  to: string,
  newest: { name: string; manifest: Manifest } | undefined,
  key: Buffer | null,
): Promise<Previous | null> {
  if (!newest || newest.manifest.encrypted !== (key !== null)) return null;
  const directory = join(to, newest.name);
  const inside = contents.parse(JSON.parse(await readText(directory, newest.manifest.contents, key)));
  const lines = (await readText(directory, inside.files, key)).split('\n').filter((line) => line !== '');
  const entries = lines.map((line) => fileEntry.parse(JSON.parse(line)));
  return { directory, entries: new Map(entries.map((entry) => [entryKey(entry), entry])) };
}
