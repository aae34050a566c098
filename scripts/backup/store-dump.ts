import {
  type ClientSession,
  type Db,
  type IndexDescription,
  type MongoClient,
  MongoServerError,
} from 'mongodb';
import { UNFINISHED_COPY } from '../../shared/kernel/migrations.ts';
import {
  collectionsOf,
  createDigest,
  createInserter,
  emptyTarget,
  indexesOf,
  rawDocuments,
} from '../store/copy.ts';
import type { StoredCollection } from './contents.ts';
import { readPiece, writePiece } from './pieces.ts';
import { BackupProblem } from './problem.ts';

/** Bytes of documents that are written at once. */
const CHUNK_BYTES = 1024 * 1024;
/** Bytes in front of each document with its length. */
const LENGTH_BYTES = 4;

/** A backup that is being written, and how its files are encrypted. */
export interface Target {
  directory: string;
  key: Buffer | null;
}

/** Writes all collections of a database, each to one file of BSON documents. */
export async function dumpDatabase(
  db: Db,
  target: Target,
  session?: ClientSession,
): Promise<StoredCollection[]> {
  const collections: StoredCollection[] = [];
  for (const [number, name] of (await collectionsOf(db)).entries()) {
    const digest = createDigest();
    // Names of collections may have characters that names of files may not have.
    const path = `store/${String(number).padStart(3, '0')}-${name.replaceAll(/[^\w.-]/g, '_')}.bson`;
    const source = inChunks(rawDocuments(db, name, session), digest.add);
    const piece = await writePiece(target.directory, path, source, target.key);
    const indexes = (await indexesOf(db, name)).map((index) => ({ ...index, key: keyPairs(index.key) }));
    collections.push({ name, documents: digest.count(), digest: digest.value(), indexes, piece });
  }
  return collections;
}

/**
 * The same from a server that other processes write to: of one moment if it is a replica set. Other servers have no snapshots,
 * so documents that are written meanwhile may be there in part.
 * @returns the collections, and whether they are of one moment
 */
export async function dumpServer(
  client: MongoClient,
  database: string,
  target: Target,
): Promise<{ collections: StoredCollection[]; oneMoment: boolean }> {
  const db = client.db(database);
  const session = client.startSession({ snapshot: true });
  try {
    if (!(await hasSnapshots(db, session))) {
      return { collections: await dumpDatabase(db, target), oneMoment: false };
    }
    return { collections: await dumpDatabase(db, target, session), oneMoment: true };
  } catch (thrown) {
    if (thrown instanceof MongoServerError && thrown.codeName === 'SnapshotTooOld') {
      throw new BackupProblem(
        'The database is too large to be read within the time for which the server keeps a snapshot. Raise its ' +
          'minSnapshotHistoryWindowInSeconds, or take a snapshot of it in another way (docs/backup.md).',
      );
    }
    throw thrown;
  } finally {
    await session.endSession();
  }
}

async function hasSnapshots(db: Db, session: ClientSession): Promise<boolean> {
  try {
    await db.collection('installation').findOne({}, { session });
    return true;
  } catch {
    return false;
  }
}

/**
 * Writes the collections of a backup to a database, with their indexes, and compares what arrived. A database with an unfinished
 * restore is emptied first. The database stays marked as unfinished until `markComplete`.
 * @throws BackupProblem if it differs, CopyFailed if the database holds other data
 */
export async function loadDatabase(
  db: Db,
  collections: readonly StoredCollection[],
  { directory, key }: Target,
): Promise<void> {
  await emptyTarget(db);
  const mark = db.collection<{ _id: string }>(UNFINISHED_COPY);
  await mark.insertOne({ _id: 'restore' });
  for (const { name, digest, indexes, piece } of collections) {
    await db.createCollection(name);
    const inserting = createInserter(db.collection(name));
    for await (const raw of documentsIn(readPiece(directory, piece, key))) await inserting.add(raw);
    await inserting.end();
    const arrived = createDigest();
    for await (const raw of rawDocuments(db, name)) arrived.add(raw);
    if (arrived.value() !== digest) {
      throw new BackupProblem(
        `${name}: the restored documents differ from those of the backup. Restore again.`,
      );
    }
    if (indexes.length > 0) await db.collection(name).createIndexes(indexes.map(asIndex));
  }
}

/** The order of an index's fields matters, and JSON objects in other programs do not keep it. */
function keyPairs(key: IndexDescription['key']): [string, unknown][] {
  return key instanceof Map ? [...key.entries()] : Object.entries(key);
}

function asIndex(stored: Record<string, unknown>): IndexDescription {
  const { key, ...options } = stored;
  return { ...options, key: new Map(Array.isArray(key) ? key : []) };
}

async function* inChunks(
  documents: AsyncIterable<Buffer>,
  each: (raw: Buffer) => void,
): AsyncGenerator<Buffer> {
  let chunk: Buffer[] = [];
  let bytes = 0;
  for await (const raw of documents) {
    each(raw);
    chunk.push(raw);
    bytes += raw.length;
    if (bytes < CHUNK_BYTES) continue;
    yield Buffer.concat(chunk);
    chunk = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(chunk);
}

/** Splits a stream into its documents. */
async function* documentsIn(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held = Buffer.alloc(0);
  for await (const chunk of source) {
    held = held.length === 0 ? Buffer.from(chunk) : Buffer.concat([held, chunk]);
    let at = 0;
    while (held.length - at >= LENGTH_BYTES) {
      const length = held.readInt32LE(at);
      if (held.length - at < length) break;
      yield held.subarray(at, at + length);
      at += length;
    }
    held = held.subarray(at);
  }
  if (held.length > 0) throw new BackupProblem('A collection of the backup is cut off. Use another backup.');
}
