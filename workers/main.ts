import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Runtime } from '@temporalio/worker';
import { unknownSettingMessages } from '../shared/domain/setting-names.ts';
import { readSettings, type Settings } from '../shared/domain/settings.ts';
import { prepareStore } from '../shared/domain/store-preparation.ts';
import { connectDatabase, isStoreUnavailable } from '../shared/kernel/database.ts';
import { confirmedEngine } from '../shared/kernel/engine/confirmed.ts';
import { EngineNotPrepared, prepareEngine } from '../shared/kernel/engine/prepare.ts';
import { connectEngine, engineAccess, isEngineUnavailable } from '../shared/kernel/engine/temporal.ts';
import { CalibronError, messageOf } from '../shared/kernel/errors.ts';
import { createInstallation } from '../shared/kernel/installation/installation.ts';
import { createLog, type Logger } from '../shared/kernel/log.ts';
import { StoreNotMigrated } from '../shared/kernel/migrations.ts';
import { SettingsError } from '../shared/kernel/secret-files.ts';
import { tellSourcePositions } from '../shared/kernel/source-positions.ts';
import { CONNECTION_CLOSE_LIMIT, stopOnSignals } from '../shared/kernel/stopping.ts';
import { logStoreWarnings } from '../shared/kernel/store-warnings.ts';
import { onlyMeasures, startBackendWorkers } from './backend-workers.ts';
import { workflowBundle } from './bundle.ts';
import { createEarlyLook } from './early-look.ts';
import { showHealth } from './health.ts';
import { workerIdentity } from './identity.ts';
import { installationInterceptor } from './installation-interceptor.ts';
import { installRuntime } from './runtime.ts';
import { stopLimit } from './stop-limit.ts';
import { startWorkers } from './workers.ts';

/** Heap growth in percent of the used memory that triggers garbage collection. V8's default lets a small heap grow fourfold. */
const HEAP_GROWTH = 100;

async function main(): Promise<void> {
  tellSourcePositions();
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);
  const settings = readSettings(process.env);
  const log = createLog('worker', settings.LOG_LEVEL);
  for (const message of unknownSettingMessages(process.env, settings)) log.warn(message);
  const metrics = settings.WORKER_METRICS_ADDRESS;
  const early = createEarlyLook(log);
  installRuntime(log, { metrics, onFailingTask: early.notice });
  if (onlyMeasures(settings.WORKER_QUEUES)) return measureOnly(settings, log);
  const database = await connectDatabase(settings.MONGODB_URI, settings.MONGODB_DATABASE);
  await logStoreWarnings(database.db, settings.MONGODB_URI, log);
  await prepareStore({ database, settings, log }, { report: (message) => log.info(message) });
  const direct = connectEngine(await engineAccess(settings));
  await prepareEngine(direct);
  const installation = createInstallation({
    database,
    engine: direct,
    address: settings.TEMPORAL_ADDRESS,
    dataRoot: settings.CALIB_DATA_PATH,
  });
  await installation.confirm();
  const engine = confirmedEngine(direct, installation.confirm);
  const workers = await startWorkers({
    settings,
    db: database.db,
    engine,
    log,
    bundlePath: await workflowBundle(join(settings.DATA_DIR, 'cache'), {
      versioned: settings.WORKER_DEPLOYMENT !== undefined,
    }),
    identity: workerIdentity,
    activityInterceptors: [installationInterceptor(installation)],
    ...(metrics !== undefined && { meter: Runtime.instance().metricMeter }),
  });
  early.use(workers.lookAtRuns);
  log.info({ queues: settings.WORKER_QUEUES, build_id: workers.buildId }, 'serving');
  const health = settings.WORKER_HEALTH_FILE
    ? showHealth(settings.WORKER_HEALTH_FILE, [engine, database], log)
    : undefined;
  const stop = stopOnSignals(
    [
      {
        name: 'workers',
        limit: stopLimit(settings),
        run() {
          health?.end();
          early.end();
          return workers.stop();
        },
      },
      { name: 'engine', limit: CONNECTION_CLOSE_LIMIT, run: () => engine.close() },
      { name: 'database', limit: CONNECTION_CLOSE_LIMIT, run: () => database.close() },
    ],
    log,
  );
  installation.watch({ log, changed: (problem) => problem !== null && stop(problem) });
  workers.finished.catch(leave);
}

/** Serves backends. This process has no access to the store. */
async function measureOnly(settings: Settings, log: Logger): Promise<void> {
  const engine = connectEngine(await engineAccess(settings));
  const workers = await startBackendWorkers({ settings, access: engine.access, identity: workerIdentity });
  log.info({ queues: settings.WORKER_QUEUES }, 'serving');
  const health = settings.WORKER_HEALTH_FILE
    ? showHealth(settings.WORKER_HEALTH_FILE, [engine], log)
    : undefined;
  stopOnSignals(
    [
      {
        name: 'workers',
        limit: stopLimit(settings),
        run() {
          health?.end();
          return workers.stop();
        },
      },
      { name: 'engine', limit: CONNECTION_CLOSE_LIMIT, run: () => engine.close() },
    ],
    log,
  );
  workers.finished.catch(leave);
}

function leave(thrown: unknown): never {
  console.error(reasonOf(thrown));
  process.exit(1);
}

/** The message if an operator can fix the problem, otherwise the whole error. */
function reasonOf(thrown: unknown): unknown {
  if (thrown instanceof SettingsError || thrown instanceof EngineNotPrepared) return thrown.message;
  if (thrown instanceof StoreNotMigrated) return `The workers cannot serve. ${thrown.message}`;
  if (thrown instanceof CalibronError) return `The workers cannot serve. ${thrown.message}`;
  if (isEngineUnavailable(thrown)) return `The workers cannot reach Temporal: ${messageOf(thrown)}`;
  if (isStoreUnavailable(thrown)) return `The workers cannot reach the store: ${messageOf(thrown)}`;
  return thrown;
}

main().catch(leave);
