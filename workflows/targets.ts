/** The loop of a target: its tasks one after another. */
import { CancellationScope, CancelledFailure } from '@temporalio/workflow';
import type { RecordInput, RecordOutput, StepPlace, TaskScope } from '../activities/contracts/steps.ts';
import type { HeldRun } from '../shared/domain/runs/run-model.ts';
import { measure } from './measurement.ts';
import type { RecordKeeping } from './record-keeping.ts';
import type { SpaceWait } from './space-wait.ts';
import { labelOf, measurementId } from './summaries.ts';
import type { TaskWait } from './task-wait.ts';
import type { Withdrawal } from './withdrawal.ts';

/** What all targets of a step have in common. */
export interface TargetsRun {
  run: HeldRun;
  stage: number;
  /** The scope of a measurement, for each task of the list. */
  scopes: readonly TaskScope[];
  records: RecordKeeping;
  space: SpaceWait;
  tasks: TaskWait;
  withdrawal: Withdrawal;
  /** True if no further measurement may start, because the stage continues as new, is paused or is stopped. */
  holdsBack(): boolean;
  /** Called with the tasks that each step of record keeping ended. */
  onRecord(ended: RecordOutput): void;
}

/** Targets that continue, and the position of their next task. */
type Position = Pick<RecordOutput, 'passed' | 'index'>;

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((each, position) => each === others[position]);
}

/**
 * Runs the tasks of one target, or one task that several targets share, from `index` on: record, measure, record,
 * measure, …
 *
 * @returns the targets that continue, and where: at the end of the list, at a task that they share with others, or where the
 * stage holds back
 */
export async function runTargets(context: TargetsRun, targets: string[], index: number): Promise<Position> {
  const { run, stage, scopes, records, space, tasks, withdrawal, holdsBack, onRecord } = context;
  const scope = CancellationScope.current();
  let recorded = await records.record({ run, stage, targets, index, step: 'prepare' });
  onRecord(recorded);
  for (;;) {
    if (recorded.missing_task !== undefined) {
      // Closing the stage ends the tasks that are not measured.
      if (!(await tasks.beforePreparing(labelOf(recorded.passed), recorded.missing_task))) return recorded;
      const place: StepPlace = { run, stage, targets: recorded.passed, index: recorded.index };
      recorded = await records.record({ ...place, step: 'prepare' });
      onRecord(recorded);
      continue;
    }
    if (!recorded.next) return recorded;
    const place: StepPlace = { run, stage, targets: recorded.passed, index: recorded.index };
    const { shortage, request } = recorded.next;
    // Closing the stage ends the task that is not measured.
    if (shortage && !(await space.beforeMeasuring(labelOf(request.targets), shortage))) return recorded;
    const { next } = recorded;
    // The id of a shared measurement depends on its targets: when some of them have ended, it could not be prepared again.
    const isRepeatable = request.pass === undefined && isSame(targets, recorded.passed);
    const finished = await withdrawal.measuring(measurementId(request), isRepeatable, () =>
      measure(run.backend, next, { follow: records.completions.follow, space }),
    );
    if (finished === null) {
      // Closing the stage ends the task, if the run does not continue.
      if (isRepeatable && withdrawal.mayContinue()) await records.noteTakenBack(place);
      return recorded;
    }
    // A finished measurement is recorded even if the run is being cancelled.
    const isCancelled = scope.consideredCancelled;
    recorded = await records.record({ ...place, step: afterMeasuring(place.index, isCancelled), finished });
    onRecord(recorded);
    if (isCancelled) throw new CancelledFailure('cancelled after a measurement');
  }

  function afterMeasuring(position: number, isCancelled: boolean): Exclude<RecordInput['step'], 'prepare'> {
    if (isCancelled || holdsBack()) return 'finish';
    return scopes[position] === 'target' ? 'finish_and_continue' : 'finish_or_repeat';
  }
}
