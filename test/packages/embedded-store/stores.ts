import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Collection, type Db, MongoClient } from 'mongodb';
import { inject } from 'vitest';
import { mongodbCandidates } from '../../../scripts/engines/candidates.ts';
import { freePort, startMongo, stopEngine } from '../../../scripts/engines/processes.ts';
import { findEngine } from '../../../scripts/engines/sources.ts';
import { type EngineProcess, type EngineSource, noReport } from '../../../scripts/engines/types.ts';

/** Documents of these tests. */
export interface Counted {
  _id: string;
  project?: string | null;
  n?: number | null;
  status?: string;
  winner?: number;
  copy?: number;
  filler?: string;
}

/** A database of its own on the store of this test run. */
export async function withDatabase(use: (database: Db) => Promise<void>): Promise<void> {
  const client = new MongoClient(inject('mongodb'), { maxPoolSize: 50 });
  const database = client.db(`engines_${randomUUID().slice(0, 8)}`);
  try {
    await use(database);
  } finally {
    await database.dropDatabase();
    await client.close();
  }
}

/** A collection in a database of its own on the store of this test run. */
export function withCollection(use: (collection: Collection<Counted>) => Promise<void>): Promise<void> {
  return withDatabase((database) => use(database.collection<Counted>('documents')));
}

export interface OwnStore {
  source: EngineSource;
  /** The directory of the data. */
  dataPath: string;
  /** The data are in one place, so that each start finds those of the one before. */
  start(): Promise<EngineProcess>;
  /** As a crash would end it. */
  kill(): void;
  stop(): Promise<void>;
  connect(engine: EngineProcess): { database: Db; close: () => Promise<void> };
}

/** A store of this test alone, on disk, of whichever kind is found; one that somebody else runs is no use here. */
export async function withOwnStore(use: (store: OwnStore) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'calibron-store-'));
  const dataPath = join(directory, 'data');
  const source = await findEngine('mongodb', noReport, mongodbCandidates().slice(1));
  let engine: EngineProcess | undefined;
  const stop = async () => {
    if (engine !== undefined) {
      await stopEngine(engine, 10_000);
    }
  };
  try {
    await use({
      source,
      dataPath,
      async start() {
        engine = await startMongo(source, {
          port: await freePort(),
          dataPath,
          logFile: join(directory, 'log'),
        });
        return engine;
      },
      kill() {
        if (engine?.pid) {
          process.kill(engine.pid, 'SIGKILL');
        }
      },
      stop,
      connect({ address }) {
        const client = new MongoClient(address, { serverSelectionTimeoutMS: 1_000, maxPoolSize: 20 });
        return { database: client.db('kept'), close: () => client.close() };
      },
    });
  } finally {
    await stop();
    await rm(directory, { recursive: true, force: true });
  }
}
