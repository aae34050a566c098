import { randomUUID } from 'node:crypto';
import { type Db, type Document, MongoClient } from 'mongodb';
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest';
import type { CollectionIndexes, Database } from '../../../shared/kernel/database.ts';
import { ensureIndexes } from '../../../shared/kernel/index-builds.ts';
import { type MongoProxy, openMongoProxy, refusal } from '../../support/mongo-proxy.ts';

/** Milliseconds in which commands must answer, where a test waits for that time to pass. */
const SHORT_TIMEOUT = 100;

type Way = Pick<Database, 'db' | 'withoutTimeout'>;

let client: MongoClient;
let db: Db;
let way: Way;
const proxies: { proxy: MongoProxy; client: MongoClient }[] = [];

beforeEach(() => {
  client = new MongoClient(inject('mongodb'));
  db = client.db(`indexes_${randomUUID().slice(0, 8)}`);
  way = wayTo(inject('mongodb'), client);
});

afterEach(async () => {
  for (const each of proxies.splice(0)) {
    await each.client.close(true);
    await each.proxy.close();
  }
  await db.dropDatabase();
  await client.close();
});

function wayTo(uri: string, connected: MongoClient): Way {
  return { db: connected.db(db.databaseName), withoutTimeout: () => new MongoClient(uri) };
}

/** The same database by way of a proxy. */
async function byProxy(options: { replicaSet?: boolean } = {}, clientOptions: Document = {}) {
  const proxy = await openMongoProxy(inject('mongodb'), options);
  const proxied = new MongoClient(proxy.uri, { retryWrites: false, ...clientOptions });
  proxies.push({ proxy, client: proxied });
  return { proxy, watched: wayTo(proxy.uri, proxied) };
}

function declare(...indexes: CollectionIndexes['indexes']): CollectionIndexes[] {
  return [{ collection: 'results', indexes }];
}

async function present(): Promise<Record<string, Document>> {
  const indexes = await db.collection('results').listIndexes().toArray();
  return Object.fromEntries(
    indexes.filter(({ name }) => name !== '_id_').map(({ name, v: _version, ...rest }) => [name, rest]),
  );
}

const byTime = { name: 'by_time', key: { project_id: 1, time: -1 } } as const;

test('missing indexes are built, and a second start changes nothing', async () => {
  await ensureIndexes(way, declare(byTime));
  expect(await present()).toEqual({ by_time: { key: byTime.key } });
  const { proxy, watched } = await byProxy();
  const commands: string[] = [];
  proxy.decide(({ name }) => {
    commands.push(name);
    return 'pass';
  });
  await ensureIndexes(watched, declare(byTime));
  expect(commands.filter((name) => !/^(?:listIndexes|find|hello|ismaster|endSessions)$/i.test(name))).toEqual(
    [],
  );
});

test('a changed key is built beside the old index, which is dropped afterwards', async () => {
  await ensureIndexes(way, declare(byTime));
  const { proxy, watched } = await byProxy();
  const order: Document[] = [];
  proxy.decide(({ name, body }) => {
    if (name === 'createIndexes') order.push({ build: body['indexes'][0].name });
    if (name === 'dropIndexes') order.push({ drop: body['index'] });
    return 'pass';
  });
  await ensureIndexes(watched, declare({ name: 'by_time', key: { project_id: 1, chip: 1, time: -1 } }));
  expect(order).toEqual([{ build: 'by_time_2' }, { drop: 'by_time' }]);
  expect(await present()).toEqual({ by_time_2: { key: { project_id: 1, chip: 1, time: -1 } } });
  await ensureIndexes(watched, declare({ name: 'by_time', key: { project_id: 1, chip: 1, time: -1 } }));
  expect(order).toHaveLength(2);
});

test.each<[string, Document, Document]>([
  ['a filter', { partialFilterExpression: { a: 1 } }, { partialFilterExpression: { a: 2 } }],
  ['a filter that goes', { partialFilterExpression: { a: 1 } }, {}],
  ['a lifetime', { expireAfterSeconds: 10 }, { expireAfterSeconds: 20 }],
  ['a lifetime that comes', {}, { expireAfterSeconds: 20 }],
  ['a lifetime that goes', { expireAfterSeconds: 10 }, {}],
  ['uniqueness', {}, { unique: true }],
  ['uniqueness that goes', { unique: true }, {}],
])('%s that has changed is brought about', async (_, before, after) => {
  await ensureIndexes(way, declare({ name: 'i', key: { t: 1 }, ...before }));
  await ensureIndexes(way, declare({ name: 'i', key: { t: 1 }, ...after }));
  expect(Object.values(await present())).toEqual([{ key: { t: 1 }, ...after }]);
});

