import { randomUUID } from 'node:crypto';
import { Binary, type Db, Double, Int32, Long, MongoClient, ObjectId } from 'mongodb';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { CopyFailed, copyDatabase } from '../../../scripts/store/copy.ts';
import { UNFINISHED_COPY } from '../../../shared/kernel/migrations.ts';
import { type MongoProxy, openMongoProxy, refusal } from '../../support/mongo-proxy.ts';

let proxy: MongoProxy;
let source: MongoClient;
let target: MongoClient;
let from: Db;
let to: Db;
const noReport = () => {};

beforeEach(async () => {
  proxy = await openMongoProxy(inject('mongodb'), { replicaSet: true });
  source = new MongoClient(inject('mongodb'));
  target = new MongoClient(proxy.uri, { retryWrites: false });
  const name = randomUUID().slice(0, 8);
  from = source.db(`from_${name}`);
  to = target.db(`to_${name}`);
});

afterEach(async () => {
  proxy.decide();
  await from.dropDatabase();
  await to.dropDatabase();
  await source.close();
  await target.close();
  await proxy.close();
});

const everyType = {
  whole: new Int32(3),
  double: new Double(3),
  long: Long.fromNumber(3),
  large: Long.fromString('9007199254740993'),
  text: 'é\u2028',
  none: null,
  when: new Date(0),
  bytes: new Binary(Buffer.from([0, 1, 255])),
  id: new ObjectId(),
  pattern: /^a+$/i,
  nested: { list: [1, { a: [] }, null], empty: {} },
};

async function bytesOf(db: Db, name: string): Promise<string[]> {
  const documents = await db.collection(name).find({}, { raw: true }).toArray();
  return documents.map((document) => Buffer.from(document as never).toString('hex')).sort();
}

test('a copy has every document byte for byte, and every index', async () => {
  await from.collection('types').insertOne(everyType);
  await from.collection('many').insertMany(Array.from({ length: 2500 }, (_, n) => ({ n })));
  await from.collection('many').createIndex({ n: 1 }, { name: 'by_n', unique: true });
  await from
    .collection('many')
    .createIndex({ m: -1 }, { name: 'open', partialFilterExpression: { m: { $exists: true } } });
  await from.createCollection('empty');

  expect(await copyDatabase(from, to, noReport)).toBe(2501);

  expect(await bytesOf(to, 'types')).toEqual(await bytesOf(from, 'types'));
  expect(await bytesOf(to, 'many')).toEqual(await bytesOf(from, 'many'));
  const names = (await to.listCollections().toArray()).map(({ name }) => name).sort();
  expect(names).toEqual(['empty', 'many', 'types']);
  const [before, after] = await Promise.all(
    [from, to].map((db) => db.collection('many').listIndexes().toArray()),
  );
  const definitions = (indexes: typeof before) =>
    indexes
      ?.map(({ name, key, unique, partialFilterExpression }) => ({
        name,
        key,
        unique,
        partialFilterExpression,
      }))
      .sort((one, other) => one.name.localeCompare(other.name));
  expect(definitions(after)).toEqual(definitions(before));
});

test('a target that holds other data is left as it is', async () => {
  await from.collection('a').insertOne({ n: 1 });
  await to.collection('b').insertOne({ n: 2 });
  await expect(copyDatabase(from, to, noReport)).rejects.toThrow(CopyFailed);
  expect((await to.listCollections().toArray()).map(({ name }) => name)).toEqual(['b']);
});

test('a copy that was interrupted is marked, and the next one begins again', async () => {
  await from.collection('a').insertMany([{ n: 1 }, { n: 2 }]);
  await from.collection('b').insertOne({ n: 3 });
  proxy.decide(({ name, collection }) =>
    name === 'insert' && collection === 'b' ? { reply: refusal(14031, 'OutOfDiskSpace') } : 'pass',
  );
  await expect(copyDatabase(from, to, noReport)).rejects.toThrow(/OutOfDiskSpace/);
  expect(await to.collection(UNFINISHED_COPY).countDocuments()).toBe(1);
  proxy.decide();
  expect(await copyDatabase(from, to, noReport)).toBe(3);
  expect(await to.collection(UNFINISHED_COPY).countDocuments()).toBe(0);
  expect(await bytesOf(to, 'a')).toEqual(await bytesOf(from, 'a'));
});

test('a document that changed on its way is noticed', async () => {
  await from.collection('a').insertOne({ n: 1 });
  proxy.decide(({ name, collection }) => {
    if (name !== 'createIndexes' && name !== 'find') return 'pass';
    return collection === 'a' && name === 'find'
      ? {
          after: to.client
            .db(to.databaseName)
            .collection('a')
            .updateMany({}, { $set: { n: 5 } }),
        }
      : 'pass';
  });
  await expect(copyDatabase(from, to, noReport)).rejects.toThrow(/a: 1 documents were sent/);
});
