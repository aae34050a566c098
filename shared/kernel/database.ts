import { setTimeout as sleep } from 'node:timers/promises';
import {
  BSON,
  type Db,
  type IndexDescription,
  MongoBulkWriteError,
  MongoClient,
  type MongoClientOptions,
  MongoError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerClosedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
} from 'mongodb';
import './closed-connections.ts';

export type { Db };

/** Indexes of one collection. Each store declares its own. */
export interface CollectionIndexes {
  collection: string;
  indexes: readonly (IndexDescription & { name: string })[];
}

export interface Database {
  db: Db;
  client: MongoClient;
  /** True when the server stores a document within two seconds. Asked more often than once a second, answers as before. */
  ping(): Promise<boolean>;
  /** Another client of the same server, for commands that may take any time; the caller closes it. */
  withoutTimeout(): MongoClient;
  close(): Promise<void>;
}

/** Connects to a MongoDB-protocol server. Operations give up after 5 s without a server. */
export async function connectDatabase(
  uri: string,
  name: string,
  options: { monitorCommands?: boolean } = {},
): Promise<Database> {
  const clientOptions: MongoClientOptions = {
    appName: 'calibron',
    serverSelectionTimeoutMS: 5000,
    connectTimeoutMS: 5000,
    socketTimeoutMS: 30_000,
    // The driver repeats a write whose answer was lost where the server can tell that it is the same one: in a replica set.
    retryWrites: true,
    // Set here, so that no address can weaken them: an acknowledged write, and a lock that was read, outlast a failover.
    writeConcern: { w: 'majority', journal: true },
    readConcernLevel: 'majority',
    readPreference: 'primary',
    ignoreUndefined: true,
    monitorCommands: options.monitorCommands ?? false,
  };
  const client = new MongoClient(uri, clientOptions);
  await client.connect();
  const db = client.db(name);
  return {
    db,
    client,
    ping: atMostOnceASecond(async () => {
      try {
        // A server whose storage has failed still answers the command ping.
        const mark = db.collection<{ _id: string }>('readiness');
        const written = { $set: { written_at: new Date() } };
        const stored = mark.updateOne({ _id: 'store' }, written, { upsert: true }).then(() => true);
        return await Promise.race([stored, sleep(2000, false, { ref: false })]);
      } catch (thrown) {
        // Another process wrote it first.
        return isDuplicateKey(thrown);
      }
    }),
    withoutTimeout: () => new MongoClient(uri, { ...clientOptions, socketTimeoutMS: 0 }),
    close: () => client.close(),
  };
}

/** Anybody may ask whether the service is ready; each answer serves all who ask within a second. */
function atMostOnceASecond(ask: () => Promise<boolean>): () => Promise<boolean> {
  let asked: { at: number; answer: Promise<boolean> } | undefined;
  return () => {
    if (!asked || performance.now() - asked.at > 1000) asked = { at: performance.now(), answer: ask() };
    return asked.answer;
  };
}

/** Server errors of a store that is choosing a new primary, shutting down, or lost a cursor (43) by a restart. */
const passingServerErrors = new Set([6, 7, 43, 89, 91, 189, 9001, 10107, 11600, 11602, 13435, 13436]);

/** True for errors that mean the store cannot be reached at the moment. */
export function isStoreUnavailable(thrown: unknown): boolean {
  if (!(thrown instanceof MongoError)) return false;
  return (
    thrown instanceof MongoNetworkError ||
    thrown instanceof MongoServerSelectionError ||
    thrown instanceof MongoNotConnectedError ||
    thrown instanceof MongoTopologyClosedError ||
    thrown instanceof MongoServerClosedError ||
    // The driver does not export its class.
    thrown.name === 'MongoPoolClosedError' ||
    thrown.hasErrorLabel('PoolClearedError') ||
    passingServerErrors.has(Number(thrown.code))
  );
}

/** Server errors over what a document holds: its form, its depth, its size. */
const unstorableServerErrors = new Set([9, 15, 22, 10334, 17280]);

/** True for what no store can ever hold: it is refused however often it is written. */
export function isUnstorable(thrown: unknown): boolean {
  if (BSON.BSONError.isBSONError(thrown)) return true;
  // The driver calls itself for each level of a document, down to the end of the stack.
  if (thrown instanceof RangeError) return true;
  return thrown instanceof MongoServerError && unstorableServerErrors.has(Number(thrown.code));
}

const DUPLICATE_KEY = 11000;

/** True for a write that a unique index refused. */
export function isDuplicateKey(thrown: unknown): boolean {
  return thrown instanceof MongoServerError && thrown.code === DUPLICATE_KEY;
}

/** Which documents of an unordered insert had a key that is taken; null where anything else went wrong, too. */
export function duplicatesOf(thrown: unknown): Set<number> | null {
  if (!(thrown instanceof MongoBulkWriteError)) return null;
  const errors = Array.isArray(thrown.writeErrors) ? thrown.writeErrors : [thrown.writeErrors];
  const onlyThese = errors.length > 0 && errors.every(({ code }) => code === DUPLICATE_KEY);
  return onlyThese ? new Set(errors.map(({ index }) => index)) : null;
}

/** Runs an upsert; two concurrent upserts of one new key may collide, the second try then finds it. */
export async function retryDuplicateKey<T>(upsert: () => Promise<T>): Promise<T> {
  try {
    return await upsert();
  } catch (thrown) {
    if (isDuplicateKey(thrown)) return upsert();
    throw thrown;
  }
}
