import { createHash } from 'node:crypto';
import {
  BSON,
  type ClientSession,
  type Collection,
  type Db,
  type Document,
  type IndexDescription,
  type MongoClient,
} from 'mongodb';
import { UNFINISHED_COPY } from '../../shared/kernel/migrations.ts';
import type { Report } from '../engines/types.ts';

/** Maximum number of documents and bytes per insert. */
const BATCH_DOCUMENTS = 1000;
const BATCH_BYTES = 8 * 1024 * 1024;
const PROGRESS_EVERY_MS = 5000;
/** Databases of the server itself. */
const SERVER_DATABASES = new Set(['admin', 'config', 'local']);

/** The target cannot take the copy, or differs from the original afterwards. */
export class CopyFailed extends Error {
  override readonly name = 'CopyFailed';
}

/** Names of the databases on a server, without the server's own. */
export async function databasesOf(client: MongoClient): Promise<string[]> {
  const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
  return databases.map(({ name }) => name).filter((name) => !SERVER_DATABASES.has(name));
}

/**
 * Copies a database with its indexes to another server, preserving the type of each value, and verifies the copy. A target
 * with an unfinished copy is emptied first.
 * @returns number of copied documents
 * @throws CopyFailed if the target holds other data, or if the copy differs from the original
 */
export async function copyDatabase(from: Db, to: Db, report: Report): Promise<number> {
  await emptyTarget(to);
  await to.collection<{ _id: string }>(UNFINISHED_COPY).insertOne({ _id: 'copy' });
  const collections = await collectionsOf(from);
  let documents = 0;
  for (const name of collections) documents += await copyCollection(from, to, name, report);
  await markComplete(to);
  return documents;
}

/** Says that a copy or restore to a database is complete. */
export async function markComplete(db: Db): Promise<void> {
  await db.dropCollection(UNFINISHED_COPY);
}

/** Removes an unfinished copy from a target. @throws CopyFailed if it holds anything else */
export async function emptyTarget(to: Db): Promise<void> {
  const present = (await to.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
  if (present.length === 0) return;
  if (!present.includes(UNFINISHED_COPY)) {
    throw new CopyFailed(
      `The target already has a database ${to.databaseName}. Drop it or choose another server; nothing was changed.`,
    );
  }
  await to.dropDatabase();
}

/** Names of the collections of a database, without the server's own. */
export async function collectionsOf(db: Db): Promise<string[]> {
  return (await db.listCollections({}, { nameOnly: true }).toArray())
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('system.') && name !== UNFINISHED_COPY)
    .sort();
}

async function copyCollection(from: Db, to: Db, name: string, report: Report): Promise<number> {
  await to.createCollection(name);
  const target = to.collection(name);
  const sent = createDigest();
  const inserting = createInserter(target);
  let reportedAt = Date.now();
  for await (const raw of rawDocuments(from, name)) {
    sent.add(raw);
    await inserting.add(raw);
    if (Date.now() - reportedAt < PROGRESS_EVERY_MS) continue;
    reportedAt = Date.now();
    report(`${name}: ${sent.count()} documents`);
  }
  await inserting.end();
  await copyIndexes(from, to, name);
  const arrived = createDigest();
  for await (const raw of rawDocuments(to, name)) arrived.add(raw);
  if (arrived.value() !== sent.value()) {
    throw new CopyFailed(
      `${name}: ${sent.count()} documents were sent, and the target holds ${arrived.count()} or others. Was something written meanwhile? Copy again while no process uses either store.`,
    );
  }
  report(`${name}: ${sent.count()} documents copied and compared`);
  return sent.count();
}

/** Inserts documents as they are stored, in batches. */
export function createInserter(target: Collection) {
  let batch: Document[] = [];
  let bytes = 0;
  async function end(): Promise<void> {
    if (batch.length > 0) await target.insertMany(batch, { ordered: true });
    batch = [];
    bytes = 0;
  }
  return {
    async add(raw: Buffer): Promise<void> {
      // Promotion is off, so that whole numbers stored as double or long keep their type.
      batch.push(BSON.deserialize(raw, { promoteValues: false, promoteLongs: false, bsonRegExp: true }));
      bytes += raw.length;
      if (batch.length === BATCH_DOCUMENTS || bytes >= BATCH_BYTES) await end();
    },
    end,
  };
}

/** The indexes of a collection, without that of _id, as `createIndexes` takes them. */
export async function indexesOf(db: Db, name: string): Promise<IndexDescription[]> {
  const indexes = await db.collection(name).listIndexes().toArray();
  return indexes
    .filter((index) => index['name'] !== '_id_')
    .map(({ v: _version, ns: _namespace, key, ...options }) => ({ key, ...options }));
}

async function copyIndexes(from: Db, to: Db, name: string): Promise<void> {
  const wanted = await indexesOf(from, name);
  if (wanted.length > 0) await to.collection(name).createIndexes(wanted);
}

/** The documents of a collection as they are stored. */
export async function* rawDocuments(db: Db, name: string, session?: ClientSession): AsyncGenerator<Buffer> {
  for await (const raw of db.collection(name).find({}, { raw: true, ...(session && { session }) })) {
    const bytes: unknown = raw;
    if (!Buffer.isBuffer(bytes)) throw new Error('the driver did not give the bytes of a document');
    yield bytes;
  }
}

/** A digest of documents that does not depend on their order, because two stores list them in different orders. */
export function createDigest() {
  const sum = Buffer.alloc(32);
  let count = 0;
  return {
    add(raw: Buffer): void {
      const digest = createHash('sha256').update(raw).digest();
      for (let index = 0; index < sum.length; index += 1) {
        sum[index] = ((sum[index] ?? 0) + (digest[index] ?? 0)) & 0xff;
      }
      count += 1;
    },
    count: () => count,
    value: () => `${count} ${sum.toString('hex')}`,
  };
}
