import { ApplicationFailure } from '@temporalio/common';
import type { Areas } from '../../shared/domain/areas.ts';
import type { CalibratedTarget } from '../../shared/domain/chips/index.ts';
import type { TaskOutcome, TaskPass, TaskResultDocument } from '../../shared/domain/results/model.ts';
import type { MeasuredPass } from '../../shared/domain/runs/index.ts';
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import { failureTypes } from '../../shared/kernel/engine/failure-types.ts';
import { derivedId, keyOf } from '../../shared/kernel/ids.ts';
import { runWithinLimits } from '../../shared/tasks/limited-values.ts';
import {
  type Again,
  MOST_PASSES,
  reasonTogether,
  runOfNextPass,
  togetherAgain,
} from '../../shared/tasks/measuring-again.ts';
import type { FinishedMeasurement } from '../contract.ts';
import type { createApplier, Progress, TaskEnd } from './applying.ts';
import type { RecordDependencies } from './dependencies.ts';
import type { FreshRow, FreshRows } from './fresh-rows.ts';
import { outcomeOf, withoutState } from './outcome.ts';
import { isPersisted, type Task, targetKind } from './plans.ts';

/** A row that has come to its end, as far as the rest of its target needs to know it. */
export type EndedRow = Pick<
  TaskResultDocument,
  'status' | 'message' | 'task_id' | 'name' | 'cooldown_id' | 'qid' | 'index' | 'stage' | 'goes_on' | 'passes'
>;

/** A row that has come to its end but for what is written last. */
interface Closed {
  ended: EndedRow;
  /** That, with the same of the tasks before it that are to be written with it; empty where somebody else has ended it. */
  rest: readonly TaskEnd[];
}

/** A row whose task measures once more, with the run parameters that it has now. */
interface NextPass {
  nextPass: TaskResultDocument;
}

/** A row whose task wants to measure once more. */
interface Wish {
  wish: { row: TaskResultDocument; pass: TaskPass; again: Again };
}

/** Targets of a shared measurement have rows of their own, under ids that follow from the measurement's. */
export function rowId(task: Task, taskId: string, target: string): string {
  return task.planned.scope === 'target' ? taskId : derivedId(taskId, target);
}

/** Calibration state of a task's target, null where the task has none. */
export async function stateOf(
  state: Areas['chips']['state'],
  { run, definition, target }: { run: HeldRun; definition: Task['definition']; target: string },
) {
  const kind = targetKind(definition);
  return kind === null ? null : state.read(run.project_id, run.chip_id, kind, target);
}

