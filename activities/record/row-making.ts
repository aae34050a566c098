import { LRUCache } from 'lru-cache';
import type { CalibratedTarget } from '../../shared/domain/chips/index.ts';
import type { FlowCommandDocument } from '../../shared/domain/executions/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import { keyOf } from '../../shared/kernel/ids.ts';
import { couplingEnds } from '../../shared/tasks/coupling-roles.ts';
import { runWithinLimits } from '../../shared/tasks/limited-values.ts';
import type { RecordInput } from '../contract.ts';
import type { createApplier } from './applying.ts';
import { rowId, stateOf } from './closing.ts';
import type { RecordDependencies } from './dependencies.ts';
import type { FreshRow, FreshRows } from './fresh-rows.ts';
import { type Task, targetKind } from './plans.ts';
import {
  inputsOf,
  type KnownTarget,
  missingInputsAhead,
  newTaskRow,
  type ResolvedInputs,
  resolveInputs,
} from './preparing.ts';

/** Milliseconds for which the rows of a run share what was read of its chip's cool-down: nobody warms a cryostat in less. */
const COOLDOWN_KNOWN_FOR = 100;

/** The task to prepare next, and for whom. */
export interface Asked {
  input: RecordInput;
  plan: FlowCommandDocument;
  task: Task;
  targets: readonly string[];
  index: number;
  taskId: string;
  upstreamId: string;
  /** What calibration state of its only target will be is told by the task before it. */
  isFollowing?: boolean;
}

/** What rows are made from, each list in the order of the targets. */
interface Reading {
  /** Before it was read, by `performance.now()`. */
  begun: number;
  /** Rows that are there already. */
  before: (TaskResultDocument | null)[];
  states: (Readonly<CalibratedTarget> | null)[];
  qubits: Pick<KnownTarget, 'control' | 'target'>[];
  upstreams: (string | null)[];
  cooldown: string | null;
}

/** The row of the task after one whose outcome is being written, made while that becomes calibration state. */
export interface RowAhead {
  /** Makes it, from what that state will be unless somebody changes it. */
  make(expected: Readonly<CalibratedTarget>): void;
  /** The row as it is to be measured, once that state is written; anew where somebody has changed it. */
  settle(written: Readonly<CalibratedTarget>): Promise<Made>;
}

/** A target about to be measured: its row is stored. */
interface Prepared {
  row: TaskResultDocument;
  inputs: ResolvedInputs;
}

/** Rows that are to be measured, and those that failed before. */
interface Made {
  prepared: Prepared[];
  failed: TaskResultDocument[];
  /** Whether some of them were there already. */
  repeated: boolean;
}

/** The same before they are stored. */
interface Rows extends Made {
  /** Those that are yet to be stored. */
  missing: TaskResultDocument[];
  fresh: FreshRow[];
}

export type RowMaking = ReturnType<typeof createRowMaking>;

