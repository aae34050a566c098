/** A task in one activity, where the worker that measures keeps records too. */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  isCancellation,
  sleep,
  TimeoutFailure,
  uuid4,
} from '@temporalio/workflow';
import type {
  MeasureAndRecordInput,
  MeasureAndRecordOutput,
  OpenStageOutput,
  RecordInput,
  RecordOutput,
} from '../activities/contract.ts';
import { backendErrorSentence } from '../shared/domain/backends/answer-rules.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { backendQueue, CALIBRATION_QUEUE } from '../shared/kernel/engine/workflow-ids.ts';
import { createInterruptions } from './measurement.ts';
import { measuringAndRecording, recordKeeping } from './policies.ts';
import { createSetbacks } from './setbacks.ts';
import { labelOf } from './summaries.ts';
import type { TargetsRun } from './targets-run.ts';

/**
 * Prepares, measures and records one task of these targets. It is asked for again as a measurement is, when its worker
 * died, was stopped or was told to begin anew; what was answered before is not measured again. A step of record keeping
 * that the worker could not do is left to the record keepers, who go on until it is done.
 * @returns null when the worker keeps no records, being of an earlier release, and nothing of the task was begun
 */
export async function measureAndRecord(
  context: TargetsRun,
  task: NonNullable<OpenStageOutput['tasks']>[number],
  { targets, index, after }: Pick<MeasureAndRecordInput, 'targets' | 'index' | 'after'>,
): Promise<Extract<MeasureAndRecordOutput, { recorded: RecordOutput }> | null> {
  const { run, policy, stage, answers } = context;
  const label = labelOf(targets);
  const records = recordKeeping(policy, { summary: `${label}: record`, id: `record · ${label}` });
  const scope = CancellationScope.current();
  const task_id = uuid4();
  const interruptions = createInterruptions();
  const setbacks = createSetbacks();
  let attempt = 1;
  let here = context.here;
  let again = false;

  /** Not cancelled: what a worker measured and told of is recorded even when the run is being cancelled. */
  const record = (step: RecordInput) =>
    CancellationScope.nonCancellable(() =>
      answers.carrying(JSON.stringify(step.finished).length, () => records.record(step)),
    );

  /** Records that nothing came of it, or the answer that a worker kept before it died. */
  async function giveUp(failure: string): Promise<{ recorded: RecordOutput }> {
    const prepared = await record({
      ...{ run, stage, targets, index, finished: null, next_task_id: task_id },
      again: true,
    });
    if (!prepared.next) return { recorded: prepared };
    context.onRecord(prepared);
    const { request } = prepared.next;
    const recorded = await record({
      ...{ run, stage, targets: prepared.passed, index: prepared.index, next_task_id: null },
      finished: {
        ...{ task_id: request.task_id, pass: request.pass ?? 1, given_up: true },
        ...{ attempt, result: null, failure },
      },
    });
    return { recorded };
  }

  for (;;) {
    let pause: number | string = 0;
    try {
      const answer = await measuringAndRecording(
        here ? CALIBRATION_QUEUE : backendQueue(run.backend),
        task.timeout,
        policy,
        {
          summary: `${task.name} ${label}${attempt > 1 ? ` (attempt ${attempt})` : ''}`,
          id: `${task.name} · ${label} · ${attempt}`,
        },
      ).measureAndRecord({
        run,
        stage,
        targets,
        index,
        task_id,
        attempt,
        again,
        after,
      });
      if ('recorded' in answer) return answer;
      if ('full' in answer) {
        here = context.here = false;
        continue;
      }
      const wasMeasured = answer.undone.finished !== null;
      const recorded = !scope.consideredCancelled || wasMeasured ? await record(answer.undone) : null;
      if (scope.consideredCancelled) {
        // Otherwise the next attempt counts it.
        if (recorded) context.onRecord(recorded);
        throw new CancelledFailure('cancelled in a task');
      }
      if (!wasMeasured) pause = setbacks.note('unprepared');
    } catch (thrown) {
      if (isCancellation(thrown) || scope.consideredCancelled) throw thrown;
      if (!(thrown instanceof ActivityFailure)) throw thrown;
      const { cause } = thrown;
      const isUnknown = cause instanceof ApplicationFailure && cause.type === failureTypes.unknownActivity;
      if (isUnknown && here) {
        here = context.here = false;
        continue;
      }
      if (isUnknown && !again) return null;
      if (cause instanceof ApplicationFailure && cause.type === failureTypes.measurement) {
        return giveUp(backendErrorSentence(cause.message));
      }
      // What another worker began may be measured, which only its like can tell.
      if (isUnknown) pause = setbacks.note('unknown');
      else if (interruptions.note(cause)) {
        if (interruptions.areTooMany()) return giveUp(interruptions.sentence());
      } else if (cause instanceof TimeoutFailure) pause = setbacks.note('slow');
      else throw thrown;
      attempt += 1;
    }
    again = true;
    here = false;
    if (typeof pause === 'string') return giveUp(pause);
    if (pause > 0) await sleep(pause * 1000);
  }
}