test('an index that no code declares any more is dropped, also from a collection without others', async () => {
  await ensureIndexes(way, declare(byTime, { name: 'gone', key: { gone: 1 } }));
  await ensureIndexes(way, declare(byTime));
  expect(Object.keys(await present())).toEqual(['by_time']);
  await ensureIndexes(way, declare());
  expect(await present()).toEqual({});
});

test('an earlier release builds what it misses and drops nothing of a later one', async () => {
  await ensureIndexes(way, declare({ name: 'later', key: { later: 1 } }), { release: '0.10.0' });
  await ensureIndexes(way, declare(byTime), { release: '0.9.1' });
  expect(Object.keys(await present()).sort()).toEqual(['by_time', 'later']);
  await ensureIndexes(way, declare({ name: 'later', key: { later: 1 } }), { release: '0.10.0' });
  expect(Object.keys(await present())).toEqual(['later']);
});

test('a release is later than its own alpha versions', async () => {
  await ensureIndexes(way, declare({ name: 'alpha', key: { alpha: 1 } }), { release: '1.0.0-alpha.2' });
  await ensureIndexes(way, declare(byTime), { release: '1.0.0' });
  expect(Object.keys(await present())).toEqual(['by_time']);
  await ensureIndexes(way, declare(), { release: '1.0.0-alpha.10' });
  expect(Object.keys(await present())).toEqual(['by_time']);
});

test('a build may take longer than the time in which commands must answer', async () => {
  const { proxy, watched: slow } = await byProxy({}, { socketTimeoutMS: SHORT_TIMEOUT });
  let resolve = () => {};
  const release = new Promise<void>((done) => {
    resolve = done;
  });
  let builds = 0;
  proxy.decide(({ name, collection }) => {
    if (name !== 'createIndexes') return 'pass';
    if (collection === 'results') builds += 1;
    return { after: release };
  });
  const built = ensureIndexes(slow, declare(byTime));
  await vi.waitFor(() => expect(builds).toBe(1), { timeout: 120_000 });
  // A command that waits no longer than the timeout shows that it is over.
  await expect(slow.db.command({ createIndexes: 'other', indexes: [byTime] })).rejects.toThrow(/timed out/);
  resolve();
  await built;
  expect(builds).toBe(1);
  expect(Object.keys(await present())).toEqual(['by_time']);
});

test('of several processes one builds, and the others wait for it', async () => {
  const ways = await Promise.all(Array.from({ length: 4 }, () => byProxy()));
  let builds = 0;
  for (const { proxy } of ways) {
    proxy.decide(({ name }) => {
      if (name === 'createIndexes') builds += 1;
      return 'pass';
    });
  }
  await Promise.all(ways.map(({ watched }) => ensureIndexes(watched, declare(byTime))));
  expect(builds).toBe(1);
});

test('the lock of a process that died while it built is taken over', async () => {
  const locks = db.collection<{ _id: string }>('index_builds');
  await locks.insertOne({ _id: 'indexes', holder: 'dead', expires_at: new Date(Date.now() - 1) } as never);
  await ensureIndexes(way, declare(byTime));
  expect(Object.keys(await present())).toEqual(['by_time']);
});

test('a replica set commits a build with a majority; a single server is not asked to', async () => {
  const quorums: unknown[] = [];
  for (const replicaSet of [true, false]) {
    const { proxy, watched } = await byProxy({ replicaSet });
    proxy.decide(({ name, body }) => {
      if (name === 'createIndexes') quorums.push(body['commitQuorum']);
      return 'pass';
    });
    await ensureIndexes(watched, declare({ name: 'i', key: { [String(replicaSet)]: 1 } }));
  }
  expect(quorums).toEqual(['majority', undefined]);
});

test('a failover during a build is survived', async () => {
  const { proxy, watched } = await byProxy({ replicaSet: true });
  let isFirst = true;
  proxy.decide(({ name }) => {
    if (name !== 'createIndexes' || !isFirst) return 'pass';
    isFirst = false;
    return { reply: refusal(11602, 'InterruptedDueToReplStateChange', ['RetryableWriteError']) };
  });
  await ensureIndexes(watched, declare(byTime));
  expect(Object.keys(await present())).toEqual(['by_time']);
});

test('a unique index over equal values is refused with what the server says of it', async () => {
  await db.collection('results').insertMany([{ n: 1 }, { n: 1 }]);
  const unique = declare({ name: 'unique_n', key: { n: 1 }, unique: true });
  await expect(ensureIndexes(way, unique)).rejects.toMatchObject({ code: 11000 });
});
