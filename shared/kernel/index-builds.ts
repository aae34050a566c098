import { setTimeout as sleep } from 'node:timers/promises';
import { type Collection, MongoServerError } from 'mongodb';
import semver from 'semver';
import {
  type CollectionIndexes,
  type Database,
  type Db,
  isDuplicateKey,
  isStoreUnavailable,
} from './database.ts';
import { messageOf } from './errors.ts';
import { inParallel } from './in-parallel.ts';
import { type IndexPlan, onlyAdditions, planIndexes } from './index-plan.ts';
import { SERVICE_VERSION } from './service-version.ts';
import { createStoreLock } from './store-lock.ts';

const LISTS_AT_ONCE = 10;
const REPORT_EVERY = 10_000;
/** Milliseconds between checks of another process's builds, and after a transient failure. */
const LOOK_EVERY = 500;

const NAMESPACE_NOT_FOUND = 26;
const INDEX_NOT_FOUND = 27;

const BUILDS = 'index_builds';
const LOCK_ID = 'indexes';

/** The single document that coordinates the builds of all processes. */
interface BuildDocument {
  _id: typeof LOCK_ID;
  /** The newest release that has prepared the indexes. */
  release?: string | null;
}

export interface EnsureIndexesOptions {
  /** Called every ten seconds with a description of what is being built or waited for. */
  report?: (message: string) => void;
  /** Release of this process. */
  release?: string;
  /** Ends the wait. Builds on the server continue. */
  signal?: AbortSignal;
}

/**
 * Creates, changes and drops indexes until they match the declarations in the code. A changed index is built beside the old
 * one, which is dropped afterwards. Undeclared indexes are dropped. One process does this at a time; the others wait until
 * the indexes exist. A release older than the newest one that has run here drops nothing, so that both can run side by side
 * during a deploy.
 * @throws the server's error for an index that it cannot build, such as a unique index over duplicate values
 */
export async function ensureIndexes(
  database: Pick<Database, 'db' | 'withoutTimeout'>,
  declared: readonly CollectionIndexes[],
  options: EnsureIndexesOptions = {},
): Promise<void> {
  const { db } = database;
  const { release = SERVICE_VERSION, report = () => {}, signal } = options;
  const builds = db.collection<BuildDocument>(BUILDS);
  const lock = createStoreLock(db, BUILDS, LOCK_ID);
  const waitingSince = Date.now();
  let reportedAt = waitingSince;
  for (;;) {
    signal?.throwIfAborted();
    try {
      const plans = await plansOf(db, declared, await isEarlier(builds, release));
      if (plans.length === 0) return await rememberRelease(builds, release);
      // Losing the lock does no harm: two concurrent builders would only wait for each other in the server.
      const hasBuilt = await lock.runLocked(() =>
        withoutTimeout(database, (patient) => carryOut(patient, plans, report)),
      );
      if (hasBuilt) continue;
    } catch (thrown) {
      if (!isStoreUnavailable(thrown)) throw thrown;
      report(`the database did not answer while indexes were prepared: ${messageOf(thrown)}`);
    }
    if (Date.now() - reportedAt >= REPORT_EVERY) {
      reportedAt = Date.now();
      report(`waiting for indexes that another process builds, ${secondsSince(waitingSince)} s so far`);
    }
    await sleep(LOOK_EVERY, undefined, { signal });
  }
}

/** What {@link ensureIndexes} would change, as a message for each collection. Changes nothing. */
export async function indexChanges(db: Db, declared: readonly CollectionIndexes[]): Promise<string[]> {
  const plans = await plansOf(db, declared, false);
  return plans.map(({ collection, build, lifetimes, dropFirst, dropLast }) => {
    const parts = [
      ['builds', build.map(({ name }) => name)],
      ['changes', lifetimes.map(({ name }) => name)],
      ['drops', [...dropFirst, ...dropLast]],
    ] as const;
    const done = parts.flatMap(([verb, names]) => (names.length > 0 ? `${verb} ${names.join(', ')}` : []));
    return `Indexes of ${collection}: this release ${done.join('; ')}.`;
  });
}

