import { type ActivityInterceptorsFactory, Worker, type WorkerDeploymentOptions } from '@temporalio/worker';
import type { Instrument } from '../activities/backends/host.ts';
import type { Settings } from '../shared/domain/settings.ts';
import { CALIBRATION_QUEUE, FLOW_QUEUE, REVIEW_QUEUE } from '../shared/kernel/engine/workflow-ids.ts';
import type { WorkerActivities } from './activities.ts';
import { type commonOptions, createBackendWorker } from './backend-workers.ts';
import { finalErrorInterceptor } from './final-error-interceptor.ts';
import { FLOW_BEAT, heartbeatInterceptor } from './heartbeat-interceptor.ts';

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

export interface QueueWorkerNeeds {
  /** Options of all workers of the process. */
  common: ReturnType<typeof commonOptions>;
  activities: WorkerActivities;
  deployment: WorkerDeploymentOptions | null;
  bundlePath: string;
  settings: Settings;
  /** Innermost interceptors of all activities. */
  activityInterceptors: readonly ActivityInterceptorsFactory[];
  /** Replaces the simulator. */
  instrument: Instrument | undefined;
}

/** Creates the worker of a queue. @throws Error for a queue that this program does not serve */
export function createQueueWorker(queue: string, needs: QueueWorkerNeeds): Promise<Worker> {
  if (queue === CALIBRATION_QUEUE) return calibrationWorker(needs);
  if (queue === FLOW_QUEUE) return flowWorker(needs);
  if (queue === REVIEW_QUEUE) return reviewWorker(needs);
  const { settings, common, activityInterceptors, instrument, activities } = needs;
  return createBackendWorker(queue, {
    settings,
    common,
    activityInterceptors,
    instrument,
    counted: activities.counted,
  });
}

/** Executes the workflows and the activities of runs, except for flow steps, reviews and measurements. */
function calibrationWorker(needs: QueueWorkerNeeds): Promise<Worker> {
  return Worker.create({
    ...needs.common,
    ...(needs.deployment && { workerDeploymentOptions: needs.deployment }),
    taskQueue: CALIBRATION_QUEUE,
    workflowBundle: { codePath: needs.bundlePath },
    maxCachedWorkflows: CACHED_WORKFLOWS,
    maxConcurrentWorkflowTaskExecutions: WORKFLOW_TASK_SLOTS,
    stickyQueueScheduleToStartTimeout: STICKY_TIMEOUT,
    maxConcurrentActivityTaskExecutions: RECORD_SLOTS,
    maxConcurrentLocalActivityExecutions: RECORD_SLOTS,
    interceptors: { activity: interceptorsOf(needs) },
    activities: needs.activities.calibration,
  });
}

/** Accepts all waiting steps: this process chooses the next one by the recent computing time of its user. */
function flowWorker(needs: QueueWorkerNeeds): Promise<Worker> {
  return Worker.create({
    ...needs.common,
    ...(needs.deployment && { workerDeploymentOptions: needs.deployment }),
    taskQueue: FLOW_QUEUE,
    maxConcurrentActivityTaskExecutions: FLOW_SLOTS,
    maxHeartbeatThrottleInterval: FLOW_BEAT,
    defaultHeartbeatThrottleInterval: FLOW_BEAT,
    interceptors: { activity: interceptorsOf(needs) },
    activities: needs.activities.flow,
  });
}

/** Executes reviews of results. */
function reviewWorker(needs: QueueWorkerNeeds): Promise<Worker> {
  return Worker.create({
    ...needs.common,
    taskQueue: REVIEW_QUEUE,
    maxConcurrentActivityTaskExecutions: REVIEW_SLOTS,
    interceptors: { activity: interceptorsOf(needs) },
    activities: needs.activities.review,
  });
}

function interceptorsOf({ activityInterceptors }: QueueWorkerNeeds): ActivityInterceptorsFactory[] {
  return [heartbeatInterceptor, finalErrorInterceptor, ...activityInterceptors];
}
