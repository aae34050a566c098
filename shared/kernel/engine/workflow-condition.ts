import type { WorkflowExecutionDescription } from '@temporalio/client';
import { optionalTsToDate } from '@temporalio/common/lib/time.js';
import { type Engine, withinDeadline } from './temporal.ts';

/** Number of events at the end of a history that are searched for a failed workflow task. */
const LAST_EVENTS = 5;
/** "Started" in the engine's enumeration of workflow task states, and "paused" in that of activity states. */
const STARTED = 2;
const PAUSED = 4;

/** Work that the engine waits for: number of failures, message of the last one, and since when it is pending. */
export interface PendingWork {
  failures: number;
  failure: string | null;
  since: Date;
}

export interface PendingActivity extends PendingWork {
  /** The id given by the workflow, otherwise the activity type. */
  name: string;
  /** Type of the last failure; null if it has none. */
  failureType: string | null;
  /** Paused by an operator: no attempt starts until it is resumed. */
  paused: boolean;
}

/** State of an open workflow according to the engine: whether it makes progress, and what it waits for. */
export interface WorkflowCondition {
  cancelRequested: boolean;
  /** Since when an operator has paused it; null if it is not paused. */
  pausedSince: Date | null;
  /** The pending workflow task; `taken` if a worker is processing it. */
  task: (PendingWork & { taken: boolean }) | null;
  activities: PendingActivity[];
  /** Ids of its open children. */
  children: string[];
}

/** Extracts the state from the engine's description; reads the history for the reason of a failed workflow task. */
export async function conditionOf(
  engine: Engine,
  description: WorkflowExecutionDescription,
): Promise<WorkflowCondition> {
  const { pendingActivities, pendingChildren, pendingWorkflowTask, workflowExtendedInfo } = description.raw;
  const task = pendingWorkflowTask && {
    taken: pendingWorkflowTask.state === STARTED,
    failures: Math.max(0, (pendingWorkflowTask.attempt ?? 1) - 1),
    since: timeOf(pendingWorkflowTask.originalScheduledTime ?? pendingWorkflowTask.scheduledTime),
  };
  return {
    cancelRequested: workflowExtendedInfo?.cancelRequested ?? false,
    pausedSince:
      description.status.name === 'PAUSED' ? timeOf(workflowExtendedInfo?.pauseInfo?.pausedTime) : null,
    task: task
      ? { ...task, failure: task.failures > 0 ? await taskFailure(engine, description) : null }
      : null,
    activities: (pendingActivities ?? []).map((activity) => ({
      name: nameOf(activity.activityId ?? '', activity.activityType?.name ?? 'an activity'),
      failures: Math.max(0, (activity.attempt ?? 1) - 1),
      failure: activity.lastFailure?.message ?? null,
      failureType: activity.lastFailure?.applicationFailureInfo?.type ?? null,
      since: timeOf(activity.scheduledTime),
      paused: activity.paused === true || activity.state === PAUSED,
    })),
    children: (pendingChildren ?? []).flatMap(({ workflowId }) => workflowId || []),
  };
}

/** Why the last workflow task failed. Of consecutive failures, the history contains only the first. */
async function taskFailure(
  engine: Engine,
  { workflowId, runId }: WorkflowExecutionDescription,
): Promise<string | null> {
  const { history } = await withinDeadline(engine, () =>
    engine.connection.workflowService.getWorkflowExecutionHistoryReverse({
      namespace: engine.namespace,
      execution: { workflowId, runId },
      maximumPageSize: LAST_EVENTS,
    }),
  );
  for (const { workflowTaskFailedEventAttributes: failed } of history?.events ?? []) {
    if (failed) return failed.failure?.message ?? null;
  }
  return null;
}

/** The id of an activity, or its type: the engine assigns numbers if the workflow gave no id. */
function nameOf(id: string, type: string): string {
  return id === '' || /^\d+$/.test(id) ? type : id;
}

function timeOf(time: Parameters<typeof optionalTsToDate>[0]): Date {
  return optionalTsToDate(time) ?? new Date();
}
