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
  /** True if the server stores a document within two seconds. The answer is cached for one second. */
  ping(): Promise<boolean>;
  /** Calls the listener after each loss of connections: the next connection may lead to another server. */
  onReconnect(listener: () => void): void;
  /** A separate client for the same server without timeouts, for long commands. The caller must close it. */
  withoutTimeout(): MongoClient;
  close(): Promise<void>;
}

/** Connects to a MongoDB-protocol server. Operations fail after 5 s without a server. */
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
    // In a replica set, the driver retries a write whose answer was lost; the server recognises the repetition.
    retryWrites: true,
    // Set here, so that no address can weaken them: acknowledged writes, and locks that were read, survive a failover.
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
        // A server whose storage has failed still answers the `ping` command.
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

/** The readiness endpoint is public, so answers are cached for one second. */
function atMostOnceASecond(ask: () => Promise<boolean>): () => Promise<boolean> {
  let asked: { at: number; answer: Promise<boolean> } | undefined;
  return () => {
    if (!asked || performance.now() - asked.at > 1000) asked = { at: performance.now(), answer: ask() };
    return asked.answer;
  };
}

/** Error labels by which server and driver mark a command as retryable. */
const PASSING_LABELS = [
  'RetryableWriteError',
  'RetryableError',
  'SystemOverloadedError',
  'TransientTransactionError',
  'PoolRequestedRetry',
  'ResetPool',
];

/** Driver errors caused by the connection to the server, not by the command. */
const PASSING_CLASSES = [
  MongoNetworkError,
  MongoServerSelectionError,
  MongoNotConnectedError,
  MongoTopologyClosedError,
  MongoServerClosedError,
  MongoClientClosedError,
  MongoStalePrimaryError,
  MongoOperationTimeoutError,
  // The write was applied but not confirmed by a majority: a failover may roll it back.
  MongoWriteConcernError,
];

/** Names of further such classes, which the driver does not export. */
const PASSING_NAMES = new Set([
  'MongoPoolClosedError',
  'MongoPoolClearedError',
  'MongoWaitQueueTimeoutError',
]);

/**
 * Transient server errors without such a label: the server is starting, stopping or electing a primary, an operation timed
 * out, a cursor was lost in a restart, or a write cannot be confirmed.
 */
const PASSING_CODES = new Set([
  6, 7, 24, 43, 46, 50, 64, 79, 89, 91, 100, 112, 133, 134, 175, 189, 202, 237, 262, 355, 365, 9001, 10107,
  11600, 11601, 11602, 13435, 13436,
]);

/**
 * The cause of a failed bulk write. The driver wraps it in an error that has neither the class nor the name of the cause.
 * @returns null if the cause is not a driver error, for example when single documents were refused
 */
function causeOfBulk(thrown: unknown): Error | null {
  if (!(thrown instanceof MongoBulkWriteError)) return null;
  return thrown.errorResponse instanceof Error ? thrown.errorResponse : null;
}

/** True if the error means that the store is temporarily unreachable or unavailable. */
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

/** True if the error means that the store's disk is full. */
export function isStoreFull(thrown: unknown): boolean {
  if (!(thrown instanceof MongoServerError)) return false;
  return thrown.code === OUT_OF_DISK_SPACE || /no space left on device|ENOSPC/i.test(thrown.message);
}

/**
 * Server errors caused by the content of a document or an update: invalid format, too deep or too large, a subfield of a
 * scalar, or an array operation on a value that is not an array.
 */
const UNSTORABLE_CODES = new Set([2, 9, 14, 15, 22, 28, 34, 52, 53, 56, 57, 10334, 17280, 17419, 17420]);

/** True if the error means that the document can never be stored: retrying is useless. */
export function isUnstorable(thrown: unknown): boolean {
  if (BSON.BSONError.isBSONError(thrown)) return true;
  // The driver recurses into each level of a document, so a very deep one overflows the stack.
  if (thrown instanceof RangeError) return true;
  if (thrown instanceof MongoInvalidArgumentError)
    return /larger than the maximum size/i.test(thrown.message);
  const cause = causeOfBulk(thrown);
  if (cause !== null) return isUnstorable(cause);
  return thrown instanceof MongoServerError && UNSTORABLE_CODES.has(Number(thrown.code));
}

const DUPLICATE_KEY = 11000;

/** True if a unique index rejected the write. */
export function isDuplicateKey(thrown: unknown): boolean {
  return thrown instanceof MongoServerError && thrown.code === DUPLICATE_KEY;
}

/** Indexes of the documents of an unordered insert whose key already exists; null if there was any other error. */
export function duplicatesOf(thrown: unknown): Set<number> | null {
  if (!(thrown instanceof MongoBulkWriteError)) return null;
  const errors = Array.isArray(thrown.writeErrors) ? thrown.writeErrors : [thrown.writeErrors];
  const onlyThese = errors.length > 0 && errors.every(({ code }) => code === DUPLICATE_KEY);
  return onlyThese ? new Set(errors.map(({ index }) => index)) : null;
}

/** Runs an upsert and retries it once: two concurrent upserts of a new key may collide, and the retry finds the document. */
export async function retryDuplicateKey<T>(upsert: () => Promise<T>): Promise<T> {
  try {
    return await upsert();
  } catch (thrown) {
    if (isDuplicateKey(thrown)) return upsert();
    throw thrown;
  }
}
