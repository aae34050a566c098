/** The OpenAPI document of this version, generated from the route schemas without a store or an engine. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { buildServer } from '../../api/server.ts';
import { readSettings } from '../../shared/domain/settings.ts';
import type { Database } from '../../shared/kernel/database.ts';
import { connectEngine, engineAccess } from '../../shared/kernel/engine/temporal.ts';
import { createLog } from '../../shared/kernel/log.ts';

/** Both documents as JSON values: of the interface, and of the earlier one. */
export async function currentDocuments(): Promise<{ current: unknown; earlier: unknown }> {
  const directory = await mkdtemp(join(tmpdir(), 'calibron-openapi-'));
  const settings = readSettings({ DATA_DIR: directory });
  const database = unconnectedDatabase();
  const engine = connectEngine(await engineAccess(settings));
  try {
    const log = createLog('openapi', 'silent');
    const server = await buildServer({ settings, database, engine, log, isDescription: true });
    const plain = (document: object): unknown => JSON.parse(JSON.stringify(document));
    const documents = { current: plain(server.swagger()), earlier: plain(server.earlierDocument()) };
    await server.close();
    return documents;
  } finally {
    await Promise.all([database.close(), engine.close(), rm(directory, { recursive: true, force: true })]);
  }
}

/** A client that never connects, because describing routes reads nothing. */
function unconnectedDatabase(): Database {
  const client = new MongoClient('mongodb://127.0.0.1:1');
  return {
    db: client.db('calibron'),
    client,
    ping: async () => false,
    onReconnect: () => undefined,
    withoutTimeout: () => client,
    close: () => client.close(),
  };
}
