/** States of a task. No I/O and no zod: workflows import this file. */

export const taskStatuses = [
  'scheduled',
  'running',
  'completed',
  'failed',
  'pending',
  'skipped',
  'cancelled',
] as const;
export type TaskStatus = (typeof taskStatuses)[number];
/** Final status of a measured task; a task that never started is skipped. */
export type MeasuredStatus = Extract<TaskStatus, 'completed' | 'failed' | 'cancelled'>;

/** The four final statuses of a task. */
export const taskEnds = ['completed', 'failed', 'skipped', 'cancelled'] as const satisfies TaskStatus[];
export type TaskEnd = (typeof taskEnds)[number];

export function isTaskEnd(status: TaskStatus): status is TaskEnd {
  return taskEnds.some((end) => end === status);
}

/** Tasks in these states are closed together with their execution. */
export const openTaskStatuses = ['running', 'scheduled', 'pending'] as const;

/** Final status of a task that is still open when its execution ends. */
export function endOfOpenTask(execution: MeasuredStatus): { status: TaskStatus; message: string } {
  return execution === 'cancelled'
    ? { status: 'cancelled', message: 'The run was cancelled while this task was open.' }
    : { status: 'failed', message: 'The run ended while this task was open.' };
}
