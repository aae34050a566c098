import { setTimeout as sleep } from 'node:timers/promises';
import { type Collection, MongoServerError } from 'mongodb';
import {
  type CollectionIndexes,
  type Database,
  type Db,
  isDuplicateKey,
  isStoreUnavailable,
} from './database.ts';
import { messageOf } from './errors.ts';
import { newId } from './ids.ts';
import { inParallel } from './in-parallel.ts';
import { type IndexPlan, onlyAdditions, planIndexes } from './index-plan.ts';
import { SERVICE_VERSION } from './service-version.ts';

const LISTS_AT_ONCE = 10;
/** Milliseconds after which another process takes over the lock of a builder that has died. */
const LOCK_LIFETIME = 60_000;
const RENEW_EVERY = 10_000;
const REPORT_EVERY = 10_000;
/** Milliseconds between checks of another process's builds, and after a transient failure. */
const LOOK_EVERY = 500;

const NAMESPACE_NOT_FOUND = 26;
const INDEX_NOT_FOUND = 27;

/** The single document that coordinates the builds of all processes. */
interface BuildLock {
  _id: 'indexes';
  holder?: string | null;
  expires_at?: Date | null;
  /** The newest release that has prepared the indexes. */
  release?: string | null;
}

export interface EnsureIndexesOptions {
  /** Called every ten seconds with a description of what is being built or waited for. */
  report?: (sentence: string) => void;
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
  const locks = db.collection<BuildLock>('index_builds');
  const holder = newId();
  const waitingSince = Date.now();
  let reportedAt = waitingSince;
  for (;;) {
    signal?.throwIfAborted();
    try {
      const plans = await plansOf(db, declared, await isEarlier(locks, release));
      if (plans.length === 0) return await rememberRelease(locks, release);
      if (await takeLock(locks, holder)) {
        await whileRenewing(locks, holder, () =>
          withoutTimeout(database, (patient) => carryOut(patient, plans, report)),
        );
        continue;
      }
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
  report: (sentence: string) => void,
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
  sentence: string,
  report: (sentence: string) => void,
  work: () => Promise<unknown>,
): Promise<void> {
  const since = Date.now();
  const timer = setInterval(() => report(`${sentence} (${secondsSince(since)} s so far)`), REPORT_EVERY);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  if (Date.now() - since >= REPORT_EVERY) report(`${sentence}: done after ${secondsSince(since)} s`);
}

function secondsSince(since: number): number {
  return Math.round((Date.now() - since) / 1000);
}

async function takeLock(locks: Collection<BuildLock>, holder: string): Promise<boolean> {
  const now = new Date();
  const isFree = { $or: [{ holder: null }, { holder }, { expires_at: { $lt: now } }] };
  const taken = { $set: { holder, expires_at: new Date(now.getTime() + LOCK_LIFETIME) } };
  try {
    const { matchedCount, upsertedCount } = await locks.updateOne({ _id: 'indexes', ...isFree }, taken, {
      upsert: true,
    });
    return matchedCount + upsertedCount > 0;
  } catch (thrown) {
    if (isDuplicateKey(thrown)) return false;
    throw thrown;
  }
}

/** Losing the lock does no harm: two concurrent builders would only wait for each other in the server. */
async function whileRenewing(
  locks: Collection<BuildLock>,
  holder: string,
  work: () => Promise<void>,
): Promise<void> {
  const renewal = setInterval(() => {
    const expires_at = new Date(Date.now() + LOCK_LIFETIME);
    locks.updateOne({ _id: 'indexes', holder }, { $set: { expires_at } }).catch(() => {});
  }, RENEW_EVERY);
  try {
    await work();
  } finally {
    clearInterval(renewal);
    // If the store does not answer, the lock expires by itself.
    await locks.updateOne({ _id: 'indexes', holder }, { $set: { holder: null } }).catch(() => {});
  }
}

async function isEarlier(locks: Collection<BuildLock>, release: string): Promise<boolean> {
  const known = (await locks.findOne({ _id: 'indexes' }))?.release;
  return typeof known === 'string' && compareReleases(release, known) < 0;
}

async function rememberRelease(locks: Collection<BuildLock>, release: string): Promise<void> {
  const known = (await locks.findOne({ _id: 'indexes' }))?.release;
  if (typeof known === 'string' && compareReleases(release, known) <= 0) return;
  try {
    await locks.updateOne(
      { _id: 'indexes', release: known ?? null },
      { $set: { release } },
      { upsert: true },
    );
  } catch (thrown) {
    // Meanwhile another process has written a release.
    if (!isDuplicateKey(thrown)) throw thrown;
  }
}

/** Compares two release numbers such as 1.10.2. */
function compareReleases(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}
