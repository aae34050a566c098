import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { connectDatabase, type Database } from '../../../shared/kernel/database.ts';
import { insertMissing, insertNew } from '../../../shared/kernel/insert-new.ts';
import { newId } from '../../../shared/kernel/new-ids.ts';
import { type Fate, type MongoProxy, openMongoProxy } from '../../support/mongo-proxy.ts';

interface Thing {
  _id: string;
  n: number;
}

let proxy: MongoProxy;
let database: Database;
const things = () => database.db.collection<Thing>('things');

beforeAll(async () => {
  proxy = await openMongoProxy(inject('mongodb'));
  database = await connectDatabase(proxy.uri, `insert_${newId().slice(0, 8)}`);
});
afterAll(async () => {
  proxy.decide();
  await database.db.dropDatabase();
  await database.close();
  await proxy.close();
});

/** The first insertions meet with these fates, one each. */
function meet(...fates: Fate[]): void {
  proxy.decide(({ name }) => (name === 'insert' ? (fates.shift() ?? 'pass') : 'pass'));
}

test.each<Fate>(['lose', 'cut'])('a document is there once when the connection ends: %s', async (fate) => {
  const document = { _id: newId(), n: 1 };
  meet(fate);
  await insertNew(things(), document);
  expect(await things().find({ _id: document._id }).toArray()).toEqual([document]);
});

test('a key that another document has is refused, also when the answer to that was lost', async () => {
  const _id = newId();
  await insertNew(things(), { _id, n: 1 });
  meet('lose');
  await expect(insertNew(things(), { _id, n: 2 })).rejects.toMatchObject({ code: 11000 });
  expect(await things().findOne({ _id })).toEqual({ _id, n: 1 });
});

test.each<Fate>(['lose', 'cut'])('of many documents each is there once: %s', async (fate) => {
  const documents = [1, 2, 3].map((n) => ({ _id: `${newId()}-${n}`, n }));
  await insertMissing(things(), documents.slice(0, 1));
  meet(fate);
  await insertMissing(things(), documents);
  const _id = { $in: documents.map((each) => each._id) };
  expect(await things().find({ _id }).sort({ n: 1 }).toArray()).toEqual(documents);
});

test('an error that is no duplicate, and a connection that ends again, are thrown', async () => {
  meet('cut', 'cut');
  await expect(insertMissing(things(), [{ _id: newId(), n: 1 }])).rejects.toThrow(/closed/);
  meet('cut', 'cut');
  await expect(insertNew(things(), { _id: newId(), n: 1 })).rejects.toThrow(/closed/);
  meet({ reply: { ok: 0, code: 13, errmsg: 'not authorized' } });
  await expect(insertMissing(things(), [{ _id: newId(), n: 1 }])).rejects.toMatchObject({ code: 13 });
});
