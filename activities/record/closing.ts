/** Steps finish, finish_or_repeat and finish_and_continue: closes the measurement that has finished. */
import { ApplicationFailure } from '@temporalio/common';
import type { CalibratedTarget } from '../../shared/domain/chips/index.ts';
import type { TaskOutcome, TaskPass, TaskResultDocument } from '../../shared/domain/results/model.ts';
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import { failureTypes } from '../../shared/kernel/engine/failure-types.ts';
import { keyOf, type TaskId } from '../../shared/kernel/ids.ts';
import { runWithinLimits } from '../../shared/tasks/limited-values.ts';
import {
  type Again,
  MAX_PASSES,
  reasonTogether,
  runOfNextPass,
  togetherAgain,
} from '../../shared/tasks/measuring-again.ts';
import type { FinishedMeasurement } from '../contracts/steps.ts';
import type { createApplier, TaskEnd } from './applying.ts';
import type { RecordDependencies } from './dependencies.ts';
import type { FreshRow, FreshRows } from './fresh-rows.ts';
import { outcomeOf } from './outcome.ts';
import { isPersisted, type Task } from './plans.ts';
import type { PrefetchedRow } from './row-making.ts';
import { withoutState } from './stored-outputs.ts';
import { rowId, stateOf } from './target-rows.ts';

/** A row with an end status: the fields that the rest of its target needs. */
export type EndedRow = Pick<
  TaskResultDocument,
  'status' | 'message' | 'task_id' | 'name' | 'cooldown_id' | 'qid' | 'index' | 'stage' | 'goes_on' | 'passes'
>;

/** A row that has ended, except for the writes that come last. */
interface Closed {
  ended: EndedRow;
  /** Pending writes of this row and of the tasks before it; empty if another process has ended it. */
  rest: readonly TaskEnd[];
  /** The row of the next task, if it was prefetched. */
  nextRow?: (() => ReturnType<PrefetchedRow['settle']>) | undefined;
}

/** Starts to prefetch the row of the next task; undefined if that row is created later or not at all. */
export type Prefetch = () => PrefetchedRow | undefined;

/** A row whose task measures once more, with the run parameters that are now on the row. */
interface NextPass {
  nextPass: TaskResultDocument;
}

/** A row whose task asks for another pass. */
interface Wish {
  wish: { row: TaskResultDocument; pass: TaskPass; again: Again };
}

