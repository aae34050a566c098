import { afterEach, expect, inject, test, vi } from 'vitest';
import { waitForStore } from '../../api/store-wait.ts';
import { freePort } from '../../scripts/engines/processes.ts';
import { readSettings } from '../../shared/domain/settings.ts';
import { connectDatabase, type Database } from '../../shared/kernel/database.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { type MongoProxy, openMongoProxy } from '../support/mongo-proxy.ts';

let proxy: MongoProxy;
let database: Database;

afterEach(async () => {
  await database.db.dropDatabase();
  await database.close();
  await proxy.close();
});

test('while the store is prepared the API is alive, answers 503 and says why, and then lets go of its port', async () => {
  proxy = await openMongoProxy(inject('mongodb'));
  const settings = readSettings({
    MONGODB_URI: proxy.uri,
    MONGODB_DATABASE: `wait_${newId().slice(0, 8)}`,
    API_PORT: String(await freePort()),
  });
  database = await connectDatabase(settings.MONGODB_URI, settings.MONGODB_DATABASE);
  let build = () => {};
  const built = new Promise<void>((resolve) => {
    build = resolve;
  });
  proxy.decide(({ name }) => (name === 'createIndexes' ? { after: built } : 'pass'));
  const waiting = waitForStore({ database, settings, log: createLog('test', 'SILENT') }, 1);

  const ask = (path: string) => fetch(`http://127.0.0.1:${settings.API_PORT}${path}`);
  await vi.waitFor(async () => expect((await ask('/healthz')).status).toBe(200), { timeout: 120_000 });
  const projects = await ask('/projects');
  expect(projects.status).toBe(503);
  expect(projects.headers.get('retry-after')).toBe('5');
  expect(await projects.json()).toEqual({
    detail: 'The database is being prepared for this version; try again in a few minutes.',
    code: 'store_unavailable',
  });
  const ready = await ask('/readyz');
  expect(ready.status).toBe(503);
  expect(await ready.json()).toEqual({ status: 'unavailable', store: false, engine: false });

  build();
  await waiting;
  await expect(ask('/healthz')).rejects.toThrow();
  const indexes = await database.db.collection('users').listIndexes().toArray();
  expect(indexes.length).toBeGreaterThan(1);
});
