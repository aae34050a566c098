/** States of an execution. No I/O and no zod: workflows import this file. */

/** In order of life. */
export const executionStatuses = ['scheduled', 'running', 'completed', 'failed', 'cancelled'] as const;
export type ExecutionStatus = (typeof executionStatuses)[number];
export type ExecutionEndStatus = Extract<ExecutionStatus, 'completed' | 'failed' | 'cancelled'>;
export const openExecutionStatuses = ['scheduled', 'running'] as const;

export function isEndStatus(status: ExecutionStatus): status is ExecutionEndStatus {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** The user who requested a pause or a stop, and when (ISO). */
export interface ControlRequest {
  by: string;
  at: string;
  /** Id of the request, if the requester gave one. */
  request?: string;
}

/** What a run waits for, as the continuation of "Waiting for", and since when (ISO). */
export interface Waiting {
  for: string;
  since: string;
  /** For metrics; absent if only the message describes the wait. */
  kind?: WaitKind;
}

/** What a run may wait for without being paused. */
export type WaitKind = 'approval' | 'backend' | 'disk' | 'preemption' | 'previous_run' | 'release' | 'sleep';

/** The execution that uses the chip in between, and since when (ISO). */
export interface Preempted {
  by: string;
  since: string;
}

/** States of a flow run. SCHEDULED is not included, because a delayed start has no execution yet. */
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

export function flowRunState(execution: {
  status: ExecutionStatus;
  paused?: ControlRequest | null;
  crashed?: boolean;
}): FlowRunState {
  switch (execution.status) {
    case 'scheduled':
    case 'running':
      if (execution.paused) return 'PAUSED';
      return execution.status === 'running' ? 'RUNNING' : 'PENDING';
    case 'completed':
      return 'COMPLETED';
    case 'failed':
      return execution.crashed ? 'CRASHED' : 'FAILED';
    case 'cancelled':
      return execution.crashed ? 'CRASHED' : 'CANCELLED';
  }
}

/** Formats an ISO time in UTC for messages about runs: `2026-01-02 10:42 UTC`. */
export function minuteText(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}

/** What a preempted run waits for. */
export function preemptionText(by: string): string {
  return `execution ${by}, which has a higher priority and uses the chip in between`;
}

/** The wait of a run whose backend has no worker, with what to do about it. */
export function missingWorker(backend: string): string {
  return `a worker for backend ${backend} (none is connected: start it, in Python with calibron backend serve, or cancel the run)`;
}

/**
 * What an execution waits for, as the continuation of "Waiting for"; null while it continues or when it has ended. A pause is
 * always included.
 */
export function waitingReason(execution: {
  status: ExecutionStatus;
  created_at: Date;
  cancel_requested_at?: Date | null;
  paused?: ControlRequest | null;
  waiting?: Waiting | null;
  preempted?: Preempted | null;
  trouble?: Waiting | null;
}): string | null {
  const { status, created_at, cancel_requested_at, paused, waiting, preempted, trouble } = execution;
  if (isEndStatus(status)) return null;
  const pause = paused && `${paused.by} paused the run at ${minuteText(paused.at)}`;
  const also = pause ? `; ${pause}` : '';
  if (trouble) return `${trouble.for}, since ${minuteText(trouble.since)}${also}`;
  if (cancel_requested_at) {
    const at = minuteText(cancel_requested_at.toISOString());
    return `what is under way to end, since the run was cancelled at ${at}${also}`;
  }
  if (preempted) return `${preemptionText(preempted.by)}, since ${minuteText(preempted.since)}${also}`;
  if (pause) return `resume, since ${pause}`;
  if (waiting) return `${waiting.for}, since ${minuteText(waiting.since)}`;
  return status === 'scheduled'
    ? `the service to start the run, since ${minuteText(created_at.toISOString())}`
    : null;
}
