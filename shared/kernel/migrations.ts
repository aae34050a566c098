import { setTimeout as sleep } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import semver from 'semver';
import { type Database, type Db, isDuplicateKey, isStoreUnavailable } from './database.ts';
import { messageOf } from './errors.ts';
import { INSTALLATION_COLLECTION } from './installation/store.ts';
import { SERVICE_VERSION } from './service-version.ts';
import { createStoreLock } from './store-lock.ts';

/** Collections of the installation as a whole: what was migrated, and the version record with the lock. */
export const MIGRATION_COLLECTIONS = { executed: 'store_migrations', version: 'store_version' } as const;

/** Collection with a document while a copy or a restore to the database is unfinished. */
export const UNFINISHED_COPY = 'unfinished_copy';

const VERSION_ID = 'store';
const REPORT_EVERY = 10_000;
/** Milliseconds between checks of another process's migrations, and after a transient failure. */
const LOOK_EVERY = 500;

interface CommonMigration {
  /** Permanent name, unique among all migrations. */
  name: string;
  /** First release that has this migration. */
  release: string;
  /**
   * Changes the stored data. Executed once, but started again if its process dies or loses the lock, so what has been
   * done already must be skipped. Uses collections directly, because the code of an area changes with later releases.
   * @param lost aborted if another process has taken the lock over
   */
  run(lost: AbortSignal): Promise<void>;
}

/** Adds to stored data what a release needs. Earlier releases continue to work with the data. */
interface ExpandingMigration extends CommonMigration {
  phase: 'expand';
}

/** Removes or changes what an earlier release uses. Releases without this migration then refuse the store. */
interface ContractingMigration extends CommonMigration {
  phase: 'contract';
  /** The expanding migration that it completes, from an earlier release; null for data from before 1.0.0. */
  completes: string | null;
}

export type Migration = ExpandingMigration | ContractingMigration;

interface ExecutedMigration {
  _id: string;
  phase: Migration['phase'];
  /** Release that executed it. */
  release: string;
  executed_at: Date;
}

/** The version record. Its document is also the lock. */
interface VersionDocument {
  _id: typeof VERSION_ID;
  /** The newest release that has migrated the store. */
  release?: string | null;
}

/** The store cannot be used by this release. The message explains what to do. */
export class StoreNotMigrated extends Error {
  override readonly name = 'StoreNotMigrated';
}

export interface MigrateOptions {
  /** Called with a description of what is migrated or waited for. */
  report?: (message: string) => void;
  /** Release of this process. */
  release?: string;
  /** Ends the wait. */
  signal?: AbortSignal;
  /** For the restore itself, which prepares the store before it is finished. */
  mayBeUnfinished?: boolean;
}

/**
 * Executes the migrations that the store lacks, in their order. One process does so at a time; the others wait until the store
 * is migrated.
 * @throws StoreNotMigrated if a newer release has changed the store, if a migration fails, or on an unfinished restore
 */
export async function migrateStore(
  { db }: Pick<Database, 'db'>,
  migrations: readonly Migration[],
  options: MigrateOptions = {},
): Promise<void> {
  const { release = SERVICE_VERSION, report = () => {}, signal, mayBeUnfinished = false } = options;
  const executed = db.collection<ExecutedMigration>(MIGRATION_COLLECTIONS.executed);
  const versions = db.collection<VersionDocument>(MIGRATION_COLLECTIONS.version);
  const lock = createStoreLock(db, MIGRATION_COLLECTIONS.version, VERSION_ID);
  const waitingSince = Date.now();
  let reportedAt = waitingSince;
  for (;;) {
    signal?.throwIfAborted();
    try {
      if (!mayBeUnfinished) await refuseUnfinished(db);
      const known = await executed.find().toArray();
      refuseNewer(known, migrations, release);
      if (migrations.every(({ name }) => known.some(({ _id }) => _id === name)))
        return await rememberRelease(versions, release);
      const hasData = await holdsData(db);
      const hasRun = await lock.runLocked((lost) =>
        execute({ executed, migrations, release, report, lost, hasData }),
      );
      if (hasRun) continue;
    } catch (thrown) {
      if (!isStoreUnavailable(thrown)) throw thrown;
      report(`the database did not answer while it was migrated: ${messageOf(thrown)}`);
    }
    if (Date.now() - reportedAt >= REPORT_EVERY) {
      reportedAt = Date.now();
      const seconds = Math.round((reportedAt - waitingSince) / 1000);
      report(`waiting for migrations that another process executes, ${seconds} s so far`);
    }
    await sleep(LOOK_EVERY, undefined, { signal });
  }
}

