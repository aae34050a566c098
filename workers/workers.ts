import type { MetricMeter } from '@temporalio/common';
import { type ActivityInterceptorsFactory, NativeConnection } from '@temporalio/worker';
import type { Instrument } from '../activities/backends/host.ts';
import { type Areas, domain } from '../shared/domain/areas.ts';
import type { Settings } from '../shared/domain/settings.ts';
import type { Db } from '../shared/kernel/database.ts';
import { activityPollers } from '../shared/kernel/engine/pollers.ts';
import type { Engine } from '../shared/kernel/engine/temporal.ts';
import { CALIBRATION_QUEUE, FLOW_QUEUE, REVIEW_QUEUE } from '../shared/kernel/engine/workflow-ids.ts';
import type { Logger } from '../shared/kernel/log.ts';
import { findTask as findTaskOfCatalog } from '../shared/tasks/catalog.ts';
import { createWorkerActivities } from './activities.ts';
import { commonOptions } from './backend-workers.ts';
import { workerDeployment } from './deployment.ts';
import { showDisk } from './disk-metrics.ts';
import { mayRun } from './identity.ts';
import { countMeasurements, type MeasurementCounts } from './measurement-metrics.ts';
import { startPeriodicWork } from './periodic-work.ts';
import { createQueueWorker } from './queue-workers.ts';
import { showRuns } from './run-metrics.ts';

export interface WorkerDependencies {
  settings: Settings;
  db: Db;
  engine: Engine;
  log: Logger;
  bundlePath: string;
  identity: string;
  /** Default: the queues in the settings. */
  queues?: readonly string[];
  /** Innermost interceptors of all activities. Tests inject failures here. */
  activityInterceptors?: readonly ActivityInterceptorsFactory[];
  /** Replaces the simulator. Benchmarks use an instrument that measures nothing. */
  instrument?: Instrument;
  /** The tasks of the release. Default: the catalog. */
  findTask?: typeof findTaskOfCatalog;
  /** For metrics about runs; none if undefined. */
  meter?: MetricMeter;
}

export interface RunningWorkers {
  /** Resolves when all workers have stopped; rejects if one fails. */
  finished: Promise<void>;
  /** Build id of the workflow worker; null if workers are not versioned. */
  buildId: string | null;
  /** Shuts down all workers and waits until they have stopped. */
  stop(): Promise<void>;
  reconcile(): Promise<void>;
  /** Compares the open runs with the engine, and records what keeps them from continuing. */
  lookAtRuns(): Promise<unknown>;
}

/** Starts a worker for each queue that this process serves. They share one connection. */
export async function startWorkers(dependencies: WorkerDependencies): Promise<RunningWorkers> {
  const { settings, db, engine, log, bundlePath, identity, activityInterceptors = [], meter } = dependencies;
  const { findTask = findTaskOfCatalog, instrument } = dependencies;
  const deployment = await workerDeployment(settings, bundlePath);
  const connection = await NativeConnection.connect(engine.access.connection);
  const { areas, close: closeAreas } = domain.open({ db, engine, settings, log });
  const counts = meter && countMeasurements(meter, settings.DEFAULT_BACKEND);
  const activities = createWorkerActivities({ settings, db, engine, log, areas, findTask, counts });

  const queues = queuesServed(dependencies.queues ?? settings.WORKER_QUEUES);
  const needs = {
    common: commonOptions({ settings, connection, access: engine.access, identity }),
    activities,
    deployment,
    bundlePath,
    settings,
    activityInterceptors,
    instrument,
  };
  const workers = await Promise.all([...queues].map((queue) => createQueueWorker(queue, needs)));
  if (queues.has(CALIBRATION_QUEUE) && !(await othersServe(engine, identity))) {
    await areas.executions.store.noteResumed(identity, new Date());
  }
  const periodic = startPeriodicWork({ areas, settings, identity, log });
  const shown = meter && counts ? showMetrics({ meter, counts, areas, settings, log }) : [];

  const finished = Promise.all(workers.map((worker) => worker.run())).then(async () => {
    periodic.end();
    await Promise.all(shown.map((each) => each.end()));
    await activities.close();
    await closeAreas();
    await connection.close();
  });
  return {
    finished,
    buildId: deployment?.version.buildId ?? null,
    async stop() {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await finished;
    },
    reconcile: periodic.reconcile,
    lookAtRuns: periodic.lookAtRuns,
  };
}

/** Adds the queues for flow steps and reviews: without their workers, workflows of the queue `calibration` would wait forever. */
function queuesServed(asked: readonly string[]): Set<string> {
  return new Set(asked.includes(CALIBRATION_QUEUE) ? [...asked, FLOW_QUEUE, REVIEW_QUEUE] : asked);
}

/** Whether other processes already serve the runs, so that this process does not resume them. */
async function othersServe(engine: Engine, identity: string): Promise<boolean> {
  const serving = await activityPollers(engine, CALIBRATION_QUEUE);
  return serving.some((other) => other !== identity && mayRun(other));
}

/** Metrics about runs and about the disk. */
function showMetrics({
  meter,
  counts,
  areas,
  settings,
  log,
}: {
  meter: MetricMeter;
  counts: MeasurementCounts;
  areas: Areas;
  settings: Settings;
  log: Logger;
}) {
  const root = settings.CALIB_DATA_PATH;
  return [
    showRuns({ meter, read: areas.runs.openRuns, answers: counts, backend: settings.DEFAULT_BACKEND, log }),
    showDisk({ meter, root, log, shortage: areas.diskSpace.shortage }),
  ];
}
