/** Steps prepare and finish_and_continue: creates the rows of the next task. */
import { ApplicationFailure } from '@temporalio/common';
import { LRUCache } from 'lru-cache';
import { type CalibratedTarget, OutdatedWrite } from '../../shared/domain/chips/index.ts';
import { writeOrderOf } from '../../shared/domain/chips/write-order-rules.ts';
import type { FlowCommandDocument } from '../../shared/domain/executions/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import { failureTypes } from '../../shared/kernel/engine/failure-types.ts';
import { keyOf, NO_TASK, type TaskId } from '../../shared/kernel/ids.ts';
import { calendarDay } from '../../shared/kernel/time.ts';
import { couplingEnds } from '../../shared/tasks/coupling-roles.ts';
import { runWithinLimits } from '../../shared/tasks/limited-values.ts';
import type { createApplier } from './applying.ts';
import { prepareCheck } from './check-rows.ts';
import type { RecordDependencies } from './dependencies.ts';
import type { FreshRow, FreshRows } from './fresh-rows.ts';
import { isPersisted, type Task, targetKind } from './plans.ts';
import {
  inputsOf,
  type KnownTarget,
  missingInputsAhead,
  newTaskRow,
  type ResolvedInputs,
  resolveInputs,
} from './preparing.ts';
import { rowId, stateOf } from './target-rows.ts';
import { taskIdAt } from './task-ids.ts';

/** Milliseconds for which the cool-down of a chip is cached for the rows of a run. No cryostat warms up faster. */
const COOLDOWN_KNOWN_FOR = 100;

/** The next task to prepare, and its targets. */
export interface NextTask {
  run: HeldRun;
  stage: number;
  plan: FlowCommandDocument;
  task: Task;
  targets: readonly string[];
  index: number;
  /** Id of the measurement. */
  taskId: TaskId;
  /** The previous task of a single target, if it is known. */
  upstreamId: TaskId;
  /** True if the calibration state of the single target comes from the previous task, so that it need not be read. */
  isPrefetched?: boolean;
  /** True if rows of this task may be stored already. */
  mayExist?: boolean;
}

/** The data from which rows are created; each list is in the order of the targets. */
interface Reading {
  /** A time just before the data was read, by `performance.now()`. */
  begun: number;
  /** Rows that exist already. */
  before: (TaskResultDocument | null)[];
  states: (Readonly<CalibratedTarget> | null)[];
  qubits: Pick<KnownTarget, 'control' | 'target'>[];
  upstreams: (TaskId | null)[];
  cooldown: string | null;
}

/** The row of the next task, created while the outcome of the previous task is written to calibration state. */
export interface PrefetchedRow {
  /** Creates the row from the expected calibration state. */
  make(expected: Readonly<CalibratedTarget>): void;
  /** The row to measure, after that state is written; created again if another process has changed the state. */
  settle(written: Readonly<CalibratedTarget>): Promise<Made>;
}

/** A target that will be measured next; its row is stored. */
interface Prepared {
  row: TaskResultDocument;
  inputs: ResolvedInputs;
}

/** Rows to measure, and rows that failed before a measurement. */
interface Made {
  prepared: Prepared[];
  failed: TaskResultDocument[];
  /** Whether some of the rows existed already. */
  repeated: boolean;
}

/** The same rows before they are stored. */
interface Rows extends Made {
  /** The rows that must be stored. */
  missing: TaskResultDocument[];
  fresh: FreshRow[];
}

export type RowMaking = ReturnType<typeof createRowMaking>;

