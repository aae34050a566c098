import {
  type ActivityInterceptorsFactory,
  NativeConnection,
  Worker,
  type WorkerOptions,
} from '@temporalio/worker';
import { createMeasureActivity, type Instrument } from '../activities/backends/host.ts';
import { createSimulator } from '../activities/backends/simulator/simulator.ts';
import type { Settings } from '../shared/domain/settings.ts';
import type { EngineAccess } from '../shared/kernel/engine/temporal.ts';
import { backendQueue, isBackendQueue } from '../shared/kernel/engine/workflow-ids.ts';
import { SIMULATOR_BACKEND } from '../shared/tasks/model.ts';
import { finalErrorInterceptor } from './final-error-interceptor.ts';
import { SHUTDOWN_FORCE } from './stop-limit.ts';

/** Maximum milliseconds between heartbeats. Their answers report cancellation. */
const HEARTBEAT_THROTTLE = 3000;
/** Maximum number of concurrent measurements of the simulator. */
const MEASURE_SLOTS = 200;

/** Options that all workers of a process share. */
export function commonOptions({
  settings,
  connection,
  access,
  identity,
}: {
  settings: Settings;
  connection: NativeConnection;
  access: EngineAccess;
  identity: string;
}) {
  return {
    connection,
    namespace: access.namespace,
    identity,
    dataConverter: access.dataConverter,
    shutdownGraceTime: settings.WORKER_GRACE * 1000,
    shutdownForceTime: settings.WORKER_GRACE * 1000 + SHUTDOWN_FORCE,
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE,
    defaultHeartbeatThrottleInterval: HEARTBEAT_THROTTLE,
  } satisfies Partial<WorkerOptions>;
}

export interface BackendWorkerNeeds {
  settings: Settings;
  common: ReturnType<typeof commonOptions>;
  activityInterceptors?: readonly ActivityInterceptorsFactory[];
  /** Replaces the simulator. Benchmarks use an instrument that measures nothing. */
  instrument?: Instrument | undefined;
  /** Counts measurements in progress, so that a process knows when it is idle. */
  counted?: (measure: Measure) => Measure;
}

type Measure = ReturnType<typeof createMeasureActivity>;

/**
 * Serves a backend as a lab's own worker does: it needs only Temporal and the instrument.
 * @throws Error for a queue that this program does not serve
 */
export async function createBackendWorker(queue: string, needs: BackendWorkerNeeds): Promise<Worker> {
  const { settings, common, activityInterceptors = [], counted = (measure) => measure } = needs;
  if (queue !== backendQueue(SIMULATOR_BACKEND)) {
    throw new Error(`This program serves no queue ${queue}; see WORKER_QUEUES in docs/settings.md.`);
  }
  const instrument = needs.instrument ?? simulatorOf(settings);
  return Worker.create({
    ...common,
    taskQueue: queue,
    maxConcurrentActivityTaskExecutions: MEASURE_SLOTS,
    interceptors: { activity: [finalErrorInterceptor, ...activityInterceptors] },
    activities: { measure: counted(createMeasureActivity(instrument)) },
  });
}

/** The instrument of backend `simulator`. */
function simulatorOf(settings: Settings): Instrument {
  return createSimulator({
    ...(settings.SIMULATOR_SEED ? { seed: settings.SIMULATOR_SEED } : {}),
    ...(settings.SIMULATOR_NOISE_SEED ? { noiseSeed: settings.SIMULATOR_NOISE_SEED } : {}),
    ...(settings.SIMULATOR_JOURNAL ? { journalPath: settings.SIMULATOR_JOURNAL } : {}),
    ...(settings.SIMULATOR_FAULTS ? { faultsPath: settings.SIMULATOR_FAULTS } : {}),
    ...(settings.UPLOAD_URL ? { uploadUrl: settings.UPLOAD_URL } : {}),
    timeScale: settings.SIMULATOR_SECONDS,
  });
}

/** Whether a process that serves these queues only measures, so that it needs no store. */
export function onlyMeasures(queues: readonly string[]): boolean {
  return queues.length > 0 && queues.every(isBackendQueue);
}

/** Starts the workers of a process that only measures. It has access to Temporal and to nothing else. */
export async function startBackendWorkers({
  settings,
  access,
  identity,
}: {
  settings: Settings;
  access: EngineAccess;
  identity: string;
}): Promise<{ finished: Promise<void>; stop(): Promise<void> }> {
  const connection = await NativeConnection.connect(access.connection);
  const common = commonOptions({ settings, connection, access, identity });
  const workers = await Promise.all(
    settings.WORKER_QUEUES.map((queue) => createBackendWorker(queue, { settings, common })),
  );
  const finished = Promise.all(workers.map((worker) => worker.run())).then(() => connection.close());
  return {
    finished,
    async stop() {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await finished;
    },
  };
}
