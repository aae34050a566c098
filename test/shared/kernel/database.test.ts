import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { MongoServerClosedError, MongoServerError } from 'mongodb';
import { expect, inject, test } from 'vitest';
import { connectDatabase, isStoreUnavailable } from '../../../shared/kernel/database.ts';

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

test('a server that was closed under a request says that the store is away', () => {
  expect(isStoreUnavailable(new MongoServerClosedError('Server is closed'))).toBe(true);
});

test('an error of a program, or of a pipe to a child process, is none of the store', () => {
  expect(isStoreUnavailable(new TypeError('x is not a function'))).toBe(false);
  expect(isStoreUnavailable(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))).toBe(false);
});
