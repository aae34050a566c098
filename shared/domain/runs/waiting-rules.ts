/** What open runs wait for, as metrics count it. Pure. */
import type { ExecutionDocument } from '../executions/model.ts';
import type { WaitKind } from '../executions/status-rules.ts';

/** In the label `for` of the metric: what a run may wait for. */
export const countedWaits = [
  'approval',
  'backend',
  'cancel',
  'disk',
  'preemption',
  'previous_run',
  'release',
  'repair',
  'resume',
  'sleep',
  'worker',
] as const satisfies readonly (WaitKind | 'cancel' | 'repair' | 'resume' | 'worker')[];
export type CountedWait = (typeof countedWaits)[number];

/** Milliseconds that a run may take to be taken on before it counts as waiting for a worker. */
const TAKEN_WITHIN = 30_000;

/**
 * What an open run waits for, null while it goes on. Of several: what needs repair comes first, then the request of a person.
 */
export function countedWait(
  execution: Pick<
    ExecutionDocument,
    'status' | 'created_at' | 'trouble' | 'cancel_requested_at' | 'paused' | 'preempted' | 'waiting'
  >,
  now: Date,
): CountedWait | null {
  const { status, created_at, trouble, cancel_requested_at, paused, preempted, waiting } = execution;
  if (trouble) return trouble.kind ?? 'repair';
  if (cancel_requested_at) return 'cancel';
  if (preempted) return 'preemption';
  if (paused) return 'resume';
  if (waiting) return waiting.kind ?? null;
  const isLate = now.getTime() - created_at.getTime() > TAKEN_WITHIN;
  return status === 'scheduled' && isLate ? 'worker' : null;
}
