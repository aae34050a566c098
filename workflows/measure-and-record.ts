/** A task in one activity, where the worker that measures keeps records too. */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  isCancellation,
  TimeoutFailure,
  uuid4,
} from '@temporalio/workflow';
import type { OpenStageOutput, RecordInput, RecordOutput } from '../activities/contract.ts';
import { backendErrorSentence } from '../shared/domain/backends/answer-rules.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { createInterruptions } from './measurement.ts';
import { measuringAndRecording, recordKeeping } from './policies.ts';
import { labelOf } from './summaries.ts';
import type { TargetsRun } from './targets-run.ts';

/**
 * Prepares, measures and records one task of these targets. It is asked for again as a measurement is, when its worker
 * died, was stopped or was told to begin anew; what was answered before is not measured again. A step of record keeping
 * that the worker could not do is left to the record keepers, who go on until it is done.
 * @returns null when the worker keeps no records, being of an earlier release
 */
export async function measureAndRecord(
  context: TargetsRun,
  task: NonNullable<OpenStageOutput['tasks']>[number],
  targets: string[],
  index: number,
): Promise<RecordOutput | null> {
  const { run, policy, stage, answers } = context;
  const label = labelOf(targets);
  const records = recordKeeping(policy, { summary: `${label}: record`, id: `record · ${label}` });
  const scope = CancellationScope.current();
  const task_id = uuid4();
  const interruptions = createInterruptions();
  let attempt = 1;
  let again = false;

  /** What was measured is recorded even when the run is being cancelled. */
  const record = (step: RecordInput) =>
    CancellationScope.nonCancellable(() =>
      answers.carrying(JSON.stringify(step.finished).length, () => records.record(step)),
    );

  /** Records that nothing came of it, or the answer that a worker kept before it died. */
  async function giveUp(failure: string): Promise<RecordOutput> {
    const prepared = await record({
      ...{ run, stage, targets, index, finished: null, next_task_id: task_id },
      again: true,
    });
    if (!prepared.next) return prepared;
    context.onRecord(prepared);
    return record({
      ...{ run, stage, targets: prepared.passed, index: prepared.index, next_task_id: null },
      finished: { task_id: prepared.next.request.task_id, attempt, result: null, failure },
    });
  }

  for (;;) {
    try {
      const answer = await measuringAndRecording(run.backend, task.timeout, policy, {
        summary: `${task.name} ${label}${attempt > 1 ? ` (attempt ${attempt})` : ''}`,
        id: `${task.name} · ${label} · ${attempt}`,
      }).measureAndRecord({ run, stage, targets, index, task_id, attempt, again });
      if ('recorded' in answer) return answer.recorded;
      if (!scope.consideredCancelled || answer.undone.finished) await record(answer.undone);
      if (scope.consideredCancelled) throw new CancelledFailure('cancelled in a task');
    } catch (thrown) {
      if (isCancellation(thrown) || scope.consideredCancelled) throw thrown;
      if (!(thrown instanceof ActivityFailure)) throw thrown;
      const { cause } = thrown;
      if (cause instanceof ApplicationFailure && cause.type === failureTypes.unknownActivity) return null;
      if (cause instanceof ApplicationFailure && cause.type === failureTypes.measurement) {
        return giveUp(backendErrorSentence(cause.message));
      }
      // Record keeping that takes too long is repeated until it is done.
      if (!interruptions.note(cause) && !(cause instanceof TimeoutFailure)) throw thrown;
      if (interruptions.areTooMany()) return giveUp(interruptions.sentence());
      attempt += 1;
    }
    again = true;
  }
}
