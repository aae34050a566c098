import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { domain } from '../../shared/domain/areas.ts';
import { readSettings } from '../../shared/domain/settings.ts';
import { connectDatabase } from '../../shared/kernel/database.ts';
import { connectEngine, engineAccess } from '../../shared/kernel/engine/temporal.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { addSmallTopology } from './own-topologies.ts';

/** The areas of the domain over a database of their own, for what asks no engine: none answers here. */
export async function openOwnAreas() {
  const directory = await mkdtemp(join(tmpdir(), 'calibron-areas-'));
  const settings = readSettings({ DATA_DIR: directory, TEMPORAL_ADDRESS: '127.0.0.1:1' });
  await addSmallTopology(settings.CONFIG_PATH);
  const uri = process.env.CALIBRON_TEST_MONGODB ?? 'mongodb://unset';
  const database = await connectDatabase(uri, `areas_${newId().slice(0, 8)}`);
  const engine = connectEngine(await engineAccess(settings));
  const kernel = { db: database.db, engine, settings, log: createLog('test', 'SILENT') };
  const { areas, close } = domain.open(kernel);
  return {
    database,
    kernel,
    areas,
    async close() {
      await close();
      await database.db.dropDatabase();
      await Promise.all([database.close(), engine.close()]);
      await rm(directory, { recursive: true });
    },
  };
}