/** @throws StoreNotMigrated if a newer release has changed the store, or on an unfinished restore. Migrates nothing. */
export async function checkStoreVersion(
  db: Db,
  migrations: readonly Migration[],
  release = SERVICE_VERSION,
): Promise<void> {
  await refuseUnfinished(db);
  const executed = db.collection<ExecutedMigration>(MIGRATION_COLLECTIONS.executed);
  refuseNewer(await executed.find().toArray(), migrations, release);
}

async function refuseUnfinished(db: Db): Promise<void> {
  const mark = await db.collection<{ _id: string }>(UNFINISHED_COPY).findOne();
  if (!mark) return;
  const command = mark._id === 'restore' ? 'npm run restore' : 'npm run store';
  throw new StoreNotMigrated(
    `The database ${db.databaseName} is not complete: \`${command}\` to it was not finished. Run it again.`,
  );
}

function refuseNewer(
  executed: readonly ExecutedMigration[],
  migrations: readonly Migration[],
  release: string,
): void {
  const names = new Set(migrations.map(({ name }) => name));
  const foreign = executed.find(({ _id, phase }) => phase === 'contract' && !names.has(_id));
  if (!foreign) return;
  throw new StoreNotMigrated(
    `Calibron ${foreign.release} has changed the stored data (${foreign._id}), and Calibron ${release} cannot use it. ` +
      `Start Calibron ${foreign.release} or later, or restore the backup from before the update.`,
  );
}

async function execute({
  executed,
  migrations,
  release,
  report,
  lost,
  hasData,
}: {
  executed: Collection<ExecutedMigration>;
  migrations: readonly Migration[];
  release: string;
  report: (message: string) => void;
  lost: AbortSignal;
  /** In a new store the migrations find nothing, so they are not reported. */
  hasData: boolean;
}): Promise<void> {
  // Loaded on demand, because few starts migrate and the package brings a command line of its own.
  const { MigrationError, Umzug } = await import('umzug');
  const byName = new Map(migrations.map((migration) => [migration.name, migration]));
  const umzug = new Umzug({
    migrations: migrations.map(({ name, run }) => ({
      name,
      async up() {
        lost.throwIfAborted();
        if (hasData) report(`the stored data is being migrated: ${name}`);
        await run(lost);
      },
    })),
    storage: {
      async executed() {
        const known = await executed.find().toArray();
        refuseNewer(known, migrations, release);
        return known.map(({ _id }) => _id);
      },
      async logMigration({ name }) {
        const phase = byName.get(name)?.phase ?? 'expand';
        await executed
          .insertOne({ _id: name, phase, release, executed_at: new Date() })
          .catch((thrown: unknown) => {
            if (!isDuplicateKey(thrown)) throw thrown;
          });
      },
      async unlogMigration({ name }) {
        await executed.deleteOne({ _id: name });
      },
    },
    logger: undefined,
  });
  try {
    await umzug.up();
  } catch (thrown) {
    if (!(thrown instanceof MigrationError)) throw thrown;
    // The process that took the lock over continues.
    if (lost.aborted) return;
    if (isStoreUnavailable(thrown.cause)) throw thrown.cause;
    throw new StoreNotMigrated(
      `The migration ${thrown.migration.name} failed: ${messageOf(thrown.cause)}. Fix the cause and start again; migrations before it are kept.`,
    );
  }
}

/** Whether any process has stored data. The record of migrations, its lock and the installation id do not count as data. */
async function holdsData(db: Db): Promise<boolean> {
  const own = new Set<string>([...Object.values(MIGRATION_COLLECTIONS), INSTALLATION_COLLECTION]);
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  const others = collections
    .map(({ name }) => name)
    .filter((name) => !own.has(name) && !name.startsWith('system.'));
  const found = await Promise.all(
    others.map((name) => db.collection(name).findOne({}, { projection: { _id: 1 } })),
  );
  return found.some((document) => document !== null);
}

async function rememberRelease(versions: Collection<VersionDocument>, release: string): Promise<void> {
  const known = (await versions.findOne({ _id: VERSION_ID }))?.release;
  if (typeof known === 'string' && semver.compare(release, known) <= 0) return;
  try {
    await versions.updateOne(
      { _id: VERSION_ID, release: known ?? null },
      { $set: { release } },
      { upsert: true },
    );
  } catch (thrown) {
    // Meanwhile another process has written a release.
    if (!isDuplicateKey(thrown)) throw thrown;
  }
}
