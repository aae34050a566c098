import type { WorkflowExecutionDescription } from '@temporalio/client';

/** An activity in the engine's description of a workflow that has not ended. */
export type PendingActivity = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];

/** The engine's numbers for an activity that no worker has taken, and for one that a worker has. */
const SCHEDULED = 1;
const STARTED = 2;

const isMeasurement = ({ activityType }: PendingActivity) => activityType?.name === 'measure';

/** Whether it is a measurement that waits in the queue of its backend. */
export function isWaitingMeasurement(activity: PendingActivity): boolean {
  return isMeasurement(activity) && Number(activity.state) === SCHEDULED;
}

/** Whether it is a measurement that a worker has taken. */
export function isTakenMeasurement(activity: PendingActivity): boolean {
  return isMeasurement(activity) && Number(activity.state) === STARTED;
}
