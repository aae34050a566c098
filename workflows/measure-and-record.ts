/** A task in one activity, or several quick ones, where the worker that measures keeps records too. */
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

/** Tasks that an activity may go on with after its first. */
const MOST_FOLLOWING = 7;

type Task = NonNullable<OpenStageOutput['tasks']>[number];

/** A task, and those after it that its activity may go on with. */
export type TasksTogether = readonly [Task, ...Task[]];

/** The task at `index` and those that may follow it in its activity: what the target shares with others may not. */
export function tasksTogether(context: TargetsRun, index: number): TasksTogether | null {
  const { tasks = [], scopes, goesOn } = context;
  const [task, ...rest] = tasks.slice(index, index + 1 + MOST_FOLLOWING);
  if (!task) return null;
  if (!goesOn || scopes[index] !== 'target') return [task];
  const shared = rest.findIndex((_task, number) => scopes[index + 1 + number] !== 'target');
  return [task, ...(shared < 0 ? rest : rest.slice(0, shared))];
}

/**
 * Prepares, measures and records one task of these targets, and goes on with the next ones of a target that is measured
 * alone, while they are quick. It is asked for again as a measurement is, when its worker
 * died, was stopped or was told to begin anew; what was answered before is not measured again. A step of record keeping
 * that the worker could not do is left to the record keepers, who go on until it is done.
 * @returns null when the worker keeps no records, being of an earlier release, and nothing of the task was begun
 */
export async function measureAndRecord(
  context: TargetsRun,
  [task, ...rest]: TasksTogether,
  { targets, index, after }: Pick<MeasureAndRecordInput, 'targets' | 'index' | 'after'>,
): Promise<Extract<MeasureAndRecordOutput, { recorded: RecordOutput }> | null> {
  const { run, policy, stage, answers } = context;
  const label = labelOf(targets);
  const records = recordKeeping(policy, { summary: `${label}: record`, id: `record · ${label}` });
  const scope = CancellationScope.current();
  const task_id = uuid4();
  const following = rest.map(() => uuid4());
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

  /**
   * Records that nothing came of the task under way, or the answer that a worker kept before it died. It is the last of
   * those that were begun: what ended before it is told as it ended.
   */
  async function giveUp(failure: string): Promise<{ recorded: RecordOutput }> {
    let at: Pick<RecordOutput, 'passed' | 'index'> = { passed: targets, index };
    for (let next_task_id = task_id, number = 0; ; number += 1) {
      const prepared = await record({
        ...{ run, stage, targets: at.passed, index: at.index, finished: null, next_task_id },
        again: true,
        ...(number > 0 && { begun_only: true }),
      });
      if (!prepared.next) return { recorded: prepared };
      context.onRecord(prepared);
      const { request, known } = prepared.next;
      const recorded = await record({
        ...{ run, stage, targets: prepared.passed, index: prepared.index, next_task_id: null },
        finished: {
          ...{ task_id: request.task_id, pass: request.pass ?? 1, given_up: true },
          ...{ attempt, result: null, failure },
        },
      });
      const following_id = following[number];
      if (!known || following_id === undefined || recorded.passed.length === 0) return { recorded };
      context.onRecord(recorded);
      at = recorded;
      next_task_id = following_id;
    }
  }

  for (;;) {
    let pause: number | string = 0;
    try {
      const answer = await measuringAndRecording(
        here ? CALIBRATION_QUEUE : backendQueue(run.backend),
        Math.max(task.timeout, ...rest.map(({ timeout }) => timeout)),
        policy,
        {
          summary: `${task.name} ${label}${rest.length > 0 ? ', going on' : ''}${attempt > 1 ? ` (attempt ${attempt})` : ''}`,
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
        ...(following.length > 0 && { following }),
      });
      if ('recorded' in answer) return answer;
      if ('full' in answer) {
        here = context.here = false;
        continue;
      }
      const wasMeasured = answer.undone.finished !== null;
      const step = scope.consideredCancelled ? { ...answer.undone, goes_on: false } : answer.undone;
      const recorded = !scope.consideredCancelled || wasMeasured ? await record(step) : null;
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
