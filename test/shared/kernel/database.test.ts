import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { MongoServerClosedError, MongoServerError } from 'mongodb';
import { describe, expect, inject, test } from 'vitest';
import {
  connectDatabase,
  type Database,
  isStoreFull,
  isStoreUnavailable,
  isUnstorable,
} from '../../../shared/kernel/database.ts';
import { type Fate, openMongoProxy, refusal, withWriteConcernError } from '../../support/mongo-proxy.ts';

/** A way to the store of this test run on which writes never arrive, while all else does. */
async function withoutWrites(use: (address: string) => Promise<void>): Promise<void> {
  const store = new URL(inject('mongodb'));
  const server = createServer((client) => {
    const upstream = connect(Number(store.port), store.hostname);
    client.on('data', (message) => {
      if (!message.includes('\u0002update\u0000')) upstream.write(message);
    });
    upstream.pipe(client);
    for (const [end, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      end.on('error', () => {});
      end.on('close', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(`mongodb://127.0.0.1:${(server.address() as AddressInfo).port}/?directConnection=true`);
  } finally {
    server.close();
  }
}

test('a store answers a ping when it stores something', async () => {
  const database = await connectDatabase(inject('mongodb'), 'ping');
  expect(await database.ping()).toBe(true);
  await database.close();
});

test('a store that talks but stores nothing does not count as answering', () =>
  withoutWrites(async (address) => {
    const database = await connectDatabase(address, 'ping');
    expect(await database.db.command({ ping: 1 })).toMatchObject({ ok: 1 });
    expect(await database.ping()).toBe(false);
    await database.client.close(true);
  }));

test('many who ask at once cost the store one write', async () => {
  const database = await connectDatabase(inject('mongodb'), 'ping', { monitorCommands: true });
  let writes = 0;
  database.client.on('commandStarted', ({ commandName }) => {
    if (commandName === 'update') writes += 1;
  });
  const answers = await Promise.all(Array.from({ length: 50 }, () => database.ping()));
  expect(answers.every(Boolean)).toBe(true);
  expect(writes).toBe(1);
  await database.close();
});

test.each([
  ['a cursor that a restart lost', 43, true],
  ['a primary that steps down', 189, true],
  ['a key that is taken', 11000, false],
])('%s says that the store is away: code %i, %s', (message, code, away) => {
  expect(isStoreUnavailable(new MongoServerError({ message, code }))).toBe(away);
});

test.each([262, 134, 365, 355, 11601, 175, 237, 14031, 64, 79, 100, 91, 189, 10107, 112])(
  'the server error %i says that the store is away',
  (code) => {
    expect(isStoreUnavailable(new MongoServerError({ message: 'refused', code }))).toBe(true);
  },
);

test.each(['RetryableWriteError', 'SystemOverloadedError', 'TransientTransactionError'])(
  'an error that nobody knows says that the store is away when it has the label %s',
  (label) => {
    const error = new MongoServerError({ message: 'refused', code: 999_999, errorLabels: [label] });
    expect(isStoreUnavailable(error)).toBe(true);
    expect(isStoreUnavailable(new MongoServerError({ message: 'refused', code: 999_999 }))).toBe(false);
  },
);

test.each([2, 14, 28, 34, 53, 17419, 17420, 10334])(
  'what is refused with %i cannot be stored, now or later',
  (code) => {
    const error = new MongoServerError({ message: 'refused', code });
    expect([isUnstorable(error), isStoreUnavailable(error)]).toEqual([true, false]);
  },
);

/** What an operation throws when the server answers a write in a way of its own. */
async function thrownFor(
  fate: Fate,
  act: (database: Database) => Promise<unknown>,
  replicaSet = true,
): Promise<unknown> {
  const proxy = await openMongoProxy(inject('mongodb'), { replicaSet });
  const database = await connectDatabase(proxy.uri, 'thrown');
  try {
    proxy.decide(({ name }) => (/^(?:insert|update|findAndModify)$/.test(name) ? fate : 'pass'));
    await act(database);
    return null;
  } catch (thrown) {
    return thrown;
  } finally {
    proxy.decide();
    await database.close();
    await proxy.close();
  }
}

const writes: [string, (database: Database) => Promise<unknown>][] = [
  ['insertOne', ({ db }) => db.collection('a').insertOne({})],
  ['insertMany', ({ db }) => db.collection('a').insertMany([{}, {}], { ordered: false })],
  ['updateOne', ({ db }) => db.collection('a').updateOne({}, { $set: { n: 1 } }, { upsert: true })],
  ['bulkWrite', ({ db }) => db.collection('a').bulkWrite([{ insertOne: { document: {} } }])],
  [
    'findOneAndUpdate',
    ({ db }) => db.collection('a').findOneAndUpdate({}, { $set: { n: 1 } }, { upsert: true }),
  ],
];

describe.each(writes)('%s', (_, act) => {
  test.each([
    [64, 'WriteConcernFailed'],
    [79, 'UnknownReplWriteConcern'],
    [100, 'UnsatisfiableWriteConcern'],
  ])('that a majority did not confirm says that the store is away: %i', async (code, codeName) => {
    const thrown = await thrownFor({ amend: withWriteConcernError(code, codeName) }, act);
    expect(isStoreUnavailable(thrown)).toBe(true);
  });

  test('on a full disk says so', async () => {
    const thrown = await thrownFor({ reply: refusal(14031, 'OutOfDiskSpace') }, act);
    expect([isStoreFull(thrown), isStoreUnavailable(thrown)]).toEqual([true, true]);
  });

  test.each([true, false])(
    'that the connection ends each time says that the store is away; with a replica set: %s',
    async (replicaSet) => {
      expect(isStoreUnavailable(await thrownFor('cut', act, replicaSet))).toBe(true);
      expect(isStoreUnavailable(await thrownFor('lose', act, replicaSet))).toBe(true);
    },
  );
});

test('every bulk of several whose connections end says that the store is away', async () => {
  // The driver labels the error of some of them only: those that it would repeat.
  const reasons: unknown[] = [];
  await thrownFor('lose', async ({ db }) => {
    const bulks = Array.from({ length: 6 }, () =>
      db.collection('a').insertMany([{}, {}], { ordered: false }),
    );
    for (const each of await Promise.allSettled(bulks)) {
      if (each.status === 'rejected') reasons.push(each.reason);
    }
  });
  expect(reasons.length).toBeGreaterThan(0);
  expect(reasons.map(isStoreUnavailable)).toEqual(reasons.map(() => true));
});

test('a server that was closed under a request says that the store is away', () => {
  expect(isStoreUnavailable(new MongoServerClosedError('Server is closed'))).toBe(true);
});

test('an error of a program, or of a pipe to a child process, is none of the store', () => {
  expect(isStoreUnavailable(new TypeError('x is not a function'))).toBe(false);
  expect(isStoreUnavailable(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))).toBe(false);
});