/** Closes measurements that were made: the outcome goes on the rows of their targets, or the wish for another pass. */
export function createClosing(
  dependencies: RecordDependencies,
  {
    apply,
    checkHolder,
    endBefore,
    keep,
  }: Pick<ReturnType<typeof createApplier>, 'apply' | 'checkHolder' | 'endBefore' | 'keep'>,
  freshRows: Pick<FreshRows, 'take'>,
) {
  const { areas, trailing } = dependencies;
  const { results } = areas;
  const { state } = areas.chips;

  /** A measurement that was given up, because its workers died, may have been answered before they did. */
  async function notLost(
    run: HeldRun,
    measured: MeasuredPass,
    givenUp: FinishedMeasurement,
  ): Promise<FinishedMeasurement> {
    const kept = await areas.runs.keptAnswers.read(run, measured);
    return { ...givenUp, ...kept };
  }

  /**
   * Brings a running row to its end, or tells that it wants another pass. The tasks before it have ended then, or end with
   * it.
   * @param measured `passId` is that of the next pass where there may be one
   * @returns the row as it ends, with what is still to be written
   */
  async function close(
    run: HeldRun,
    task: Task,
    measured: { target: string; taskId: string; passId: string | null; progress?: Progress },
    came: FinishedMeasurement | null,
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
        closeRunning(run, task, { ...measured, row, calibrated, begun: fresh?.begun ?? -Infinity }, came),
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

  /** Sees to it that the tasks before a row have ended: whoever made the row may have been about to end them. */
  async function endedBefore(
    run: HeldRun,
    row: TaskResultDocument,
    fresh: FreshRow | undefined,
  ): Promise<void> {
    const isEnded = fresh !== undefined && ((await fresh.before?.endNow()) ?? true);
    if (!isEnded) await endBefore(run, row);
  }

  async function closeRunning(
    run: HeldRun,
    task: Task,
    {
      row,
      calibrated,
      begun,
      passId,
      progress = {},
    }: {
      row: TaskResultDocument;
      calibrated: Readonly<CalibratedTarget> | null;
      begun: number;
      passId: string | null;
      progress?: Progress;
    },
    came: FinishedMeasurement | null,
  ): Promise<Closed | NextPass | Wish> {
    const asItIs = (ended: EndedRow): Closed => ({ ended, rest: [] });
    const passes = row.passes ?? [];
    // This very step was carried out before: its answer was lost, or it comes from an attempt that was given up.
    if (passes.some(({ id }) => id === passId)) return { nextPass: row };
    if (!row.outcome && came && !isAbout(came, row)) return passId === null ? asItIs(row) : { nextPass: row };
    let pending: TaskResultDocument | null = row;
    if (row.outcome) await checkHolder(run);
    else {
      const finished = came?.failure
        ? await notLost(run, { task_id: came.task_id, pass: passes.length + 1 }, came)
        : came;
      const hasTime = row.deadline !== null && row.deadline.getTime() > Date.now();
      const found = await outcomeOf(dependencies, {
        run,
        row,
        definition: task.definition,
        target: calibrated,
        finished,
        mayMeasureAgain: passId !== null && passes.length + 1 < MOST_PASSES && hasTime,
      });
      if ('again' in found && passId !== null) {
        const { again, rawData, doubted } = found;
        const pass = {
          id: passId,
          reason: again.reason,
          raw_data_path: rawData,
          ...(doubted && { doubted }),
        };
        return { wish: { row, pass, again } };
      }
      if (!('outcome' in found)) return asItIs(row);
      const outcome = isPersisted(task) ? found.outcome : withoutState(found.outcome);
      const written = results.setOutcome(row, outcome, finished?.attempt ?? 1);
      if (goesOnWith(outcome)) progress.onOutcome?.();
      [pending] = await Promise.all([written, checkHolder(run)]);
    }
    if (!pending?.outcome) {
      if (pending?.passes?.some(({ id }) => id === passId)) return { nextPass: pending };
      return asItIs((await results.get(run.project_id, row.task_id)) ?? row);
    }
    const { outcome } = pending;
    // Somebody else's outcome may stand, with which the target does not go on.
    const followed = goesOnWith(outcome) ? progress : {};
    const end = await apply(run, pending, task, { outcome, calibrated, begun, ...followed });
    const { status, message, goes_on } = outcome;
    return { ended: { ...pending, status, message, ...(goes_on && { goes_on }) }, rest: [end] };
  }

  /**
   * Brings the targets of a measurement to their end, and those that want it to their next pass: all with the same
   * settings, since they are measured together.
   * @returns with them what is still to be written of a target that is measured alone
   */
  async function closeAll(
    run: HeldRun,
    task: Task,
    {
      targets,
      finished,
      passId,
      progress,
    }: {
      targets: readonly string[];
      finished: FinishedMeasurement;
      passId: string | null;
      progress: Progress;
    },
  ): Promise<{ ended: EndedRow[]; nextPass: TaskResultDocument[]; rest: readonly TaskEnd[] }> {
    const isAlone = targets.length === 1;
    const closed = await Promise.all(
      targets.map(async (target) => {
        const measured = { target, taskId: rowId(task, finished.task_id, target), passId, progress };
        const each = await close(run, task, measured, finished);
        if (!isAlone && 'ended' in each) await keep(each.rest);
        return each;
      }),
    );
    const nextPass = closed.flatMap((each) => ('nextPass' in each ? [each.nextPass] : []));
    const wishes = closed.flatMap((each) => ('wish' in each ? [each.wish] : []));
    const complete = closed.flatMap((each) => ('ended' in each ? [each] : []));
    const ended = complete.map((each) => each.ended);
    const asked = wishes.map(({ row, pass, again }) => ({ row, pass, wish: { ...again, target: row.qid } }));
    const together = asked.map(({ wish }) => wish);
    const again = togetherAgain(together);
    if (wishes.length > 0) await checkHolder(run);
    // An attempt that was given up may have begun the pass of some.
    const begun = nextPass[0]?.run_parameters;
    for (const { row, pass, wish } of asked) {
      const reason = reasonTogether(wish, together);
      const wanted = runOfNextPass(row.run_parameters, again);
      const settings = begun ?? runWithinLimits(task.definition, wanted, row.input_parameters).run;
      const next = await results.addPass(run.project_id, row.task_id, { ...pass, reason }, settings);
      if (next) nextPass.push(next);
      else ended.push((await results.get(run.project_id, row.task_id)) ?? row);
    }
    // Those that ended before were counted then, and those that ended in a pass yet to be told are counted with it.
    const [from, to] = [finished.pass ?? 1, Math.min(...nextPass.map(passOf))];
    return {
      ended: ended.filter((row) => passOf(row) >= from && passOf(row) < to),
      nextPass: nextPass.filter((row) => passOf(row) === to),
      rest: (isAlone && complete[0]?.rest) || [],
    };
  }

  return { close, closeAll };
}

/** Whether the target of a task goes on after it. */
function goesOnWith({ status, goes_on }: TaskOutcome): boolean {
  return status === 'completed' || goes_on === true;
}

/** Which pass of its task a row stands at, or ended in. */
function passOf({ passes = [] }: Pick<TaskResultDocument, 'passes'>): number {
  return passes.length + 1;
}

/** Whether an answer is that of the pass in which a row is. */
function isAbout({ pass, given_up }: FinishedMeasurement, row: Pick<TaskResultDocument, 'passes'>): boolean {
  return pass === undefined || given_up === true || pass === passOf(row);
}

/**
 * Of rows that share a measurement, as somebody else left them: those that ended in an earlier pass, and those of the
 * pass that is to be made or was the last. Some may have gone on to the pass after it already, and are in neither.
 */
export function byPass<Row extends Pick<TaskResultDocument, 'status' | 'passes'>>(
  rows: readonly Row[],
): { earlier: Row[]; now: Row[] } {
  const running = rows.filter(({ status }) => status === 'running').map(passOf);
  const pass = running.length > 0 ? Math.min(...running) : Math.max(...rows.map(passOf));
  return {
    earlier: rows.filter((row) => passOf(row) < pass),
    now: rows.filter((row) => passOf(row) === pass),
  };
}
