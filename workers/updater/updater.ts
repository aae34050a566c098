import { type ActivityInterceptorsFactory, NativeConnection, Worker } from '@temporalio/worker';
import type { UpdaterSettings } from '../../activities/system-update/updater-settings.ts';
import { createSystemUpdateActivities } from '../../activities/system-update.ts';
import { domain } from '../../shared/domain/areas.ts';
import type { Settings } from '../../shared/domain/settings.ts';
import type { Db } from '../../shared/kernel/database.ts';
import type { Engine } from '../../shared/kernel/engine/temporal.ts';
import { SYSTEM_QUEUE } from '../../shared/kernel/engine/workflow-ids.ts';
import type { Logger } from '../../shared/kernel/log.ts';
import { heartbeatInterceptor } from '../heartbeat-interceptor.ts';
import { SHUTDOWN_FORCE } from '../stop-limit.ts';

/** Maximum number of concurrent activities. An installation has at most one update at a time. */
const SLOTS = 4;
/** Milliseconds without an answer after which a killed updater's cached workflow moves to another updater. */
const STICKY_TIMEOUT = 2000;
/** Maximum milliseconds between heartbeats. */
const HEARTBEAT_THROTTLE = 1000;

/** Serves the queue of system updates until it is stopped. */
export async function startUpdater(dependencies: {
  settings: Settings;
  updater: UpdaterSettings;
  db: Db;
  engine: Engine;
  log: Logger;
  bundlePath: string;
  identity: string;
  /** Innermost interceptors of all activities. */
  activityInterceptors?: readonly ActivityInterceptorsFactory[];
}): Promise<{ finished: Promise<void>; stop(): Promise<void> }> {
  const {
    settings,
    updater,
    db,
    engine,
    log,
    bundlePath,
    identity,
    activityInterceptors = [],
  } = dependencies;
  const { areas, close: closeAreas } = domain.open({ db, engine, settings, log });
  const connection = await NativeConnection.connect(engine.access.connection);
  const worker = await Worker.create({
    connection,
    namespace: engine.namespace,
    identity,
    dataConverter: engine.access.dataConverter,
    taskQueue: SYSTEM_QUEUE,
    workflowBundle: { codePath: bundlePath },
    maxConcurrentActivityTaskExecutions: SLOTS,
    stickyQueueScheduleToStartTimeout: STICKY_TIMEOUT,
    shutdownGraceTime: settings.WORKER_GRACE * 1000,
    shutdownForceTime: settings.WORKER_GRACE * 1000 + SHUTDOWN_FORCE,
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE,
    defaultHeartbeatThrottleInterval: HEARTBEAT_THROTTLE,
    interceptors: { activity: [heartbeatInterceptor, ...activityInterceptors] },
    activities: createSystemUpdateActivities({ areas, updater, log, environment: process.env }),
  });
  const finished = worker.run().then(async () => {
    await closeAreas();
    await connection.close();
  });
  return {
    finished,
    async stop() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await finished;
    },
  };
}
