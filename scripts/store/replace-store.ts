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

/** Where a copy is made, and where it lies once it is complete. */
const beside = (dataPath: string) => ({ draft: `${dataPath}.draft`, complete: `${dataPath}.complete` });

/**
 * Finishes a replacement that was interrupted between its two renames.
 * @returns where the earlier store is now, undefined when there was nothing to finish
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
 * Puts a store of another kind with the same contents in the place of the one in the directory, which stays beside it.
 * @returns where the earlier store is now
 * @throws CopyFailed when there is nothing to copy
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

/** Runs `use` with a client of a store that is started for it and stopped afterwards. */
export async function withStore<T>(
  { source, dataPath, logFile }: { source: EngineSource; dataPath: string; logFile: string },
  use: (client: MongoClient) => Promise<T>,
): Promise<T> {
  const engine: EngineProcess = await startMongo(source, { port: await freePort(), dataPath, logFile });
  const client = new MongoClient(engine.address, { writeConcern: { w: 'majority', journal: true } });
  try {
    return await use(client);
  } finally {
    await client.close();
    await stopEngine(engine, GRACE_MS);
  }
}

/** A program of the kind, and no server at an address. */
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
