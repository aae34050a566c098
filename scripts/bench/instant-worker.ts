/**
 * A worker whose simulator takes no time and analyses nothing, so that only the engine's own cost of a task is measured.
 * Child process of `bench -- engine`. It reports when it serves, and how many commands it has sent to the store.
 */
import { join } from 'node:path';
import { domain } from '../../shared/domain/areas.ts';
import { readSettings } from '../../shared/domain/settings.ts';
import { connectDatabase } from '../../shared/kernel/database.ts';
import { connectEngine, engineAccess } from '../../shared/kernel/engine/temporal.ts';
import { ensureIndexes } from '../../shared/kernel/index-builds.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import { workerIdentity } from '../../workers/identity.ts';
import { installRuntime } from '../../workers/runtime.ts';
import { startWorkers } from '../../workers/workers.ts';
import { nothing } from './instant-backend.ts';

const settings = readSettings(process.env);
const log = createLog('worker', settings.LOG_LEVEL);
installRuntime(log);
const database = await connectDatabase(settings.MONGODB_URI, settings.MONGODB_DATABASE, {
  monitorCommands: true,
});
await ensureIndexes(database, domain.collections);
const engine = connectEngine(await engineAccess(settings));
const workers = await startWorkers({
  settings,
  db: database.db,
  engine,
  log,
  bundlePath: await workflowBundle(join(settings.DATA_DIR, 'cache')),
  identity: workerIdentity,
  instrument: { measure: async (request) => nothing(request) },
});

const commands: Record<string, number> = {};
database.client.on('commandStarted', ({ commandName, command }) => {
  const name = `${commandName} ${String(command[commandName])}`;
  commands[name] = (commands[name] ?? 0) + 1;
});
process.on('message', (message) => {
  if (message === 'commands') process.send?.({ commands });
});
process.send?.('serving');
// The parent process has ended.
process.once('disconnect', () => process.exit(1));
process.once('SIGTERM', async () => {
  await workers.stop();
  await engine.close();
  await database.close();
  process.exit(0);
});
