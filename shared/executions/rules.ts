/** Pure decisions about executions. No I/O and no zod: workflows import this file. */
import type { TaskCounts } from './run.ts';

/** States in the order of life (part A 3). */
export const executionStatuses = ['scheduled', 'running', 'completed', 'failed', 'cancelled'] as const;
export type ExecutionStatus = (typeof executionStatuses)[number];
export type ExecutionEndStatus = Extract<ExecutionStatus, 'completed' | 'failed' | 'cancelled'>;
export const openExecutionStatuses = ['scheduled', 'running'] as const;

export function isEndStatus(status: ExecutionStatus): status is ExecutionEndStatus {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** Part A 3: tasks in these states are closed together with their execution. */
export const openTaskStatuses = ['running', 'scheduled', 'pending'] as const;
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

/** States of a closed workflow as the engine names them. */
export type ClosedWorkflowStatus =
  | 'COMPLETED'
  | 'FAILED'
  | 'CANCELLED'
  | 'TERMINATED'
  | 'TIMED_OUT'
  | 'CONTINUED_AS_NEW';

/**
 * End state of an execution whose workflow closed without `finalize`, and the sentence for it.
 * Terminated counts as cancelled, timed out as failed (design 3).
 */
export function endOfClosedWorkflow(status: ClosedWorkflowStatus): {
  status: ExecutionEndStatus;
  message: string;
} {
  switch (status) {
    case 'CANCELLED':
      return { status: 'cancelled', message: 'The run was cancelled.' };
    case 'TERMINATED':
      return { status: 'cancelled', message: 'The run was terminated in the workflow engine.' };
    case 'TIMED_OUT':
      return { status: 'failed', message: 'The run exceeded its time limit in the workflow engine.' };
    case 'COMPLETED':
    case 'FAILED':
    case 'CONTINUED_AS_NEW':
      return { status: 'failed', message: 'The run ended in the workflow engine without being closed.' };
  }
}

/** State of a task that is still open when its execution ends. */
export function endOfOpenTask(execution: ExecutionEndStatus): { status: TaskStatus; message: string } {
  return execution === 'cancelled'
    ? { status: 'cancelled', message: 'The run was cancelled while this task was open.' }
    : { status: 'failed', message: 'The run ended while this task was open.' };
}

/** `YYYYMMDD-NNN`; the number grows to four digits after 999. */
export function formatExecutionId(day: string, index: number): string {
  return `${day}-${String(index).padStart(3, '0')}`;
}

/** Day and number of an execution id, null for another form. */
export function parseExecutionId(executionId: string): { day: string; index: string } | null {
  const match = /^(\d{8})-(\d{3,})$/.exec(executionId);
  return match?.[1] && match[2] ? { day: match[1], index: match[2] } : null;
}

export const noCounts: TaskCounts = { completed: 0, failed: 0, skipped: 0, cancelled: 0, total: 0 };

export function addCounts(a: TaskCounts, b: TaskCounts): TaskCounts {
  return {
    completed: a.completed + b.completed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
    cancelled: a.cancelled + b.cancelled,
    total: a.total + b.total,
  };
}

/** The sentence that an execution's message and the operators' view carry. */
export function countsSentence(counts: TaskCounts): string {
  const parts = [`${counts.completed} of ${counts.total} tasks completed`];
  if (counts.failed > 0) parts.push(`${counts.failed} failed`);
  if (counts.skipped > 0) parts.push(`${counts.skipped} skipped`);
  if (counts.cancelled > 0) parts.push(`${counts.cancelled} cancelled`);
  return `${parts.join(', ')}.`;
}