/** Creates the rows of the next task from the calibration state of its targets. */
export function createRowMaking(
  { areas, plans, settings }: RecordDependencies,
  { checkHolder }: Pick<ReturnType<typeof createApplier>, 'checkHolder'>,
  freshRows: Pick<FreshRows, 'keep'>,
) {
  const { results } = areas;
  const { state } = areas.chips;

  const cooldowns = new LRUCache<string, Promise<string | null>>({ max: 100, ttl: COOLDOWN_KNOWN_FOR });

  /** The current cool-down of the run's chip. */
  function cooldownOf({ project_id, execution_id, chip_id }: HeldRun): Promise<string | null> {
    const key = keyOf(project_id, execution_id);
    const known = cooldowns.get(key);
    if (known) return known;
    const reading = state.currentCooldown(project_id, chip_id);
    cooldowns.set(key, reading);
    reading.catch(() => cooldowns.delete(key));
    return reading;
  }

  /** The state of the two qubits that a task on a coupling may read. */
  async function qubitsOf(
    run: HeldRun,
    definition: Task['definition'],
    target: string,
  ): Promise<Pick<KnownTarget, 'control' | 'target'>> {
    const ends = definition.taskType === 'coupling' ? couplingEnds(target) : null;
    if (!ends) return {};
    const qubit = (qid: string) => state.read(run.project_id, run.chip_id, 'qubit', qid);
    const [control, other] = await Promise.all([qubit(ends.control), qubit(ends.target)]);
    return { ...(control && { control }), ...(other && { target: other }) };
  }

  /** Reads the data from which the rows of a task are created. */
  async function readFor({
    run,
    plan,
    task,
    targets,
    taskId,
    upstreamId,
    isPrefetched,
    mayExist,
  }: NextTask): Promise<Reading> {
    const begun = performance.now();
    // A list may start with a task of readout boxes, which reads no state, although later tasks need it.
    const reader =
      [task, ...plans.tasks(plan)].find((each) => targetKind(each.definition) !== null)?.definition ??
      task.definition;
    const [before, states, qubits, upstreams, cooldown] = await Promise.all([
      Promise.all(
        targets.map((target) => (mayExist ? results.get(run.project_id, rowId(task, taskId, target)) : null)),
      ),
      Promise.all(
        targets.map((target) => (isPrefetched ? null : stateOf(state, { run, definition: reader, target }))),
      ),
      Promise.all(targets.map((target) => qubitsOf(run, reader, target))),
      // After a shared task or a pause only the store knows the previous task of a target.
      Promise.all(
        targets.map((target) => upstreamId || results.lastOf(run.project_id, run.execution_id, target)),
      ),
      cooldownOf(run),
      checkHolder(run),
    ]);
    return { begun, before, states, qubits, upstreams, cooldown };
  }

  /** Creates rows from the data that was read. Existing rows are not changed. */
  function rowsFrom(
    { run, stage, plan, task, targets, index, taskId }: NextTask,
    { begun, before, states, qubits, upstreams, cooldown }: Reading,
  ): Rows {
    const { definition } = task;
    const calibrated = states.map((own, position) => own && { ...own, ...qubits[position] });
    const at = timeOfRows(run, states);
    // Whether some existing rows must still be measured.
    const isUnderWay = before.some((row) => !row || row.status === 'running');
    const prepared: Prepared[] = [];
    const failed: TaskResultDocument[] = [];
    const fresh: FreshRow[] = [];
    const hasState = targetKind(definition) !== null;
    for (const [position, target] of targets.entries()) {
      const task_id = rowId(task, taskId, target);
      const stored = before[position];
      if (stored) {
        // The row keeps its original values; the task itself may have changed the state since.
        if (isUnderWay && stored.status === 'failed' && !stored.goes_on) failed.push(stored);
        else prepared.push({ row: stored, inputs: inputsOf(stored) });
        continue;
      }
      const known = calibrated[position] ?? { qid: target, data: {} };
      const inputs = resolveInputs(task, known);
      // Checks the inputs of the whole list before its first task, so that no measurement is wasted.
      const unknown =
        calibrated[position] === null && targetKind(definition) !== null
          ? `The chip has no ${definition.taskType} ${target}.`
          : null;
      const inVain = unknown ?? (index === 0 ? missingInputsAhead(plans.tasks(plan), known) : null);
      const problem = inVain ?? inputs.problem;
      const goes_on = inVain === null && definition.goesOnWhenRefused;
      const row: TaskResultDocument = {
        ...newTaskRow(
          { run, stage, target, index, task_id, upstream_id: upstreams[position] ?? NO_TASK },
          task,
          cooldown,
          at,
        ),
        input_parameters: inputs.parameters,
        used_entities: inputs.used,
      };
      if (problem === null) {
        const deadline = new Date(at.getTime() + definition.timeout * 1000);
        const run_parameters = runWithinLimits(definition, row.run_parameters, inputs.values).run;
        const checked = prepareCheck(task, known, { run: run_parameters, values: inputs.values });
        if (typeof checked === 'string') {
          failed.push({ ...row, ...failedAt(at, checked), goes_on: true });
          continue;
        }
        const own = checked && { run_parameters: checked.run, check: checked.check };
        const made = { ...row, run_parameters, deadline, ...own };
        prepared.push({ row: made, inputs });
        fresh.push({ row: made, calibrated: hasState ? (calibrated[position] ?? null) : null, begun });
      } else {
        failed.push({ ...row, ...failedAt(at, problem), ...(goes_on && { goes_on }) });
      }
    }
    const missing = [...prepared.map(({ row }) => row), ...failed].filter((row) => !before.includes(row));
    return { prepared, failed, fresh, missing, repeated: missing.length < targets.length };
  }

  /** Records on a target that its last calibration failed because of missing inputs. */
  async function noteFailures({ run, task }: NextTask, { failed, missing }: Rows): Promise<void> {
    const kind = isPersisted(task) ? targetKind(task.definition) : null;
    if (kind === null) return;
    const { project_id, chip_id, epoch } = run;
    const day = (at: Date) => calendarDay(at, settings.TIMEZONE);
    await Promise.all(
      failed
        .filter((row) => missing.includes(row))
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
    const { missing, fresh } = rows;
    // First, so that a repetition needs no other write for a row that is already stored.
    await noteFailures(next, rows);
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
   * Creates the rows of a task. A target without its inputs fails here, before any hardware is used. Existing rows are not changed.
   * @throws ExecutionNotStartable if an existing row belongs to another target or task
   */
  async function prepare(next: NextTask): Promise<Made> {
    const reading = await readFor(next);
    for (const [position, row] of reading.before.entries()) {
      if (row) checkRow(row, next, next.targets[position]);
    }
    return create(next, rowsFrom(next, reading));
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
    const reading = readFor(next);
    const rowsWith = async (state: Readonly<CalibratedTarget>) =>
      rowsFrom(next, { ...(await reading), states: [state] });
    /** A row that fails for its inputs ends at once, so it must be created from the state that was really written. */
    async function makeFrom(expected: Readonly<CalibratedTarget>): Promise<Made | null> {
      const rows = await rowsWith(expected);
      return rows.failed.length > 0 ? null : create(next, rows);
    }
    // If the record fails first, nothing awaits these promises.
    reading.catch(() => undefined);
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

/** The end of a row that is not measured. */
function failedAt(at: Date, message: string) {
  return { status: 'failed', message, end_at: at, elapsed_time: 0 } as const;
}

/**
 * The creation time of rows. It is not before the last write to their targets in the same run, even if the machine that wrote
 * it has a clock that is ahead.
 */
function timeOfRows({ epoch }: HeldRun, states: Reading['states']): Date {
  const written = states.flatMap((state) =>
    state?.epoch === epoch && state.updated_at ? [state.updated_at.getTime()] : [],
  );
  return new Date(Math.max(Date.now(), ...written));
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