/** Makes the rows of the task that comes next, from what calibration state holds of its targets. */
export function createRowMaking(
  { areas, plans }: RecordDependencies,
  { checkHolder }: Pick<ReturnType<typeof createApplier>, 'checkHolder'>,
  freshRows: Pick<FreshRows, 'keep'>,
) {
  const { results } = areas;
  const { state } = areas.chips;

  const cooldowns = new LRUCache<string, Promise<string | null>>({ max: 100, ttl: COOLDOWN_KNOWN_FOR });

  /** The cool-down that the chip of a run is in. */
  function cooldownOf({ project_id, execution_id, chip_id }: HeldRun): Promise<string | null> {
    const key = keyOf(project_id, execution_id);
    const known = cooldowns.get(key);
    if (known) return known;
    const reading = state.currentCooldown(project_id, chip_id);
    cooldowns.set(key, reading);
    reading.catch(() => cooldowns.delete(key));
    return reading;
  }

  /** What a task on a coupling may read of its qubits. */
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

  /** What the rows of a task are made from. */
  async function readFor({
    input: { run, again },
    plan,
    task,
    targets,
    taskId,
    upstreamId,
    isFollowing,
  }: Asked): Promise<Reading> {
    const begun = performance.now();
    // A list may begin with a task of the boxes, which reads no state, and still need some further on.
    const reader =
      [task, ...plans.tasks(plan)].find((each) => targetKind(each.definition) !== null)?.definition ??
      task.definition;
    const [before, states, qubits, upstreams, cooldown] = await Promise.all([
      Promise.all(
        targets.map((target) => (again ? results.get(run.project_id, rowId(task, taskId, target)) : null)),
      ),
      Promise.all(
        targets.map((target) => (isFollowing ? null : stateOf(state, { run, definition: reader, target }))),
      ),
      Promise.all(targets.map((target) => qubitsOf(run, reader, target))),
      // After a shared task or a pause of the chain only the store knows what a target ran last.
      Promise.all(
        targets.map((target) => upstreamId || results.lastOf(run.project_id, run.execution_id, target)),
      ),
      cooldownOf(run),
      checkHolder(run),
    ]);
    return { begun, before, states, qubits, upstreams, cooldown };
  }

  /** Rows as they are made from what was read; those that are there already stay as they are. */
  function rowsFrom(
    { input: { run, stage }, plan, task, targets, index, taskId }: Asked,
    { begun, before, states, qubits, upstreams, cooldown }: Reading,
  ): Rows {
    const { definition } = task;
    const calibrated = states.map((own, position) => own && { ...own, ...qubits[position] });
    const at = new Date();
    // Whether some of what was prepared before is still to be measured.
    const isUnderWay = before.some((row) => !row || row.status === 'running');
    const prepared: Prepared[] = [];
    const failed: TaskResultDocument[] = [];
    const fresh: FreshRow[] = [];
    const hasState = targetKind(definition) !== null;
    for (const [position, target] of targets.entries()) {
      const task_id = rowId(task, taskId, target);
      const stored = before[position];
      if (stored) {
        // Its values are those of then, which the task itself may have changed since. Who goes on is told with the others.
        if (isUnderWay && stored.status === 'failed' && !stored.goes_on) failed.push(stored);
        else prepared.push({ row: stored, inputs: inputsOf(stored) });
        continue;
      }
      const known = calibrated[position] ?? { qid: target, data: {} };
      const inputs = resolveInputs(task, known);
      // At the start of its list a target is asked for all that the list will need: nothing is measured in vain.
      const unknown =
        calibrated[position] === null && targetKind(definition) !== null
          ? `The chip has no ${definition.taskType} ${target}.`
          : null;
      const inVain = unknown ?? (index === 0 ? missingInputsAhead(plans.tasks(plan), known) : null);
      const problem = inVain ?? inputs.problem;
      const goes_on = inVain === null && definition.goesOnWhenRefused;
      const row: TaskResultDocument = {
        ...newTaskRow(
          { run, stage, target, index, task_id, upstream_id: upstreams[position] ?? '' },
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
        const made = { ...row, run_parameters, deadline };
        prepared.push({ row: made, inputs });
        fresh.push({ row: made, calibrated: hasState ? (calibrated[position] ?? null) : null, begun });
      } else {
        const end = { status: 'failed', message: problem, end_at: at, elapsed_time: 0 } as const;
        failed.push({ ...row, ...end, ...(goes_on && { goes_on }) });
      }
    }
    const missing = [...prepared.map(({ row }) => row), ...failed].filter((row) => !before.includes(row));
    return { prepared, failed, fresh, missing, repeated: missing.length < targets.length };
  }

  async function create(asked: Asked, rows: Rows): Promise<Made> {
    const { input } = asked;
    const { missing, fresh } = rows;
    const created = await results.createMany(missing);
    // The engine tells of nothing that was done before when people reset a run; another attempt may be quicker, too.
    if (created < missing.length && input.again !== undefined) {
      return prepare({ ...asked, input: { ...input, again: true }, isFollowing: false });
    }
    if (created === missing.length) for (const each of fresh) freshRows.keep(each);
    return rows;
  }

  /** Creates the rows of a task; a target without its inputs fails here, before hardware. */
  async function prepare(asked: Asked): Promise<Made> {
    return create(asked, rowsFrom(asked, await readFor(asked)));
  }

  /**
   * Begins with the row of the task after one that has an outcome, by reading all but calibration state of its target,
   * which is known.
   * @returns undefined where it is made later, with others or not at all
   */
  function rowAhead(
    input: RecordInput,
    plan: FlowCommandDocument,
    ended: Task,
    nextId: string | null,
  ): RowAhead | undefined {
    const index = input.index + 1;
    const task = plans.task(plan, index);
    const [target, ...others] = input.targets;
    const isLast = nextId === null || input.goes_on === false;
    if (isLast || task?.planned.scope !== 'target' || target === undefined || others.length > 0) {
      return undefined;
    }
    const upstreamId = rowId(ended, input.finished?.task_id ?? '', target);
    const asked: Asked = {
      ...{ input, plan, task, targets: [target], index },
      ...{ taskId: nextId, upstreamId, isFollowing: true },
    };
    const reading = readFor(asked);
    const rowsWith = async (state: Readonly<CalibratedTarget>) =>
      rowsFrom(asked, { ...(await reading), states: [state] });
    /** A row that fails before hardware ends there, so it waits for the state as it is. */
    async function makeFrom(expected: Readonly<CalibratedTarget>): Promise<Made | null> {
      const rows = await rowsWith(expected);
      return rows.failed.length > 0 ? null : create(asked, rows);
    }
    // Nobody waits for either where the record fails before.
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
        return made ? remake(made, rows) : create(asked, rows);
      },
    };
  }

  /** Stores rows in place of those that were made from what did not become calibration state. */
  async function remake({ prepared }: Made, rows: Rows): Promise<Made> {
    const before = prepared.map(({ row }) => row);
    await Promise.all(rows.missing.map((row, position) => results.remake(before[position] ?? row, row)));
    for (const each of rows.fresh) freshRows.keep(each);
    return rows;
  }

  return { rowAhead, prepare };
}
