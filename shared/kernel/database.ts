import { setTimeout as sleep } from 'node:timers/promises';
import {
  BSON,
  type Db,
  type IndexDescription,
  MongoBulkWriteError,
  MongoClient,
  MongoClientClosedError,
  type MongoClientOptions,
  MongoError,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerClosedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoStalePrimaryError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
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
  /** Calls back each time connections were lost: whatever answers next may be another server. */
  onReconnect(listener: () => void): void;
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
    onReconnect(listener) {
      client.on('connectionPoolCleared', listener);
      client.on('connectionClosed', ({ reason }) => {
        if (reason === 'error' || reason === 'stale') listener();
      });
    },
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

/** Labels by which server and driver say that the same command may succeed later. */
const PASSING_LABELS = [
  'RetryableWriteError',
  'RetryableError',
  'SystemOverloadedError',
  'TransientTransactionError',
  'PoolRequestedRetry',
  'ResetPool',
];

/** Errors of the driver that are about the way to the server, not about the command. */
const PASSING_CLASSES = [
  MongoNetworkError,
  MongoServerSelectionError,
  MongoNotConnectedError,
  MongoTopologyClosedError,
  MongoServerClosedError,
  MongoClientClosedError,
  MongoStalePrimaryError,
  MongoOperationTimeoutError,
  // The write was made, but not confirmed by a majority: a failover may take it back.
  MongoWriteConcernError,
];

/** The same, of classes that the driver does not export. */
const PASSING_NAMES = new Set([
  'MongoPoolClosedError',
  'MongoPoolClearedError',
  'MongoWaitQueueTimeoutError',
]);

/**
 * Server errors that pass although they have no such label: of a server that starts, stops or chooses a primary, that ended
 * what took too long, that lost a cursor by a restart, or that cannot have a write confirmed.
 */
const PASSING_CODES = new Set([
  6, 7, 24, 43, 46, 50, 64, 79, 89, 91, 100, 112, 133, 134, 175, 189, 202, 237, 262, 355, 365, 9001, 10107,
  11600, 11601, 11602, 13435, 13436,
]);

/**
 * What ended a command of several documents. The driver wraps it, and the wrapper has neither its class nor its name.
 * @returns null where it is no error of the driver, such as a refusal of single documents
 */
function causeOfBulk(thrown: unknown): Error | null {
  if (!(thrown instanceof MongoBulkWriteError)) return null;
  return thrown.errorResponse instanceof Error ? thrown.errorResponse : null;
}

/** True for errors that mean the store cannot be reached, or cannot serve, at the moment. */
export function isStoreUnavailable(thrown: unknown): boolean {
  if (!(thrown instanceof MongoError)) return false;
  const cause = causeOfBulk(thrown);
  return (
    (cause !== null && isStoreUnavailable(cause)) ||
    PASSING_LABELS.some((label) => thrown.hasErrorLabel(label)) ||
    PASSING_CLASSES.some((kind) => thrown instanceof kind) ||
    PASSING_NAMES.has(thrown.name) ||
    PASSING_CODES.has(Number(thrown.code)) ||
    (thrown instanceof MongoBulkWriteError && thrown.result?.getWriteConcernError() !== undefined) ||
    isStoreFull(thrown)
  );
}

const OUT_OF_DISK_SPACE = 14031;

/** True for errors of a store whose disk has no room left. */
export function isStoreFull(thrown: unknown): boolean {
  if (!(thrown instanceof MongoServerError)) return false;
  return thrown.code === OUT_OF_DISK_SPACE || /no space left on device|ENOSPC/i.test(thrown.message);
}

/**
 * Server errors over what a document holds or what an update makes of it: its form, its depth, its size, a field below
 * something that has no fields, an array that is none.
 */
const UNSTORABLE_CODES = new Set([2, 9, 14, 15, 22, 28, 34, 52, 53, 56, 57, 10334, 17280, 17419, 17420]);

/** True for what no store can ever hold: it is refused however often it is written. */
export function isUnstorable(thrown: unknown): boolean {
  if (BSON.BSONError.isBSONError(thrown)) return true;
  // The driver calls itself for each level of a document, down to the end of the stack.
  if (thrown instanceof RangeError) return true;
  if (thrown instanceof MongoInvalidArgumentError)
    return /larger than the maximum size/i.test(thrown.message);
  const cause = causeOfBulk(thrown);
  if (cause !== null) return isUnstorable(cause);
  return thrown instanceof MongoServerError && UNSTORABLE_CODES.has(Number(thrown.code));
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
