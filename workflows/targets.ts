/** The loop of a target: record, measure, record, measure … until its tasks are done. */
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
import type { FinishedMeasurement, RecordOutput, TaskScope } from '../activities/contract.ts';
import type { HeldRun, RunPolicy } from '../shared/domain/runs/run-model.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { unreadableReason } from '../shared/kernel/engine/unreadable.ts';
import { measuring, recordKeeping } from './policies.ts';

export interface TargetsRun {
  run: HeldRun;
  policy: RunPolicy;
  stage: number;
  /** What a measurement covers, for each task of the list. */
  scopes: readonly TaskScope[];
  /** True when no further measurement may be prepared: the stage continues as new, is paused or stopped. */
  holdsBack(): boolean;
  /** Told what each record brought to an end. */
  onRecord(ended: RecordOutput): void;
}

/**
 * Runs the tasks of one target, or one task that several targets share, from `index` on.
 * @returns targets that go on and where: the list's end, a task they share with others, or where the stage holds back.
 */
export async function runTargets(
  context: TargetsRun,
  targets: string[],
  index: number,
): Promise<Pick<RecordOutput, 'passed' | 'index'>> {
  const { run, policy, stage, scopes } = context;
  const label = labelOf(targets);
  const records = recordKeeping(policy, { summary: `${label}: record`, id: `record · ${label}` });
  let recorded = await records.record({ run, stage, targets, index, finished: null, next_task_id: uuid4() });
  context.onRecord(recorded);
  while (recorded.next) {
    const { request, timeout } = recorded.next;
    const { passed, index: at } = recorded;
    const finished = await measure(run, policy, request, timeout);
    const cancelled = CancellationScope.current().consideredCancelled;
    const goesOn = !cancelled && !context.holdsBack() && scopes[at] === 'target';
    // What was measured is kept even when the run is being cancelled.
    recorded = await CancellationScope.nonCancellable(() =>
      records.record({
        run,
        stage,
        targets: passed,
        index: at,
        finished,
        next_task_id: goesOn ? uuid4() : null,
      }),
    );
    context.onRecord(recorded);
    if (cancelled) throw new CancelledFailure('cancelled after a measurement');
  }
  return recorded;
}

/**
 * Targets as operators read them; the engine limits a summary to 400 bytes. Of those under way at once no two have the
 * same: a target is measured by one activity at a time.
 */
function labelOf(targets: readonly string[]): string {
  return targets.length > 4 ? `${targets[0]} and ${targets.length - 1} more` : targets.join(', ');
}

/** Makes a measurement; repeats it once when its worker died or stopped or an operator reset it, never when it answered. */
async function measure(
  run: HeldRun,
  policy: RunPolicy,
  request: MeasureRequest,
  timeout: number,
): Promise<FinishedMeasurement> {
  const { task_id } = request;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const label = labelOf(request.targets);
      const result = await measuring(run.backend, timeout, policy, {
        summary: `${request.task_name} ${label}${attempt > 1 ? ` (attempt ${attempt})` : ''}`,
        id: `${request.task_name} · ${label} · ${attempt}`,
      }).measure({ ...request, attempt });
      const unreadable = unreadableReason(result);
      return unreadable === null
        ? { task_id, attempt, result, failure: null }
        : { task_id, attempt, result: null, failure: `The backend's answer cannot be read: ${unreadable}.` };
    } catch (thrown) {
      if (isCancellation(thrown) || CancellationScope.current().consideredCancelled) throw thrown;
      if (!(thrown instanceof ActivityFailure)) throw thrown;
      if (attempt < 2 && isNoAnswer(thrown.cause)) continue;
      return { task_id, attempt, result: null, failure: sentenceOf(thrown.cause) };
    }
  }
}

const noAnswers: readonly unknown[] = [failureTypes.workerShutdown, failureTypes.activityReset];

/** A worker that died, was stopped or told to begin anew says nothing about the measurement; all else is an answer. */
function isNoAnswer(cause: unknown): boolean {
  if (cause instanceof TimeoutFailure) return cause.timeoutType === 'HEARTBEAT';
  return cause instanceof ApplicationFailure && noAnswers.includes(cause.type);
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
