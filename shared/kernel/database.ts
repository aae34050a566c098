import {
  type Db,
  type IndexDescription,
  MongoClient,
  MongoError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
} from 'mongodb';

export type { Db };

/** Indexes of one collection. Each store declares its own; {@link ensureIndexes} creates them. */
export interface CollectionIndexes {
  collection: string;
  indexes: readonly (IndexDescription & { name: string })[];
}

export interface Database {
  db: Db;
  client: MongoClient;
  /** True when the server answers within two seconds. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

/** Connects to a MongoDB-protocol server. Operations give up after 5 s without a server. */
export async function connectDatabase(
  uri: string,
  name: string,
  options: { monitorCommands?: boolean } = {},
): Promise<Database> {
  const client = new MongoClient(uri, {
    appName: 'calibron',
    serverSelectionTimeoutMS: 5000,
    connectTimeoutMS: 5000,
    socketTimeoutMS: 30_000,
    retryWrites: false,
    ignoreUndefined: true,
    monitorCommands: options.monitorCommands ?? false,
  });
  await client.connect();
  const db = client.db(name);
  return {
    db,
    client,
    async ping() {
      try {
        await db.command({ ping: 1 }, { timeoutMS: 2000 });
        return true;
      } catch {
        return false;
      }
    },
    close: () => client.close(),
  };
}

/** Creates what is missing of the declared indexes; safe to run at every start and in several processes. */
export async function ensureIndexes(db: Db, declared: readonly CollectionIndexes[]): Promise<void> {
  for (const { collection, indexes } of declared) {
    if (indexes.length > 0) await db.collection(collection).createIndexes([...indexes]);
  }
}

/** Server errors of a replica set that is choosing a new primary or shutting down. */
const passingServerErrors = new Set([89, 91, 189, 10107, 11600, 11602, 13435, 13436]);

/** True for errors that mean the store cannot be reached at the moment. */
export function isStoreUnavailable(thrown: unknown): boolean {
  if (!(thrown instanceof MongoError)) return false;
  return (
    thrown instanceof MongoNetworkError ||
    thrown instanceof MongoServerSelectionError ||
    thrown instanceof MongoNotConnectedError ||
    thrown instanceof MongoTopologyClosedError ||
    thrown.hasErrorLabel('PoolClearedError') ||
    passingServerErrors.has(Number(thrown.code))
  );
}

/** True for a write that a unique index refused. */
export function isDuplicateKey(thrown: unknown): boolean {
  return thrown instanceof MongoServerError && thrown.code === 11000;
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
