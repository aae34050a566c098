/** One proxy for each activity policy, with the reason for its values. */
import { ActivityCancellationType, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { MeasureRequest } from '../activities/backends/backend.ts';
import type { ApplyActivities } from '../activities/contracts/apply.ts';
import type { DeletionActivities } from '../activities/contracts/deletion.ts';
import type { ReviewActivities } from '../activities/contracts/reviews.ts';
import type {
  AdvanceInput,
  AdvanceOutput,
  CalibrationActivities,
  LocalActivities,
} from '../activities/contracts/runs.ts';
import type { UpdateActivities } from '../activities/contracts/updates.ts';
import type { HeldRun, RunPolicy } from '../shared/domain/runs/run-model.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { shareOfUser } from '../shared/kernel/engine/shares.ts';
import { backendQueue, FLOW_QUEUE, REVIEW_QUEUE } from '../shared/kernel/engine/workflow-ids.ts';

const nonRetryable = [failureTypes.notStartable, failureTypes.fenced, failureTypes.flow];

/** Store and engine will come back, so record keeping is retried without limit. */
const untilDone = { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '5s' } as const;

/** What operators see of an activity in the Temporal UI. */
export interface ActivityLabel {
  summary: string;
  /** Activity id, unique among the pending activities of the workflow. */
  id: string;
}

function identified({ id, summary }: ActivityLabel) {
  return { summary, activityId: id };
}

/** Record keeping: idempotent, so retried until done. A dead worker is detected by its missing heartbeats. */
export function recordKeeping(policy: RunPolicy, label: string | ActivityLabel) {
  return proxyActivities<CalibrationActivities>({
    startToCloseTimeout: '10 minutes',
    heartbeatTimeout: policy.heartbeat_timeout * 1000,
    retry: { ...untilDone, nonRetryableErrorTypes: nonRetryable },
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    ...(typeof label === 'string' ? { summary: label } : identified(label)),
  });
}

/** Local activities: one short attempt. The normal activity takes over what fails or takes longer. */
export function localActivities() {
  return proxyLocalActivities<LocalActivities>({
    scheduleToCloseTimeout: '5s',
    retry: { maximumAttempts: 1 },
  });
}

/**
 * Runs a local activity, or the normal one if the local one fails or returns null. The normal one then reports the error.
 */
export async function locallyOrNot<T>(
  locally: (activities: ReturnType<typeof localActivities>) => Promise<T | null>,
  normally: () => Promise<T>,
): Promise<T> {
  const done = await locally(localActivities()).catch(() => null);
  return done ?? normally();
}

/**
 * Gets the commands of a run's flow one by one: by local activities while the flow answers quickly, then by normal ones, whose
 * queue is shared by users.
 */
export function askingFlow(
  policy: RunPolicy,
  run: HeldRun,
  controller: { withLocalActivity<T>(activity: () => Promise<T>): Promise<T> },
) {
  const steps = flowAdvancing(policy, run);
  let isQuick = true;
  return (request: AdvanceInput): Promise<AdvanceOutput> => {
    const normally = () => {
      isQuick = false;
      return steps.advanceFlow(request);
    };
    return isQuick
      ? locallyOrNot(
          (local) => controller.withLocalActivity(() => local.advanceFlowLocally(request)),
          normally,
        )
      : normally();
  };
}

/**
 * The activity that runs the code of a flow. Where the server supports fairness, the steps of one user do not wait for
 * all steps of another. The workflow waits for cancellation, so that a run that has ended no longer computes.
 */
function flowAdvancing(policy: RunPolicy, { user_id, share_user_id = user_id }: HeldRun) {
  return proxyActivities<Pick<CalibrationActivities, 'advanceFlow'>>({
    taskQueue: FLOW_QUEUE,
    priority: shareOfUser(share_user_id),
    startToCloseTimeout: '10 minutes',
    heartbeatTimeout: policy.heartbeat_timeout * 1000,
    retry: { ...untilDone, nonRetryableErrorTypes: nonRetryable },
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    summary: 'ask the flow for its next command',
  });
}

/** Deletion: idempotent, so retried until nothing is left. */
export function deleting(summary: string) {
  return proxyActivities<DeletionActivities>({
    startToCloseTimeout: '30 minutes',
    heartbeatTimeout: '30s',
    retry: untilDone,
    summary,
  });
}

/** Short writes of a system update: retried until done, because a deploy may stop store and engine for a while. */
export function updateNotes(summary: string) {
  return proxyActivities<Pick<UpdateActivities, 'noteUpdate' | 'concludeUpdate'>>({
    startToCloseTimeout: '30s',
    retry: untilDone,
    summary,
  });
}

/**
 * Steps of a system update. A dead updater is detected by its missing heartbeats, and the next one continues. The number of
 * attempts is limited, because the step itself may end the updater. A step that reports a failure is not retried.
 */
export function updateStep(step: { heartbeat_timeout: number; seconds: number; summary: string }) {
  return proxyActivities<Omit<UpdateActivities, 'noteUpdate' | 'concludeUpdate'>>({
    startToCloseTimeout: step.seconds * 1000,
    heartbeatTimeout: step.heartbeat_timeout * 1000,
    retry: { ...untilDone, maximumAttempts: 4, nonRetryableErrorTypes: updateFailures },
    summary: step.summary,
  });
}

const updateFailures = [failureTypes.workingTree, failureTypes.updateBlocked, failureTypes.command];

/** A caller waits for the answer, and retries. */
export function lookingAtInstallation() {
  return proxyActivities<Pick<UpdateActivities, 'lookAtInstallation'>>({
    scheduleToCloseTimeout: '14s',
    retry: { maximumAttempts: 1 },
    summary: 'look at working tree and remote',
  });
}

/**
 * Reviews of results. The request to a model has its own timeout, so the start-to-close timeout only catches what hangs. The
 * workflow waits for cancellation, so that a batch that has ended sends no more requests.
 */
export function reviewing(label: ActivityLabel) {
  return proxyActivities<ReviewActivities>({
    taskQueue: REVIEW_QUEUE,
    startToCloseTimeout: '70 minutes',
    heartbeatTimeout: '10s',
    retry: untilDone,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    summary: label.summary,
    activityId: label.id,
  });
}

const applying = {
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '30s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
} as const;
const final = [failureTypes.notStartable, failureTypes.notApplied];

/** An apply waits its turn behind others without limit. */
export function applyTurn() {
  return proxyActivities<Pick<ApplyActivities, 'beginApply'>>({
    ...applying,
    retry: { ...untilDone, nonRetryableErrorTypes: final },
    summary: 'wait for the turn and check the value',
  });
}

/** A step of an apply: a refusal is final, any other failure is retried for some minutes. */
export function applyStep(summary: string) {
  return proxyActivities<Pick<ApplyActivities, 'pullForApply' | 'writeApply' | 'versionApply'>>({
    ...applying,
    scheduleToCloseTimeout: '15 minutes',
    retry: { ...untilDone, nonRetryableErrorTypes: final },
    summary,
  });
}

/** The end of an apply, successful or not: idempotent, so retried until done. */
export function applyEnding(summary: string) {
  return proxyActivities<Pick<ApplyActivities, 'finishApply' | 'failApply'>>({
    ...applying,
    retry: untilDone,
    summary,
  });
}

/** A measurement on a backend. Both times are in seconds. */
interface Measuring {
  backend: string;
  timeout: number;
  heartbeatTimeout: number;
}

/**
 * The only activity that uses an instrument. It has one attempt, because the workflow decides whether to repeat it. The
 * workflow waits for cancellation; otherwise the project would be free while the instrument still runs.
 */
export function measuring({ backend, timeout, heartbeatTimeout }: Measuring, label: ActivityLabel) {
  return proxyActivities<{ measure(request: MeasureRequest): Promise<unknown> }>({
    taskQueue: backendQueue(backend),
    startToCloseTimeout: (timeout + MEASURE_MARGIN) * 1000,
    heartbeatTimeout: heartbeatTimeout * 1000,
    retry: { maximumAttempts: 1 },
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    ...identified(label),
  });
}

/** Seconds on top of the time limit of a task, so that a backend can still report that the limit has passed. */
const MEASURE_MARGIN = 15;
