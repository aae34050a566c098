/** Steps finish, finish_or_repeat and finish_and_continue: closes the measurement that has finished. */
import { ApplicationFailure } from '@temporalio/common';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import { failureTypes } from '../../shared/kernel/engine/failure-types.ts';
import { keyOf, type TaskId } from '../../shared/kernel/ids.ts';
import type { FinishedMeasurement } from '../contracts/steps.ts';
import type { createApplier } from './applying.ts';
import type { RecordDependencies } from './dependencies.ts';
import type { FreshRow, FreshRows } from './fresh-rows.ts';
import type { Task } from './plans.ts';
import { type Closed, createRunningRows, type NextPass, type Prefetch, type Wish } from './running-rows.ts';
import { stateOf } from './target-rows.ts';

/** Closes measurements: writes the outcome, or the request for another pass, to the rows of their targets. */
export function createClosing(
  dependencies: RecordDependencies,
  applier: Pick<ReturnType<typeof createApplier>, 'apply' | 'checkHolder' | 'endBefore' | 'keep'>,
  freshRows: Pick<FreshRows, 'take'>,
) {
  const { areas, trailing } = dependencies;
  const { results } = areas;
  const { state } = areas.chips;
  const { closeRunning } = createRunningRows(dependencies, applier);
  const { endBefore, keep } = applier;

  /**
   * Ends a running row, or requests another pass for it. Afterwards the tasks before it have ended, or end together with it.
   *
   * @param measured `passId` is the id of the next pass, null if there must be none
   * @returns the row as it ended, with its pending writes
   */
  async function close(
    run: HeldRun,
    task: Task,
    measured: { target: string; taskId: TaskId; passId: string | null; prefetch?: Prefetch | undefined },
    answer: FinishedMeasurement | null,
  ): Promise<Closed | NextPass | Wish> {
    const { target, taskId } = measured;
    const fresh = freshRows.take(keyOf(run.project_id, taskId));
    const [row, calibrated] = fresh
      ? [fresh.row, fresh.calibrated]
      : await Promise.all([
          results.get(run.project_id, taskId),
          stateOf(state, { run, definition: task.definition, target }),
        ]);
    if (!row)
      throw ApplicationFailure.nonRetryable('The task result is not stored.', failureTypes.notStartable);
    if (row.status !== 'running') return { ended: row, rest: [] };
    const carried = fresh?.before?.takeBack() ?? null;
    try {
      const [closed] = await Promise.all([
        closeRunning(run, task, { ...measured, row, calibrated, begun: fresh?.begun ?? -Infinity }, answer),
        carried === null && endedBefore(run, row, fresh),
      ]);
      if ('ended' in closed) return { ...closed, rest: [...(carried ?? []), ...closed.rest] };
      await keep(carried ?? []);
      return closed;
    } catch (thrown) {
      if (carried) trailing.follow(carried, keep);
      throw thrown;
    }
  }

  /** Makes sure that the tasks before a row have ended. The process that created the row may still have to end them. */
  async function endedBefore(
    run: HeldRun,
    row: TaskResultDocument,
    fresh: FreshRow | undefined,
  ): Promise<void> {
    const isEnded = fresh !== undefined && ((await fresh.before?.endNow()) ?? true);
    if (!isEnded) await endBefore(run, row);
  }

  return { close };
}