/** Closes measurements: writes the outcome, or the request for another pass, to the rows of their targets. */
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
  const { areas, trailing, keptResults } = dependencies;
  const { results } = areas;
  const { state } = areas.chips;

  /** A measurement that was given up may have finished: its worker keeps an answer that it could not deliver. */
  async function orKept(
    run: HeldRun,
    finished: FinishedMeasurement,
    pass: number,
  ): Promise<FinishedMeasurement> {
    if (!finished.given_up) return finished;
    const kept = await keptResults.read(run, { task_id: finished.task_id, pass });
    return kept ? { ...finished, ...kept, pass } : finished;
  }

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

  /** Makes sure that the tasks before a row have ended. The process that created the row may still have to end them. */
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
      prefetch,
    }: {
      row: TaskResultDocument;
      calibrated: Readonly<CalibratedTarget> | null;
      begun: number;
      passId: string | null;
      prefetch?: Prefetch | undefined;
    },
    came: FinishedMeasurement | null,
  ): Promise<Closed | NextPass | Wish> {
    const asItIs = (ended: EndedRow): Closed => ({ ended, rest: [] });
    const passes = row.passes ?? [];
    // This step ran before: its result was lost, or it belongs to an attempt that was given up.
    if (passes.some(({ id }) => id === passId)) return { nextPass: row };
    if (!row.outcome && came && !isAbout(came, row)) return passId === null ? asItIs(row) : { nextPass: row };
    let pending: TaskResultDocument | null = row;
    let prefetched: PrefetchedRow | undefined;
    if (row.outcome) await checkHolder(run);
    else {
      const finished = came && (await orKept(run, came, passes.length + 1));
      const hasTime = row.deadline !== null && row.deadline.getTime() > Date.now();
      const found = await outcomeOf(dependencies, {
        run,
        row,
        definition: task.definition,
        target: calibrated,
        finished,
        mayMeasureAgain: passId !== null && passes.length + 1 < MAX_PASSES && hasTime,
        mayRepeat:
          passId !== null && task.planned.repeat_refused === true && !passes.some(({ repeats }) => repeats),
      });
      if ('again' in found && passId !== null) {
        const { again, rawData, doubted, repeats } = found;
        const pass = {
          id: passId,
          reason: again.reason,
          raw_data_path: rawData,
          ...(doubted && { doubted }),
          ...(repeats && { repeats }),
        };
        return { wish: { row, pass, again } };
      }
      if (!('outcome' in found)) return asItIs(row);
      const outcome = isPersisted(task) ? found.outcome : withoutState(found.outcome);
      const written = results.setOutcome(row, outcome, finished?.attempt ?? 1);
      // Reads the inputs of the next row while the outcome is written.
      if (goesOnWith(outcome)) prefetched = prefetch?.();
      [pending] = await Promise.all([written, checkHolder(run)]);
    }
    if (!pending?.outcome) {
      if (pending?.passes?.some(({ id }) => id === passId)) return { nextPass: pending };
      return asItIs((await results.get(run.project_id, row.task_id)) ?? row);
    }
    const { outcome } = pending;
    const { expected, done } = apply(run, pending, task, { outcome, calibrated, begun });
    // Another process may have written an outcome that ends the target.
    const isFollowed = prefetched !== undefined && goesOnWith(outcome);
    if (isFollowed && expected) prefetched?.make(expected);
    const { end, target } = await done;
    const { status, message, goes_on } = outcome;
    const nextRow = prefetched;
    return {
      ended: { ...pending, status, message, ...(goes_on && { goes_on }) },
      rest: [end],
      ...(isFollowed && nextRow && target && { nextRow: () => nextRow.settle(target) }),
    };
  }

  /**
   * Ends the rows of a measurement, and starts the next pass of those that request one. All of them get the same settings,
   * because they are measured together.
   * @returns also the pending writes of a target that is measured alone
   */
  async function closeAll(
    run: HeldRun,
    task: Task,
    {
      targets,
      finished,
      passId,
      prefetch,
    }: {
      targets: readonly string[];
      finished: FinishedMeasurement;
      passId: string | null;
      prefetch?: Prefetch | undefined;
    },
  ): Promise<{ ended: EndedRow[]; nextPass: TaskResultDocument[] } & Pick<Closed, 'rest' | 'nextRow'>> {
    const isAlone = targets.length === 1;
    const closed = await Promise.all(
      targets.map(async (target) => {
        const measured = { target, taskId: rowId(task, finished.task_id, target), passId, prefetch };
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
    // The repetition that a stage asks for has all of the task's time, and so have the targets measured with it.
    const isRepetition = asked.some(({ pass }) => pass.repeats);
    const deadline = isRepetition ? new Date(Date.now() + 1000 * task.definition.timeout) : undefined;
    if (wishes.length > 0) await checkHolder(run);
    // An earlier attempt of this step may have started the next pass of some rows.
    const begun = nextPass[0]?.run_parameters;
    for (const { row, pass, wish } of asked) {
      const reason = reasonTogether(wish, together);
      const wanted = runOfNextPass(row.run_parameters, again);
      const settings = begun ?? runWithinLimits(task.definition, wanted, row.input_parameters).run;
      const settled = { run: settings, deadline };
      const next = await results.addPass(run.project_id, row.task_id, { ...pass, reason }, settled);
      if (next) nextPass.push(next);
      else ended.push((await results.get(run.project_id, row.task_id)) ?? row);
    }
    // Only rows that ended in this pass count here; other passes count their own.
    const [from, to] = [finished.pass, Math.min(...nextPass.map(passOf))];
    return {
      ended: ended.filter((row) => passOf(row) >= from && passOf(row) < to),
      nextPass: nextPass.filter((row) => passOf(row) === to),
      rest: (isAlone && complete[0]?.rest) || [],
      nextRow: isAlone ? complete[0]?.nextRow : undefined,
    };
  }

  return { close, closeAll };
}

/** Whether the target continues after this row. */
function goesOnWith({ status, goes_on }: TaskOutcome): boolean {
  return status === 'completed' || goes_on === true;
}

/** The pass of its task in which a row is, or in which it ended. */
function passOf({ passes = [] }: Pick<TaskResultDocument, 'passes'>): number {
  return passes.length + 1;
}

/** Whether an answer belongs to the pass in which a row is. */
function isAbout({ pass, given_up }: FinishedMeasurement, row: Pick<TaskResultDocument, 'passes'>): boolean {
  return given_up === true || pass === passOf(row);
}

/**
 * Splits rows that share a measurement into those that ended in an earlier pass and those in the current or last pass. Rows
 * that are already in a later pass are in neither list.
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
