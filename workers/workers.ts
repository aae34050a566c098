import { availableParallelism } from 'node:os';
import { Context } from '@temporalio/activity';
import type { MetricMeter } from '@temporalio/common';
import { type ActivityInterceptorsFactory, NativeConnection, Worker } from '@temporalio/worker';
import { createAiReviewActivities } from '../activities/ai-review.ts';
import { createAnalysisPool } from '../activities/analysis/pool.ts';
import type { Instrument } from '../activities/backends/host.ts';
import { createApplyActivities } from '../activities/candidate-apply.ts';
import { createChatActivities } from '../activities/chat.ts';
import type { BackendWorkerActivities } from '../activities/contracts/backend-workers.ts';
import { createExecutionActivities } from '../activities/execution.ts';
import { createFlowActivities } from '../activities/flow.ts';
import { createFlowIsolates, flowThreads } from '../activities/flow-isolate/isolate.ts';
import { ownAnalysisActivities } from '../activities/own-analysis.ts';
import { createProjectDeletionActivities } from '../activities/project-deletion.ts';
import { createArtifactFiles } from '../activities/record/artifacts.ts';
import { createFigureDrawing } from '../activities/record/figure-drawing.ts';
import { createLocalRecords } from '../activities/record/local-records.ts';
import { createPlans } from '../activities/record/plans.ts';
import { createTrailingWrites } from '../activities/record/trailing-writes.ts';
import { inFairTurns } from '../activities/record/turns.ts';
import { createUndeliveredRecording } from '../activities/record/undelivered.ts';
import { createRecordActivities } from '../activities/record.ts';
import { createScheduledStartActivities } from '../activities/scheduled-start.ts';
import { createSingleTaskActivities } from '../activities/single-task.ts';
import { createStageActivities } from '../activities/stages.ts';
import { createWorkload } from '../activities/workload.ts';
import { domain } from '../shared/domain/areas.ts';
import type { Settings } from '../shared/domain/settings.ts';
import type { Db } from '../shared/kernel/database.ts';
import { activityPollers } from '../shared/kernel/engine/pollers.ts';
import type { Engine } from '../shared/kernel/engine/temporal.ts';
import { CALIBRATION_QUEUE, FLOW_QUEUE, REVIEW_QUEUE } from '../shared/kernel/engine/workflow-ids.ts';
import type { ProjectId } from '../shared/kernel/ids.ts';
import type { Logger } from '../shared/kernel/log.ts';
import { findTask as findTaskOfCatalog } from '../shared/tasks/catalog.ts';
import { knownTasks } from '../shared/tasks/known-tasks.ts';
import { commonOptions, createBackendWorker } from './backend-workers.ts';
import { workerDeployment } from './deployment.ts';
import { showDisk } from './disk-metrics.ts';
import { finalErrorInterceptor } from './final-error-interceptor.ts';
import { FLOW_BEAT, heartbeatInterceptor } from './heartbeat-interceptor.ts';
import { mayRun } from './identity.ts';
import { countMeasurements } from './measurement-metrics.ts';
import { startRounds } from './rounds.ts';
import { showRuns } from './run-metrics.ts';

/** Milliseconds without an answer after which a killed worker's cached workflows move to another worker. */
const STICKY_TIMEOUT = 2000;
/**
 * Maximum number of record-keeping activities that this process takes at once. They take turns by user in a queue of the process:
 * with few slots, the waiting steps of a busy user would keep other users' activities out of the process.
 */
