import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, Socket } from 'node:net';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import '../../../shared/kernel/closed-connections.ts';
import { connectDatabase, type Database, isStoreUnavailable } from '../../../shared/kernel/database.ts';

const server = createServer((client) => {
  const store = new URL(inject('mongodb'));
  const upstream = connect(Number(store.port), store.hostname);
  client.pipe(upstream).pipe(client);
  client.on('error', () => {}).on('close', () => upstream.destroy());
  upstream.on('error', () => {}).on('close', () => client.destroy());
});
/** Every connection that this process has opened. */
const opened = new Set<Socket>();
let database: Database;

beforeAll(async () => {
  subscribe('net.client.socket', (message) => {
    if (typeof message !== 'object' || message === null || !('socket' in message)) return;
    if (message.socket instanceof Socket) opened.add(message.socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const uri = `mongodb://127.0.0.1:${port}/?directConnection=true&heartbeatFrequencyMS=500`;
  database = await connectDatabase(uri, 'closed_connections', { monitorCommands: true });
});
afterAll(async () => {
  await database.close();
  server.close();
});

/**
 * Ends the driver's connections when it says this, which is before it writes and before it can hear of the end.
 * @param error with which the system ends them, if with one
 */
function endAtNext(event: 'serverHeartbeatStarted' | 'commandStarted', error?: Error): Promise<void> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve) => {
    database.client.once(event, () => {
      for (const socket of opened) if (socket.remotePort === port) socket.destroy(error);
      resolve();
    });
  });
}

test('a store is found again whose connection ended when the driver was about to look for it', async () => {
  await endAtNext('serverHeartbeatStarted');
  await once(database.client, 'serverHeartbeatFailed');
  await expect(database.db.command({ ping: 1 })).resolves.toMatchObject({ ok: 1 });
});

test.each([
  ['ended', undefined],
  ['failed', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })],
])(
  'an operation whose connection %s when it was about to be written fails, and says that the store is away',
  async (_how, error) => {
    await database.db.command({ ping: 1 });
    const ended = endAtNext('commandStarted', error);
    const thrown: unknown = await database.db
      .collection('any')
      .insertOne({ value: 1 })
      .catch((error: unknown) => error);
    await ended;
    expect(isStoreUnavailable(thrown), String(thrown)).toBe(true);
  },
);
