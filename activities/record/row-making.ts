import type { CalibratedTarget } from '../../shared/domain/chips/index.ts';
import type { FlowCommandDocument } from '../../shared/domain/executions/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
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

/** The task to prepare next. */
export interface Next {
  targets: readonly string[];
  index: number;
  taskId: string;
  upstreamId: string;
  /** What calibration state of its only target will be is told by the task before it. */
  isFollowing?: true;
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

/** What was read ahead for the only target of a task, and calibration state of it as the task before has written it. */
export interface Ahead {
  reading: Promise<Reading>;
  written: Readonly<CalibratedTarget>;
}

/** A target about to be measured: its row is stored. */
interface Prepared {
  row: TaskResultDocument;
  inputs: ResolvedInputs;
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
  async function readFor(
    { run, again }: RecordInput,
    plan: FlowCommandDocument,
    task: Task,
    { targets, taskId, upstreamId, isFollowing }: Next,
  ): Promise<Reading> {
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
      state.currentCooldown(run.project_id, run.chip_id),
      checkHolder(run),
    ]);
    return { begun, before, states, qubits, upstreams, cooldown };
  }

  /** The same for the task after one whose outcome is being written: what state its target has then is known. */
  function readAhead(
    input: RecordInput,
    plan: FlowCommandDocument,
    ended: Task,
    nextId: string | null,
  ): Promise<Reading> | undefined {
    const index = input.index + 1;
    const task = plans.task(plan, index);
    const [target, ...others] = input.targets;
    const isLast = nextId === null || input.goes_on === false;
    if (isLast || task?.planned.scope !== 'target' || target === undefined || others.length > 0) {
      return undefined;
    }
    const upstreamId = rowId(ended, input.finished?.task_id ?? '', target);
    const next: Next = { targets: [target], index, taskId: nextId, upstreamId, isFollowing: true };
    const reading = readFor(input, plan, task, next);
    // Nobody waits for it where the record fails before.
    reading.catch(() => undefined);
    return reading;
  }

  /** Creates the rows of a task; a target without its inputs fails here, before hardware. */
  async function prepare(
    input: RecordInput,
    plan: FlowCommandDocument,
    task: Task,
    next: Next & { ahead?: Ahead | undefined },
  ): Promise<{ prepared: Prepared[]; failed: TaskResultDocument[]; repeated: boolean }> {
    const { run, stage } = input;
    const { definition } = task;
    const { targets, index, taskId } = next;
    const { begun, before, states, qubits, upstreams, cooldown } = await (next.ahead?.reading ??
      readFor(input, plan, task, next));
    const calibrated = (next.ahead ? [next.ahead.written] : states).map(
      (own, position) => own && { ...own, ...qubits[position] },
    );
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
    const created = await results.createMany(missing);
    // The engine tells of nothing that was done before when people reset a run; another attempt may be quicker, too.
    if (created < missing.length && input.again !== undefined) {
      return prepare({ ...input, again: true }, plan, task, { ...next, ahead: undefined });
    }
    if (created === missing.length) for (const each of fresh) freshRows.keep(each);
    return { prepared, failed, repeated: missing.length < targets.length };
  }

  return { readAhead, prepare };
}
