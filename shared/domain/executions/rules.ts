/** Pure decisions about executions. No I/O and no zod: workflows import this file. */
import type { Asked, RunEnd, TaskCounts, Waiting } from '../runs/run.ts';

/** States in the order of life. */
export const executionStatuses = ['scheduled', 'running', 'completed', 'failed', 'cancelled'] as const;
export type ExecutionStatus = (typeof executionStatuses)[number];
export type ExecutionEndStatus = Extract<ExecutionStatus, 'completed' | 'failed' | 'cancelled'>;
export const openExecutionStatuses = ['scheduled', 'running'] as const;

/** States of a flow run. A delayed start has no execution yet, so SCHEDULED is none of them. */
export const flowRunStates = [
  'PENDING',
  'RUNNING',
  'PAUSED',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'CRASHED',
] as const;
export type FlowRunState = (typeof flowRunStates)[number];

export function flowRunState(run: {
  status: ExecutionStatus;
  paused?: Asked | null;
  crashed?: boolean;
}): FlowRunState {
  switch (run.status) {
    case 'scheduled':
    case 'running':
      if (run.paused) return 'PAUSED';
      return run.status === 'running' ? 'RUNNING' : 'PENDING';
    case 'completed':
      return 'COMPLETED';
    case 'failed':
      return run.crashed ? 'CRASHED' : 'FAILED';
    case 'cancelled':
      return run.crashed ? 'CRASHED' : 'CANCELLED';
  }
}

/** What an execution waits for, as a sentence goes on after "Waiting for"; null while it goes on or has ended. */
export function waitingSentence(run: {
  status: ExecutionStatus;
  created_at: Date;
  paused?: Asked | null;
  waiting?: Waiting | null;
}): string | null {
  if (isEndStatus(run.status)) return null;
  const clock = (time: string) => `${time.slice(0, 16).replace('T', ' ')} UTC`;
  if (run.paused) return `resume, since ${run.paused.by} paused the run at ${clock(run.paused.at)}`;
  if (run.waiting) return `${run.waiting.for}, since ${clock(run.waiting.since)}`;
  return run.status === 'scheduled'
    ? `a worker that takes the run, since ${clock(run.created_at.toISOString())}`
    : null;
}

export function isEndStatus(status: ExecutionStatus): status is ExecutionEndStatus {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** Tasks in these states are closed together with their execution. */
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
 * Terminated counts as cancelled, timed out as failed.
 */
export function endOfClosedWorkflow(status: ClosedWorkflowStatus): RunEnd {
  switch (status) {
    case 'CANCELLED':
      return { status: 'cancelled', message: 'The run was cancelled.' };
    case 'TERMINATED':
      return {
        status: 'cancelled',
        message: 'The run was terminated in the workflow engine.',
        crashed: true,
      };
    case 'TIMED_OUT':
      return {
        status: 'failed',
        message: 'The run exceeded its time limit in the workflow engine.',
        crashed: true,
      };
    case 'COMPLETED':
    case 'FAILED':
    case 'CONTINUED_AS_NEW':
      return { status: 'failed', message: 'The run ended in the workflow engine without being closed.' };
  }
}

/**
 * End of a run that people stopped: what it had measured by then counts, so it is completed as soon as one task is.
 */
export function endOfStoppedRun(by: string, counts: TaskCounts): RunEnd {
  return counts.completed > 0
    ? { status: 'completed', message: `${by} stopped the run.` }
    : { status: 'cancelled', message: `${by} stopped the run before a task was completed.` };
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