const RECORD_SLOTS = 256;
/** Workflow tasks wait for their local activities: with fewer slots, recording runs would keep other runs from starting. */
const WORKFLOW_TASK_SLOTS = 200;
/** Maximum number of flow steps accepted at once; they then wait for a thread. */
const FLOW_SLOTS = 200;
/** Maximum number of concurrent reviews. Each is a call of a language model that keeps its pictures in memory. */
const REVIEW_SLOTS = 16;
/** A cached stage of 1,024 qubits takes about 2 MB. */
const CACHED_WORKFLOWS = 200;

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
  const { findTask = findTaskOfCatalog } = dependencies;
  const deployment = await workerDeployment(settings, bundlePath);
  const connection = await NativeConnection.connect(engine.access.connection);
  const analysis = createAnalysisPool({ threads: settings.ANALYSIS_THREADS });
  const isolates = createFlowIsolates({
    threads: settings.FLOW_THREADS ?? flowThreads(availableParallelism()),
    runMs: settings.FLOW_PROCESSOR_SECONDS * 1000,
  });
  const { areas, close: closeAreas } = domain.open({ db, engine, settings, log });
  const { executions, runs, projects, schedules, chat, taskKnowledge } = areas;
  const tasksOf = async (projectId: ProjectId) =>
    knownTasks(await areas.backends.ownTasksOf(projectId), findTask);
  const common = commonOptions({ settings, connection, access: engine.access, identity });

  const flowActivities = createFlowActivities({
    areas,
    isolates,
    tasksOf,
    cancellation: () => Context.current().cancellationSignal,
  });

  const files = createArtifactFiles(settings.CALIB_DATA_PATH);
  const workload = createWorkload();
  const figures = createFigureDrawing({
    mode: settings.FIGURE_DRAWING,
    draw: areas.artifacts.draw,
    untilIdle: workload.untilIdle,
    files,
    log,
  });
  const trailing = createTrailingWrites({ log });
  const plans = createPlans({ areas, findTask });

  const counts = meter && countMeasurements(meter, settings.DEFAULT_BACKEND);
  const { record } = createRecordActivities({
    areas,
    files,
    analysis,
    figures,
    trailing,
    plans,
    keptResults: runs.keptResults,
    heartbeatTimeout: areas.backends.heartbeatTimeout,
    settings,
    counts,
    log,
  });
  const recordActivities = { record: workload.counted(record) };

  /** Accepts all waiting steps: this process chooses the next one by the recent computing time of its user. */
  function flowWorker(): Promise<Worker> {
    return Worker.create({
      ...common,
      ...(deployment && { workerDeploymentOptions: deployment }),
      taskQueue: FLOW_QUEUE,
      maxConcurrentActivityTaskExecutions: FLOW_SLOTS,
      maxHeartbeatThrottleInterval: FLOW_BEAT,
      defaultHeartbeatThrottleInterval: FLOW_BEAT,
      interceptors: { activity: [heartbeatInterceptor, finalErrorInterceptor, ...activityInterceptors] },
      activities: flowActivities,
    });
  }

  function calibrationWorker(): Promise<Worker> {
    return Worker.create({
      ...common,
      ...(deployment && { workerDeploymentOptions: deployment }),
      taskQueue: CALIBRATION_QUEUE,
      workflowBundle: { codePath: bundlePath },
      maxCachedWorkflows: CACHED_WORKFLOWS,
      maxConcurrentWorkflowTaskExecutions: WORKFLOW_TASK_SLOTS,
      stickyQueueScheduleToStartTimeout: STICKY_TIMEOUT,
      maxConcurrentActivityTaskExecutions: RECORD_SLOTS,
      maxConcurrentLocalActivityExecutions: RECORD_SLOTS,
      interceptors: { activity: [heartbeatInterceptor, finalErrorInterceptor, ...activityInterceptors] },
      activities: {
        ...createExecutionActivities({ areas, engine, figures, findTask, log }),
        ...createLocalRecords({ record: inFairTurns(recordActivities.record), log }),
        ...createStageActivities({
          areas,
          plans,
          recordUndelivered: createUndeliveredRecording({ areas, ...recordActivities, log }),
        }),
        // The first steps of a flow are local activities.
        ...flowActivities,
        ...createProjectDeletionActivities({
          db,
          engine,
          settings,
          collections: domain.collections,
          projects,
        }),
        ...createChatActivities({ chat }),
        writeKnowledgePage: taskKnowledge.writePage,
        ...createSingleTaskActivities({ areas, tasksOf }),
        ...createApplyActivities(areas),
        ...ownAnalysisActivities,
        ...({
          noteDescriptions: ({ backend, answers }) => areas.backendWorkers.noteDescriptions(backend, answers),
        } satisfies BackendWorkerActivities),
        ...createScheduledStartActivities({ schedules, runs, projects, execution: executions.store.get }),
      },
    });
  }

  function reviewWorker(): Promise<Worker> {
    return Worker.create({
      ...common,
      taskQueue: REVIEW_QUEUE,
      maxConcurrentActivityTaskExecutions: REVIEW_SLOTS,
      interceptors: { activity: [heartbeatInterceptor, finalErrorInterceptor, ...activityInterceptors] },
      activities: createAiReviewActivities({
        aiReviews: areas.aiReviews,
        cancellation: () => Context.current().cancellationSignal,
      }),
    });
  }

  function workerFor(queue: string): Promise<Worker> {
    if (queue === CALIBRATION_QUEUE) return calibrationWorker();
    if (queue === FLOW_QUEUE) return flowWorker();
    if (queue === REVIEW_QUEUE) return reviewWorker();
    return createBackendWorker(queue, {
      settings,
      common,
      activityInterceptors,
      instrument: dependencies.instrument,
      counted: workload.counted,
    });
  }

  /** Whether other processes already serve the runs, so that this process does not resume them. */
  async function othersServe(): Promise<boolean> {
    const serving = await activityPollers(engine, CALIBRATION_QUEUE);
    return serving.some((other) => other !== identity && mayRun(other));
  }

  const asked = dependencies.queues ?? settings.WORKER_QUEUES;
  // Without workers for flow steps and reviews, workflows of the queue `calibration` would wait forever.
  const queues = new Set(asked.includes(CALIBRATION_QUEUE) ? [...asked, FLOW_QUEUE, REVIEW_QUEUE] : asked);
  const workers = await Promise.all([...queues].map(workerFor));
  if (queues.has(CALIBRATION_QUEUE) && !(await othersServe())) {
    await executions.store.noteResumed(identity, new Date());
  }
  const lookAtRuns = () =>
    runs.reconciler.reconcileAll({
      failed: ({ execution_id }, thrown) =>
        log.warn({ execution_id, error: String(thrown) }, 'could not reconcile'),
      stuck: ({ project_id, execution_id }, trouble) =>
        log.warn(
          { project_id, execution_id, waiting_for: trouble.for, since: trouble.since },
          'run is stuck',
        ),
    });
  const reconcile = async () => {
    await projects.deletion.resume();
    await areas.aiReviews.reconcile();
    await lookAtRuns();
    await chat.resume();
    await areas.images.collect();
    await areas.retention.collect();
  };
  const reconciling = startRounds({
    interval: settings.RECONCILE_INTERVAL * 1000,
    takeRound: (interval) => runs.rounds.take(identity, interval),
    round: reconcile,
    purpose: 'reconcile',
    log,
  });

  const looking = startRounds({
    interval: settings.BACKEND_LOOK_INTERVAL * 1000,
    takeRound: (interval) => runs.rounds.take(identity, interval, new Date(), 'backend workers'),
    round: () => areas.backendWorkers.look(),
    purpose: 'look after the workers of backends',
    log,
  });

  const shown = meter &&
    counts && [
      showRuns({ meter, read: runs.openRuns, answers: counts, backend: settings.DEFAULT_BACKEND, log }),
      showDisk({
        meter,
        root: settings.CALIB_DATA_PATH,
        log,
        shortage: areas.diskSpace.shortage,
      }),
    ];

  const finished = Promise.all(workers.map((worker) => worker.run())).then(async () => {
    reconciling.end();
    looking.end();
    await Promise.all((shown ?? []).map((each) => each.end()));
    await Promise.all([trailing.settle(), figures.end()]);
    await Promise.all([analysis.destroy(), isolates.close(), closeAreas()]);
    await connection.close();
  });
  return {
    finished,
    buildId: deployment?.version.buildId ?? null,
    async stop() {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await finished;
    },
    reconcile,
    lookAtRuns,
  };
}
