import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../../shared/kernel/files/atomic-write.ts';
import { exists } from './cache.ts';
import { mongodbCandidates } from './candidates.ts';
import { EngineNotFound, findEngine } from './sources.ts';
import type { Candidate, EngineSource, Report } from './types.ts';

/** Programs that keep a store's data in a directory; neither reads what the other has written. */
export const storeKinds = ['mongod', 'mongo-java-server'] as const;
export type StoreKind = (typeof storeKinds)[number];

/** Names of the kinds in messages and on the command line. */
export const STORE_TITLES: Record<StoreKind, string> = {
  mongod: 'mongod',
  'mongo-java-server': 'the embedded store',
};

/** File that records the kind. Both kinds of store ignore files that are not theirs. */
const KIND_FILE = 'store-kind.json';

/** Files that each kind always creates. They identify directories made before the kind was recorded. */
const TRACES: Record<StoreKind, string> = { mongod: 'WiredTiger', 'mongo-java-server': 'store.mv' };

const kindRecord = z.object({ kind: z.enum(storeKinds) });

/** The directory holds data of another kind of store, or of both kinds. The message explains how to proceed. */
export class StoreKindConflict extends Error {
  override readonly name = 'StoreKindConflict';
}

/**
 * The kind of store whose data the directory holds, undefined if it holds none yet.
 * @throws StoreKindConflict if there are data of both kinds and no record of which one is in use
 */
export async function storeKindOf(dataPath: string): Promise<StoreKind | undefined> {
  const recorded = await recordedKind(dataPath);
  if (recorded !== undefined) return recorded;
  const present = await Promise.all(storeKinds.map((kind) => exists(join(dataPath, TRACES[kind]))));
  const kinds = storeKinds.filter((_, index) => present[index]);
  if (kinds.length > 1) {
    throw new StoreKindConflict(
      `${dataPath} holds data of mongod and of the embedded store. Move the files of one of them to another directory: store.mv* belong to the embedded store, all others to mongod.`,
    );
  }
  return kinds[0];
}

/**
 * Finds a store that can use the directory. Skips programs of the other kind, except one named by the environment.
 * @throws StoreKindConflict if only a store of the other kind is available, or if MONGOD_BINARY names one
 */
export async function findStoreFor(
  dataPath: string,
  report: Report,
  candidates: readonly Candidate[] = mongodbCandidates(),
): Promise<EngineSource> {
  const kind = await storeKindOf(dataPath);
  if (kind === undefined) return findEngine('mongodb', report, candidates);
  const namesMongod = Boolean(process.env['MONGOD_BINARY'] && !process.env['MONGODB_URI']);
  if (kind === 'mongo-java-server' && namesMongod) {
    throw new StoreKindConflict(`${conflictMessage(dataPath, kind, 'mongod')} Or unset MONGOD_BINARY.`);
  }
  try {
    return await findEngine(
      'mongodb',
      report,
      candidates.map((each) => ofKind(each, kind, dataPath)),
    );
  } catch (thrown) {
    if (!(thrown instanceof EngineNotFound)) throw thrown;
    const install = kind === 'mongod' ? 'Install mongod' : 'Install a Java 17 JDK with Maven';
    throw new StoreKindConflict(
      `${dataPath} holds data of ${STORE_TITLES[kind]}, and no program for it was found. ${install}; an empty store is not used in its place.`,
      { cause: thrown },
    );
  }
}

/** Restricts a candidate to programs that can use data of the kind. */
function ofKind(candidate: Candidate, kind: StoreKind, dataPath: string): Candidate {
  const { title, flavour } = candidate;
  if (flavour === undefined || flavour === kind) return candidate;
  const isHere = title.includes('PATH');
  return {
    title,
    flavour,
    async find(report) {
      if (!isHere || (await candidate.find(report)) === undefined) return undefined;
      report(`${title} is not used. ${conflictMessage(dataPath, kind, 'mongod')}`);
      return undefined;
    },
  };
}

/**
 * Checks before a store starts that it can read the data in the directory.
 * @throws StoreKindConflict if the directory holds data of the other kind
 */
export async function refuseOtherKind(dataPath: string, kind: StoreKind): Promise<void> {
  const present = await storeKindOf(dataPath);
  if (present !== undefined && present !== kind) {
    throw new StoreKindConflict(conflictMessage(dataPath, present, kind));
  }
}

/** Records the kind of the store that runs in the directory. */
export async function recordKind(dataPath: string, kind: StoreKind): Promise<void> {
  if ((await recordedKind(dataPath)) === kind) return;
  await replaceFile(join(dataPath, KIND_FILE), `${JSON.stringify({ kind })}\n`, { durable: true });
}

function conflictMessage(dataPath: string, present: StoreKind, kind: StoreKind): string {
  const to = kind === 'mongod' ? 'mongod' : 'embedded';
  return `${dataPath} holds data of ${STORE_TITLES[present]}, which ${STORE_TITLES[kind]} cannot read. To go on with ${STORE_TITLES[kind]}, copy the data with \`npm run store -- copy --to ${to}\`.`;
}

async function recordedKind(dataPath: string): Promise<StoreKind | undefined> {
  let text: string;
  try {
    text = await readFile(join(dataPath, KIND_FILE), 'utf8');
  } catch {
    return undefined;
  }
  try {
    return kindRecord.parse(JSON.parse(text)).kind;
  } catch (cause) {
    throw new StoreKindConflict(
      `${join(dataPath, KIND_FILE)} cannot be read. Remove it if the directory holds data of one kind of store only.`,
      { cause },
    );
  }
}
