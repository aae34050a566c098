/** Steps prepare and finish_and_continue: creates the rows of the next task. */
import { ApplicationFailure } from '@temporalio/common';
import { type CalibratedTarget, OutdatedWrite } from '../../shared/domain/chips/index.ts';
import { writeOrderOf } from '../../shared/domain/chips/write-order-rules.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { failureTypes } from '../../shared/kernel/engine/failure-types.ts';
import { calendarDay } from '../../shared/kernel/time.ts';
import type { createApplier } from './applying.ts';
import type { RecordDependencies } from './dependencies.ts';
import type { FreshRows } from './fresh-rows.ts';
import { type Made, type Rows, rowsFrom } from './new-rows.ts';
import { isPersisted, targetKind } from './plans.ts';
import { createRowReading, type NextTask } from './row-reading.ts';
import { taskIdAt } from './task-ids.ts';

/** The row of the next task, created while the outcome of the previous task is written to calibration state. */
export interface PrefetchedRow {
  /** Creates the row from the expected calibration state. */
  make(expected: Readonly<CalibratedTarget>): void;
  /** The row to measure, after that state is written; created again if another process has changed the state. */
  settle(written: Readonly<CalibratedTarget>): Promise<Made>;
}

export type RowMaking = ReturnType<typeof createRowMaking>;

/** Creates the rows of the next task from the calibration state of its targets. */
export function createRowMaking(
  dependencies: RecordDependencies,
  applier: Pick<ReturnType<typeof createApplier>, 'checkHolder'>,
  freshRows: Pick<FreshRows, 'keep'>,
) {
  const { areas, plans, settings } = dependencies;
  const { results } = areas;
  const { state } = areas.chips;
  const reading = createRowReading(dependencies, applier);

  /** Records on a target that its last calibration failed because of missing inputs. */
  async function noteFailures({ run, task }: NextTask, { failed, missing, replaced }: Rows): Promise<void> {
    const isNew = new Set([...missing, ...replaced.map(({ row }) => row)]);
    const kind = isPersisted(task) ? targetKind(task.definition) : null;
    if (kind === null) return;
    const { project_id, chip_id, epoch } = run;
    const day = (at: Date) => calendarDay(at, settings.TIMEZONE);
    await Promise.all(
      failed
        .filter((row) => isNew.has(row))
        .map(async ({ qid, stage, index, end_at, cooldown_id }) => {
          try {
            const written = await state.write(
              { project_id, chip_id, kind, qid },
              writeOrderOf(epoch, { stage, index }),
              { status: 'failed', data: {} },
              { recorded_date: day(end_at ?? new Date()), cooldown_id },
            );
            await written.snapshot();
          } catch (thrown) {
            // The chip has no such target, or a later write has replaced the state.
            if (!(thrown instanceof OutdatedWrite)) throw thrown;
          }
        }),
    );
  }

  async function create(next: NextTask, rows: Rows): Promise<Made> {
    const { missing, replaced, fresh } = rows;
    // First, so that a repetition needs no other write for a row that is already stored.
    await noteFailures(next, rows);
    await Promise.all(replaced.map(({ stored, row }) => results.remake(stored, row)));
    const created = await results.createMany(missing);
    if (created === missing.length) {
      for (const each of fresh) freshRows.keep(each);
      return rows;
    }
    // An earlier attempt of this step, or a reset by an operator, has created some of them.
    if (next.mayExist) {
      throw new Error(`Some rows of ${next.task.planned.name} could be neither created nor found.`);
    }
    return prepare({ ...next, mayExist: true, isPrefetched: false });
  }

  /**
   * Creates the rows of a task. A target without its inputs fails here, before any hardware is used. Existing rows are not
   * changed, except for those whose measurement was taken back.
   * @throws ExecutionNotStartable if an existing row belongs to another target or task
   */
  async function prepare(next: NextTask): Promise<Made> {
    const found = await reading.read(next);
    for (const [position, row] of found.before.entries()) {
      if (row) checkRow(row, next, next.targets[position]);
    }
    return create(next, rowsFrom(next, found, plans.tasks(next.plan)));
  }

  /**
   * Starts to prefetch the row of the next task: reads everything except the calibration state of its target.
   * @returns undefined if there is no next task of a single target
   */
  function prefetchRow(ended: Omit<NextTask, 'taskId' | 'upstreamId'>): PrefetchedRow | undefined {
    const { run, stage, plan, targets } = ended;
    const index = ended.index + 1;
    const task = plans.known(plan, index);
    if (task?.planned.scope !== 'target' || targets.length !== 1) return undefined;
    const next: NextTask = {
      run,
      stage,
      plan,
      task,
      targets,
      index,
      isPrefetched: true,
      taskId: taskIdAt({ run, stage, targets, index }),
      upstreamId: taskIdAt({ run, stage, targets, index: ended.index }),
    };
    const found = reading.read(next);
    const rowsWith = async (state: Readonly<CalibratedTarget>) =>
      rowsFrom(next, { ...(await found), states: [state] }, plans.tasks(plan));
    /** A row that fails for its inputs ends at once, so it must be created from the state that was really written. */
    async function makeFrom(expected: Readonly<CalibratedTarget>): Promise<Made | null> {
      const rows = await rowsWith(expected);
      return rows.failed.length > 0 ? null : create(next, rows);
    }
    // If the record fails first, nothing awaits these promises.
    found.catch(() => undefined);
    let ahead: { expected: Readonly<CalibratedTarget>; making: Promise<Made | null> } | undefined;
    return {
      make(expected) {
        const making = makeFrom(expected);
        making.catch(() => undefined);
        ahead = { expected, making };
      },
      async settle(written) {
        const made = (await ahead?.making) ?? null;
        if (made && (made.repeated || ahead?.expected === written)) return made;
        const rows = await rowsWith(written);
        return made ? remake(made, rows) : create(next, rows);
      },
    };
  }

  /** Replaces rows that were created from an expected state that turned out wrong. */
  async function remake({ prepared }: Made, rows: Rows): Promise<Made> {
    const before = prepared.map(({ row }) => row);
    await Promise.all(rows.missing.map((row, position) => results.remake(before[position] ?? row, row)));
    for (const each of rows.fresh) freshRows.keep(each);
    return rows;
  }

  return { prefetchRow, prepare };
}

/** Checks that an existing row belongs to the task; otherwise the data of one target would be stored on another. */
function checkRow(
  row: TaskResultDocument,
  { run, stage, task, index }: NextTask,
  target: string | undefined,
): void {
  const isSame =
    row.qid === target &&
    row.name === task.definition.name &&
    row.index === index &&
    row.stage === stage &&
    row.execution_id === run.execution_id;
  if (isSame) return;
  throw ApplicationFailure.nonRetryable(
    `The stored task ${row.task_id} is ${row.name} of ${row.qid}, not ${task.definition.name} of ${target}.`,
    failureTypes.notStartable,
  );
}
