import { afterEach, expect, inject, test } from 'vitest';
import { connectDatabase, type Database } from '../../../shared/kernel/database.ts';
import { storeWarnings } from '../../../shared/kernel/store-warnings.ts';
import { type MongoProxy, openMongoProxy } from '../../support/mongo-proxy.ts';

let proxy: MongoProxy;
let database: Database;

afterEach(async () => {
  await database.close();
  await proxy.close();
});

async function connect(replicaSet: boolean): Promise<Database> {
  proxy = await openMongoProxy(inject('mongodb'), { replicaSet });
  database = await connectDatabase(proxy.uri, 'warnings');
  return database;
}

test('a single server is warned about', async () => {
  const { db } = await connect(false);
  expect(await storeWarnings(db, proxy.uri)).toEqual([expect.stringContaining('is a single server')]);
});

test('a replica set is fine, unless its address names another database', async () => {
  const { db } = await connect(true);
  expect(await storeWarnings(db, proxy.uri)).toEqual([]);
  expect(await storeWarnings(db, 'mongodb://a/lab?replicaSet=r')).toEqual([
    'MONGODB_URI names the database lab, but MONGODB_DATABASE decides: warnings is used.',
  ]);
});

test('every write asks for a majority and the journal, and every read for what a majority has, whatever the address', async () => {
  proxy = await openMongoProxy(inject('mongodb'), { replicaSet: true });
  database = await connectDatabase(`${proxy.uri}&w=1&readConcernLevel=local&retryWrites=false`, 'warnings');
  const commands: Record<string, unknown> = {};
  proxy.decide(({ name, body }) => {
    commands[name] = { w: body['writeConcern'], r: body['readConcern'], retryable: 'txnNumber' in body };
    return 'pass';
  });
  const each = database.db.collection<{ _id: string; n?: number }>('durability');
  await each.insertOne({ _id: 'a' });
  await each.updateOne({ _id: 'a' }, { $set: { n: 1 } });
  await each.findOneAndUpdate({ _id: 'a' }, { $set: { n: 2 } });
  await each.findOne({ _id: 'a' });
  await each.aggregate([{ $match: { n: 2 } }]).toArray();
  await each.distinct('n');
  await each.deleteOne({ _id: 'a' });
  const write = { w: { w: 'majority', j: true }, r: undefined, retryable: true };
  const read = { w: undefined, r: { level: 'majority' }, retryable: false };
  expect(commands).toMatchObject({
    insert: write,
    update: write,
    findAndModify: write,
    delete: write,
    find: read,
    aggregate: read,
    distinct: read,
  });
});
