/** One proxy per activity policy, each with the reason of its choices. */
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
import { backendQueue, FLOW_QUEUE, REVIEW_QUEUE } from '../shared/kernel/engine/workflow-ids.ts';

const nonRetryable = [failureTypes.notStartable, failureTypes.fenced, failureTypes.flow];

/** Store and engine come back: record keeping is repeated for as long as it takes. */
const untilDone = { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '5s' } as const;

/** What operators read of an activity. */
export interface ActivityLabel {
  summary: string;
  /** Under which the engine lists it while it is pending: of all that are, no two may have the same. */
  id: string;
}

function identified({ id, summary }: ActivityLabel) {
  return { summary, activityId: id };
}

/** Activities that keep records: idempotent, so repeated until done; a dead worker shows by its heartbeat. */
export function recordKeeping(policy: RunPolicy, label: string | ActivityLabel) {
  return proxyActivities<CalibrationActivities>({
    startToCloseTimeout: '10 minutes',
    heartbeatTimeout: policy.heartbeat_timeout * 1000,
    retry: { ...untilDone, nonRetryableErrorTypes: nonRetryable },
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    ...(typeof label === 'string' ? { summary: label } : identified(label)),
  });
}

/** Local activities: one attempt, since whatever they cannot do within a moment the normal activity continues. */
export function localActivities() {
  return proxyLocalActivities<LocalActivities>({
    scheduleToCloseTimeout: '5s',
    retry: { maximumAttempts: 1 },
  });
}

/**
 * Does something by a local activity, or by the normal one where the local one fails or answers null. The normal one then
 * reports what is wrong.
 */
export async function locallyOrNot<T>(
  locally: (activities: ReturnType<typeof localActivities>) => Promise<T | null>,
  normally: () => Promise<T>,
): Promise<T> {
  const done = await locally(localActivities()).catch(() => null);
  return done ?? normally();
}

/**
 * Asks a run's flow for its commands, one after the other: by local activities as long as the flow answers at once, then
 * by normal ones, whose queue is fair between projects.
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
 * The activity in which a flow computes. Its queue is fair by project, where the engine is: a step of one project does not
 * wait for all those of another. Cancellation is waited for, so that a run that has ended computes no more.
 */
function flowAdvancing(policy: RunPolicy, { project_id }: HeldRun) {
  return proxyActivities<Pick<CalibrationActivities, 'advanceFlow'>>({
    taskQueue: FLOW_QUEUE,
    priority: { fairnessKey: project_id.slice(0, FAIRNESS_KEY_LIMIT) },
    startToCloseTimeout: '10 minutes',
    heartbeatTimeout: policy.heartbeat_timeout * 1000,
    retry: { ...untilDone, nonRetryableErrorTypes: nonRetryable },
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    summary: 'ask the flow for its next command',
  });
}

/** Characters; the engine takes 64 bytes. */
const FAIRNESS_KEY_LIMIT = 64;

/** Activities that delete: idempotent, so repeated until nothing is left. */
export function deleting(summary: string) {
  return proxyActivities<DeletionActivities>({
    startToCloseTimeout: '30 minutes',
    heartbeatTimeout: '30s',
    retry: untilDone,
    summary,
  });
}

/** Short writes of an update: repeated until done, since a deploy may take store and engine away for a while. */
export function updateNotes(summary: string) {
  return proxyActivities<Pick<UpdateActivities, 'noteUpdate' | 'concludeUpdate'>>({
    startToCloseTimeout: '30s',
    retry: untilDone,
    summary,
  });
}

/**
 * Steps of an update. An updater that dies is noticed by its heartbeat, and the next one goes on; not for ever, since
 * the step itself may be what ends it. What fails by itself is not repeated.
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

/** Somebody waits for the answer: who asks again is the retry. */
export function lookingAtInstallation() {
  return proxyActivities<Pick<UpdateActivities, 'lookAtInstallation'>>({
    scheduleToCloseTimeout: '14s',
    retry: { maximumAttempts: 1 },
    summary: 'look at working tree and remote',
  });
}

/**
 * Activities that review results: what a model takes is bounded by its own time-out, so a start-to-close limit is for what
 * hangs. Cancellation is waited for, so that a batch that has ended asks no model any more.
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

/** An apply waits for as long as others take. */
export function applyTurn() {
  return proxyActivities<Pick<ApplyActivities, 'beginApply'>>({
    ...applying,
    retry: { ...untilDone, nonRetryableErrorTypes: final },
    summary: 'wait for the turn and check the value',
  });
}

/** A step of an apply: what is refused is final, what fails otherwise is given up after some minutes. */
export function applyStep(summary: string) {
  return proxyActivities<Pick<ApplyActivities, 'pullForApply' | 'writeApply' | 'versionApply'>>({
    ...applying,
    scheduleToCloseTimeout: '15 minutes',
    retry: { ...untilDone, nonRetryableErrorTypes: final },
    summary,
  });
}

/** The end of an apply, well or not: idempotent, so repeated until done. */
export function applyEnding(summary: string) {
  return proxyActivities<Pick<ApplyActivities, 'finishApply' | 'failApply'>>({
    ...applying,
    retry: untilDone,
    summary,
  });
}

/** A measurement on a backend; both times are seconds. */
interface Measuring {
  backend: string;
  timeout: number;
  heartbeatTimeout: number;
}

/**
 * The only activity that touches an instrument. One attempt: whether to repeat is the workflow's decision.
 * Cancellation is waited for, else the project would be free while the instrument still runs.
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

/** Seconds beyond a task's own limit, so that a backend can still report that it ran out of time. */
const MEASURE_MARGIN = 15;
