import { join } from 'node:path';
import { updaterSettings } from '../../activities/system-update/updater-settings.ts';
import { domain } from '../../shared/domain/areas.ts';
import { unknownSettingMessages } from '../../shared/domain/setting-names.ts';
import { readSettings } from '../../shared/domain/settings.ts';
import { checkStoreIsUsable } from '../../shared/domain/store-preparation.ts';
import { connectDatabase } from '../../shared/kernel/database.ts';
import { confirmedEngine } from '../../shared/kernel/engine/confirmed.ts';
import { EngineNotPrepared, prepareEngine } from '../../shared/kernel/engine/prepare.ts';
import { connectEngine, engineAccess } from '../../shared/kernel/engine/temporal.ts';
import { CalibronError } from '../../shared/kernel/errors.ts';
import { ensureIndexes } from '../../shared/kernel/index-builds.ts';
import { createInstallation } from '../../shared/kernel/installation/installation.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { StoreNotMigrated } from '../../shared/kernel/migrations.ts';
import { SettingsError } from '../../shared/kernel/secret-files.ts';
import { tellSourcePositions } from '../../shared/kernel/source-positions.ts';
import { CONNECTION_CLOSE_LIMIT, stopOnSignals } from '../../shared/kernel/stopping.ts';
import { workflowBundle } from '../bundle.ts';
import { showHealth } from '../health.ts';
import { workerIdentity } from '../identity.ts';
import { installationInterceptor } from '../installation-interceptor.ts';
import { installRuntime } from '../runtime.ts';
import { stopLimit } from '../stop-limit.ts';
import { startUpdater } from './updater.ts';

/** The updater: a process that replaces all others, and is itself never replaced during an update. */
async function main(): Promise<void> {
  tellSourcePositions();
  const settings = readSettings(process.env);
  const read = updaterSettings(settings);
  if ('missing' in read)
    throw new SettingsError([`The setting ${read.missing} is missing: the updater needs it.`]);
  const log = createLog('updater', settings.LOG_LEVEL);
  for (const message of unknownSettingMessages(process.env, settings)) log.warn(message);
  installRuntime(log);
  const database = await connectDatabase(settings.MONGODB_URI, settings.MONGODB_DATABASE);
  await checkStoreIsUsable({ database, settings, log });
  await ensureIndexes(database, domain.collections, { report: (message) => log.info(message) });
  const direct = connectEngine(await engineAccess(settings));
  await prepareEngine(direct);
  const installation = createInstallation({ database, engine: direct, address: settings.TEMPORAL_ADDRESS });
  await installation.confirm();
  const engine = confirmedEngine(direct, installation.confirm);
  const updater = await startUpdater({
    settings,
    updater: read.updater,
    db: database.db,
    engine,
    log,
    bundlePath: await workflowBundle(join(settings.DATA_DIR, 'cache'), { updater: true }),
    identity: workerIdentity,
    activityInterceptors: [installationInterceptor(installation)],
  });
  log.info({ repository: read.updater.repository }, 'serving');
  const health = settings.WORKER_HEALTH_FILE
    ? showHealth(settings.WORKER_HEALTH_FILE, [engine, database], log)
    : undefined;
  const stop = stopOnSignals(
    [
      {
        name: 'updater',
        limit: stopLimit(settings),
        run() {
          health?.end();
          return updater.stop();
        },
      },
      { name: 'engine', limit: CONNECTION_CLOSE_LIMIT, run: () => engine.close() },
      { name: 'database', limit: CONNECTION_CLOSE_LIMIT, run: () => database.close() },
    ],
    log,
  );
  installation.watch({ log, changed: (problem) => problem !== null && stop(problem) });
  updater.finished.catch(leave);
}

function leave(thrown: unknown): never {
  const isExpected =
    thrown instanceof SettingsError ||
    thrown instanceof EngineNotPrepared ||
    thrown instanceof StoreNotMigrated ||
    thrown instanceof CalibronError;
  console.error(isExpected ? thrown.message : thrown);
  process.exit(1);
}

main().catch(leave);
