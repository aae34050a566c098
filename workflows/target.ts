/** The loop of one target: record, measure, record, measure … until its tasks are done. */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  isCancellation,
  TimeoutFailure,
  uuid4,
} from '@temporalio/workflow';
import type { MeasureRequest } from '../activities/backends/backend.ts';
import type { FinishedMeasurement, RecordOutput } from '../activities/contract.ts';
import { failureTypes } from '../shared/engine/failure-types.ts';
import { unreadableReason } from '../shared/engine/unreadable.ts';
import type { HeldRun, OpenTarget, RunPolicy } from '../shared/executions/run.ts';
import { measuring, recordKeeping } from './policies.ts';

export interface TargetRun {
  run: HeldRun;
  policy: RunPolicy;
  stage: number;
  /** True when no further measurement may be prepared: the stage is about to continue as new. */
  draining(): boolean;
  /** Told what each record brought to an end. */
  onRecord(ended: RecordOutput): void;
}

/**
 * Runs the tasks of one target from `open.index` on.
 * @returns where to go on when the stage drains, null when the target is done.
 */
export async function runTarget(context: TargetRun, open: OpenTarget): Promise<OpenTarget | null> {
  const { run, policy, stage } = context;
  const records = recordKeeping(policy, `${open.target}: record`);
  const place = { run, stage, target: open.target };
  let recorded = await records.record({ ...place, index: open.index, finished: null, next_task_id: uuid4() });
  context.onRecord(recorded);
  while (recorded.next) {
    const { index, request, timeout } = recorded.next;
    const finished = await measure(run, policy, request, timeout);
    const cancelled = CancellationScope.current().consideredCancelled;
    const next_task_id = cancelled || context.draining() ? null : uuid4();
    // What was measured is kept even when the run is being cancelled.
    recorded = await CancellationScope.nonCancellable(() =>
      records.record({ ...place, index, finished, next_task_id }),
    );
    context.onRecord(recorded);
    if (cancelled) throw new CancelledFailure('cancelled after a measurement');
    if (next_task_id === null && recorded.failed === 0) return { target: open.target, index: index + 1 };
  }
  return null;
}

/** Makes a measurement; repeats it once when its worker died or stopped, never when it answered. */
async function measure(
  run: HeldRun,
  policy: RunPolicy,
  request: MeasureRequest,
  timeout: number,
): Promise<FinishedMeasurement> {
  const { task_id } = request;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const summary = `${request.task_name} ${request.targets.join(', ')}${attempt > 1 ? ` (attempt ${attempt})` : ''}`;
      const result = await measuring(run.backend, timeout, policy, summary).measure({ ...request, attempt });
      const unreadable = unreadableReason(result);
      return unreadable === null
        ? { task_id, attempt, result, failure: null }
        : { task_id, attempt, result: null, failure: `The backend's answer cannot be read: ${unreadable}.` };
    } catch (thrown) {
      if (isCancellation(thrown) || CancellationScope.current().consideredCancelled) throw thrown;
      if (!(thrown instanceof ActivityFailure)) throw thrown;
      if (attempt < 2 && isLostWorker(thrown.cause)) continue;
      return { task_id, attempt, result: null, failure: sentenceOf(thrown.cause) };
    }
  }
}

/** A worker that died or was stopped says nothing about the measurement; all else is an answer. */
function isLostWorker(cause: unknown): boolean {
  if (cause instanceof TimeoutFailure) return cause.timeoutType === 'HEARTBEAT';
  return cause instanceof ApplicationFailure && cause.type === failureTypes.workerShutdown;
}

const SENTENCE_LIMIT = 2000;

function sentenceOf(cause: unknown): string {
  if (cause instanceof TimeoutFailure) {
    return cause.timeoutType === 'HEARTBEAT'
      ? 'The measuring worker gave no sign of life twice in a row; the measurement was given up.'
      : 'The measurement exceeded its time limit.';
  }
  const text = (cause instanceof Error ? cause.message : 'unknown').slice(0, SENTENCE_LIMIT);
  return text.startsWith('The backend') ? text : `The backend reported an error: ${text}`;
}
