import type { WorkflowExecutionDescription } from '@temporalio/client';
import { optionalTsToDate } from '@temporalio/common/lib/time.js';
import { type Engine, withinDeadline } from './temporal.ts';

/** Events from the end of a history among which the failure of a workflow task is looked for. */
const LAST_EVENTS = 5;
/** Numbers of "started" among the engine's states of a workflow task, and of "paused" among those of an activity. */
const STARTED = 2;
const PAUSED = 4;

/** Work that the engine waits for: how often it has failed, with what the last time, and since when it is there. */
export interface PendingWork {
  failures: number;
  failure: string | null;
  since: Date;
}

export interface PendingActivity extends PendingWork {
  /** Its id where the workflow named it, else its type. */
  name: string;
  /** By hand: it begins no attempt until it is let go on. */
  paused: boolean;
}

/** What the engine tells about an open workflow: whether it goes on, and what it waits for if not. */
export interface WorkflowCondition {
  cancelRequested: boolean;
  /** By hand: since when it is, null when it is not. */
  pausedSince: Date | null;
  /** The task in which its code is to go on; `taken` when a worker has it. */
  task: (PendingWork & { taken: boolean }) | null;
  activities: PendingActivity[];
  /** Ids of its open children. */
  children: string[];
}

/** Reads what the engine describes; of a workflow task that failed also why. */
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
      since: timeOf(activity.scheduledTime),
      paused: activity.paused === true || activity.state === PAUSED,
    })),
    children: (pendingChildren ?? []).flatMap(({ workflowId }) => workflowId || []),
  };
}

/** Why the last workflow task failed; only the first failure of a row stands in the history. */
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

/** The engine numbers activities whose workflow gave them no id. */
function nameOf(id: string, type: string): string {
  return id === '' || /^\d+$/.test(id) ? type : id;
}

function timeOf(time: Parameters<typeof optionalTsToDate>[0]): Date {
  return optionalTsToDate(time) ?? new Date();
}