async function plansOf(
  db: Db,
  declared: readonly CollectionIndexes[],
  isEarlierRelease: boolean,
): Promise<IndexPlan[]> {
  const plans: IndexPlan[] = [];
  await inParallel(LISTS_AT_ONCE, declared, async (collection) => {
    const plan = planIndexes(collection, await indexesOf(db, collection.collection));
    const allowed = plan && isEarlierRelease ? onlyAdditions(plan) : plan;
    if (allowed) plans.push(allowed);
  });
  return plans;
}

async function indexesOf(db: Db, collection: string) {
  try {
    return await db.collection(collection).listIndexes().toArray();
  } catch (thrown) {
    if (thrown instanceof MongoServerError && thrown.code === NAMESPACE_NOT_FOUND) return [];
    throw thrown;
  }
}

/** Building an index over millions of documents takes minutes, during which the server does not answer. */
async function withoutTimeout(
  database: Pick<Database, 'db' | 'withoutTimeout'>,
  work: (db: Db) => Promise<void>,
): Promise<void> {
  const client = database.withoutTimeout();
  try {
    await work(client.db(database.db.databaseName));
  } finally {
    await client.close();
  }
}

async function carryOut(
  db: Db,
  plans: readonly IndexPlan[],
  report: (message: string) => void,
): Promise<void> {
  const quorum = (await isReplicaSet(db)) ? { commitQuorum: 'majority' } : {};
  for (const { collection, build, lifetimes, dropFirst, dropLast } of plans) {
    for (const { name, expireAfterSeconds } of lifetimes) {
      await db.command({ collMod: collection, index: { name, expireAfterSeconds } });
    }
    for (const name of dropFirst) await drop(db, collection, name);
    if (build.length > 0) {
      const names = build.map(({ name }) => name).join(', ');
      // Majority, because with the default a single unavailable member would block the build until it is back.
      const command = { createIndexes: collection, indexes: [...build], ...quorum };
      await reporting(`indexes of ${collection} are being built: ${names}`, report, () =>
        db.command(command),
      );
    }
    for (const name of dropLast) await drop(db, collection, name);
  }
}

async function isReplicaSet(db: Db): Promise<boolean> {
  return (await db.command({ hello: 1 }))['setName'] !== undefined;
}

async function drop(db: Db, collection: string, name: string): Promise<void> {
  try {
    await db.command({ dropIndexes: collection, index: name });
  } catch (thrown) {
    const isGone = thrown instanceof MongoServerError && thrown.code === INDEX_NOT_FOUND;
    if (!isGone) throw thrown;
  }
}

async function reporting(
  message: string,
  report: (message: string) => void,
  work: () => Promise<unknown>,
): Promise<void> {
  const since = Date.now();
  const timer = setInterval(() => report(`${message} (${secondsSince(since)} s so far)`), REPORT_EVERY);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  if (Date.now() - since >= REPORT_EVERY) report(`${message}: done after ${secondsSince(since)} s`);
}

function secondsSince(since: number): number {
  return Math.round((Date.now() - since) / 1000);
}

async function isEarlier(builds: Collection<BuildDocument>, release: string): Promise<boolean> {
  const known = (await builds.findOne({ _id: LOCK_ID }))?.release;
  return typeof known === 'string' && semver.compare(release, known) < 0;
}

async function rememberRelease(builds: Collection<BuildDocument>, release: string): Promise<void> {
  const known = (await builds.findOne({ _id: LOCK_ID }))?.release;
  if (typeof known === 'string' && semver.compare(release, known) <= 0) return;
  try {
    await builds.updateOne({ _id: LOCK_ID, release: known ?? null }, { $set: { release } }, { upsert: true });
  } catch (thrown) {
    // Meanwhile another process has written a release.
    if (!isDuplicateKey(thrown)) throw thrown;
  }
}
