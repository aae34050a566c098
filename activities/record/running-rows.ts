/** Steps finish, finish_or_repeat and finish_and_continue: decides how a running row goes on, and writes it. */
import type { CalibratedTarget } from '../../shared/domain/chips/index.ts';
import type { TaskOutcome, TaskPass, TaskResultDocument } from '../../shared/domain/results/model.ts';
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import { MAX_PASSES, type NextPassSettings } from '../../shared/tasks/next-pass.ts';
import type { FinishedMeasurement } from '../contracts/steps.ts';
import type { createApplier, TaskEnd } from './applying.ts';
import type { RecordDependencies } from './dependencies.ts';
import { outcomeOf } from './outcome.ts';
import { isPersisted, type Task } from './plans.ts';
import type { PrefetchedRow } from './row-making.ts';
import { passOf } from './row-passes.ts';
import { withoutState } from './stored-outputs.ts';

/** A row with an end status: the fields that the rest of its target needs. */
export type EndedRow = Pick<
  TaskResultDocument,
  'status' | 'message' | 'task_id' | 'name' | 'cooldown_id' | 'qid' | 'index' | 'stage' | 'goes_on' | 'passes'
>;

/** A row that has ended, except for the writes that come last. */
export interface Closed {
  ended: EndedRow;
  /** Pending writes of this row and of the tasks before it; empty if another process has ended it. */
  rest: readonly TaskEnd[];
  /** The row of the next task, if it was prefetched. */
  nextRow?: (() => ReturnType<PrefetchedRow['settle']>) | undefined;
}

/** Starts to prefetch the row of the next task; undefined if that row is created later or not at all. */
export type Prefetch = () => PrefetchedRow | undefined;

/** A row whose task measures once more, with the run parameters that are now on the row. */
export interface NextPass {
  nextPass: TaskResultDocument;
}

/** A row whose task asks for another pass. */
export interface Wish {
  wish: { row: TaskResultDocument; pass: TaskPass; again: NextPassSettings };
}

/** Whether the target continues after this row. */
function goesOnWith({ status, goes_on }: TaskOutcome): boolean {
  return status === 'completed' || goes_on === true;
}

/** Whether an answer belongs to the pass in which a row is. */
function isAbout({ pass, given_up }: FinishedMeasurement, row: Pick<TaskResultDocument, 'passes'>): boolean {
  return given_up === true || pass === passOf(row);
}

/** Writes the outcome of a running row and applies it to calibration state, or finds that its task asks for another pass. */
export function createRunningRows(
  dependencies: RecordDependencies,
  { apply, checkHolder }: Pick<ReturnType<typeof createApplier>, 'apply' | 'checkHolder'>,
) {
  const { keptResults } = dependencies;
  const { results } = dependencies.areas;

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

  /** Ends a running row, finds that its task asks for another pass, or finds that an earlier attempt did so. */
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
    answer: FinishedMeasurement | null,
  ): Promise<Closed | NextPass | Wish> {
    const asItIs = (ended: EndedRow): Closed => ({ ended, rest: [] });
    const passes = row.passes ?? [];
    // This step ran before: its result was lost, or it belongs to an attempt that was given up.
    if (passes.some(({ id }) => id === passId)) return { nextPass: row };
    if (!row.outcome && answer && !isAbout(answer, row))
      return passId === null ? asItIs(row) : { nextPass: row };
    const applied = { calibrated, begun };
    if (row.outcome) {
      await checkHolder(run);
      return applyOutcome(run, task, { ...applied, row, outcome: row.outcome });
    }
    const finished = answer && (await orKept(run, answer, passes.length + 1));
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
    const prefetched = goesOnWith(outcome) ? prefetch?.() : undefined;
    const [pending] = await Promise.all([written, checkHolder(run)]);
    if (pending?.outcome) {
      return applyOutcome(run, task, { ...applied, row: pending, outcome: pending.outcome, prefetched });
    }
    // Another process has ended the row, or has started its next pass.
    if (pending?.passes?.some(({ id }) => id === passId)) return { nextPass: pending };
    return asItIs((await results.get(run.project_id, row.task_id)) ?? row);
  }

  /** Applies the stored outcome of a row to calibration state. If the target continues, its prefetched row is created meanwhile. */
  async function applyOutcome(
    run: HeldRun,
    task: Task,
    {
      row,
      outcome,
      calibrated,
      begun,
      prefetched,
    }: {
      row: TaskResultDocument;
      outcome: TaskOutcome;
      calibrated: Readonly<CalibratedTarget> | null;
      begun: number;
      prefetched?: PrefetchedRow | undefined;
    },
  ): Promise<Closed> {
    const { expected, done } = apply(run, row, task, { outcome, calibrated, begun });
    // Another process may have written an outcome that ends the target.
    const nextRow = goesOnWith(outcome) ? prefetched : undefined;
    if (expected) nextRow?.make(expected);
    const { end, target } = await done;
    const { status, message, goes_on } = outcome;
    return {
      ended: { ...row, status, message, ...(goes_on && { goes_on }) },
      rest: [end],
      ...(nextRow && target && { nextRow: () => nextRow.settle(target) }),
    };
  }

  return { closeRunning };
}
