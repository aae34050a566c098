import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { MongoClient } from 'mongodb';
import { mongodbCandidates } from '../engines/candidates.ts';
import { freePort, startMongo, stopEngine } from '../engines/processes.ts';
import { findEngine } from '../engines/sources.ts';
import { STORE_TITLES, type StoreKind, storeKindOf } from '../engines/store-kind.ts';
import type { EngineProcess, EngineSource, Report } from '../engines/types.ts';
import { CopyFailed, copyDatabase, databasesOf } from './copy.ts';

const GRACE_MS = 60_000;

/** Paths of an incomplete and of a complete copy. */
const beside = (dataPath: string) => ({ draft: `${dataPath}.draft`, complete: `${dataPath}.complete` });

/**
 * Finishes a replacement that was interrupted between its two renames.
 * @returns path of the earlier store, undefined if there was nothing to finish
 */
export async function finishReplacement(dataPath: string): Promise<string | undefined> {
  const { complete } = beside(dataPath);
  if (!existsSync(complete)) return undefined;
  const earlier = freeName(`${dataPath}.before-copy`);
  if (existsSync(dataPath)) await rename(dataPath, earlier);
  await rename(complete, dataPath);
  return earlier;
}

/**
 * Replaces the store in the directory by one of another kind with the same contents. The earlier store is kept beside it.
 * @returns path of the earlier store
 * @throws CopyFailed if there is nothing to copy
 */
export async function replaceStore(
  options: { dataPath: string; kind: StoreKind; logFile: string },
  report: Report,
): Promise<string> {
  const { dataPath, kind, logFile } = options;
  await finishReplacement(dataPath);
  const present = await storeKindOf(dataPath);
  if (present === undefined) throw new CopyFailed(`${dataPath} holds no data; there is nothing to copy.`);
  if (present === kind) throw new CopyFailed(`${dataPath} already holds data of ${STORE_TITLES[kind]}.`);
  const source = await findProgramOf(kind, report);
  const { draft, complete } = beside(dataPath);
  await rm(draft, { recursive: true, force: true });
  await withStore({ source: await findProgramOf(present, report), dataPath, logFile }, (from) =>
    withStore({ source, dataPath: draft, logFile }, async (to) => {
      for (const name of await databasesOf(from)) await copyDatabase(from.db(name), to.db(name), report);
    }),
  );
  await rename(draft, complete);
  const earlier = await finishReplacement(dataPath);
  if (earlier === undefined) throw new Error(`${complete} has disappeared`);
  return earlier;
}

/** Starts a store, runs `use` with a client of it, and stops the store. */
export async function withStore<T>(
  { source, dataPath, logFile }: { source: EngineSource; dataPath: string; logFile: string },
  use: (client: MongoClient, address: string) => Promise<T>,
): Promise<T> {
  const engine: EngineProcess = await startMongo(source, { port: await freePort(), dataPath, logFile });
  const client = new MongoClient(engine.address, { writeConcern: { w: 'majority', journal: true } });
  try {
    return await use(client, engine.address);
  } finally {
    await client.close();
    await stopEngine(engine, GRACE_MS);
  }
}

/** Finds a program of the kind. Ignores a server given by address. */
export function findProgramOf(kind: StoreKind, report: Report): Promise<EngineSource> {
  return findEngine(
    'mongodb',
    report,
    mongodbCandidates().filter(({ flavour }) => flavour === kind),
  );
}

function freeName(name: string): string {
  let free = name;
  for (let count = 2; existsSync(free); count += 1) free = `${name}-${count}`;
  return free;
}
