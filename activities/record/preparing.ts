/** Steps prepare and finish_and_continue: input values, the initial row and the request to measure. Used by row-making.ts. */
import type { CalibratedTarget } from '../../shared/domain/chips/index.ts';
import type { InputSnapshot } from '../../shared/domain/executions/model.ts';
import { entityId } from '../../shared/domain/provenance/rules.ts';
import type { StoredParameters, TaskResultDocument } from '../../shared/domain/results/model.ts';
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import { keyOf, NO_EXECUTION, NO_TASK, type TaskId } from '../../shared/kernel/ids.ts';
import { converted, unitConversion } from '../../shared/science/conventions/unit-table.ts';
import { isWithin } from '../../shared/tasks/bounds.ts';
import { parameterOf } from '../../shared/tasks/coupling-roles.ts';
import { inputsBeyondLimits, runWithinLimits } from '../../shared/tasks/limited-values.ts';
import type { ResolvedParameters, TaskInput } from '../../shared/tasks/model.ts';
import { CONTRACT, type MeasureRequest } from '../backends/backend.ts';
import type { Task } from './plans.ts';

/** A task's position in its run. */
export interface TaskPosition {
  run: HeldRun;
  stage: number;
  target: string;
  index: number;
  task_id: TaskId;
  upstream_id: TaskId;
}

export interface ResolvedInputs {
  parameters: StoredParameters;
  values: ResolvedParameters;
  /** Provenance versions of the values. */
  used: string[];
  /** A message that names every missing or unusable input; null if there is none. */
  problem: string | null;
}

/** Calibration state of a target, and for a coupling also of both its qubits. */
export interface KnownTarget extends KnownValues {
  control?: KnownValues;
  target?: KnownValues;
}

type KnownValues = Pick<CalibratedTarget, 'qid' | 'data'>;

/** The calibration state that holds the value of an input. */
function storedUnder(
  known: KnownTarget,
  name: string,
  input: TaskInput,
): { owner: KnownValues; key: string } {
  const { from } = input;
  const owner = from === 'control' || from === 'target' ? known[from] : known;
  return { owner: owner ?? { qid: known.qid, data: {} }, key: parameterOf(name, input) };
}

/** The factor from the unit of a stored value to that of an input, or a message with both units if there is none. */
function factorOf({ unit }: { unit?: string }, wanted: string): number | string {
  const conversion = unitConversion(unit ?? '', wanted);
  return 'problem' in conversion ? conversion.problem : conversion.factor;
}

/**
 * Resolves the input values of a task: override, calibration state, default of the catalog, in this order. If the stage has an
 * offset, it is added to the latter two, which then count as an override. A repeated task uses the values of its snapshot
 * instead of the latter two. A required value that is missing or beyond its limit fails the task before any hardware is used;
 * no missing value is taken as 0.
 */
export function resolveInputs({ definition, planned }: Task, known: KnownTarget): ResolvedInputs {
  const { input_overrides: overrides, input_offsets: offsets = {}, snapshot } = planned;
  const keptIn = snapshot ? 'snapshot' : 'database';
  const parameters: StoredParameters = {};
  const values: ResolvedParameters = {};
  const used: string[] = [];
  const missing: string[] = [];
  const unusable: string[] = [];
  for (const [name, input] of Object.entries(definition.inputs)) {
    const { owner, key } = storedUnder(known, name, input);
    const stored = snapshot ? snapshot.inputs[name] : owner.data[key];
    const override = overrides[name];
    const factor = override === undefined && stored ? factorOf(stored, input.unit) : 1;
    if (typeof factor === 'string') {
      unusable.push(`${name} (${factor})`);
      continue;
    }
    const kept = typeof stored?.value === 'number' ? converted(stored.value, factor) : stored?.value;
    const found = override ?? kept ?? (snapshot ? undefined : input.fallback);
    const offset = override === undefined ? (offsets[name] ?? 0) : 0;
    const value = typeof found === 'number' ? found + offset : found;
    if (value === undefined || value === null) {
      if (input.required) missing.push(name);
      continue;
    }
    if (typeof value !== 'number' || !Number.isFinite(value) || !isWithin(value, input.bounds)) {
      unusable.push(`${name} (${typeof value === 'number' ? value : 'not a number'})`);
      continue;
    }
    const fromState = override === undefined && typeof stored?.value === 'number';
    values[name] = { value, value_type: input.valueType, unit: input.unit };
    parameters[name] = {
      parameter_name: key,
      qid_role: input.from ?? '',
      source: override === undefined && offset === 0 ? (fromState ? keptIn : 'default') : 'override',
      required: input.required,
      value,
      value_type: input.valueType,
      error: fromState && typeof stored?.error === 'number' ? converted(stored.error, factor) : null,
      unit: input.unit,
      description:
        offset === 0 ? input.description : `${input.description}, ${signed(offset)} ${input.unit}`.trimEnd(),
      calibrated_at: fromState ? (stored?.calibrated_at ?? null) : null,
      execution_id: (fromState ? stored?.execution_id : null) ?? NO_EXECUTION,
      task_id: (fromState ? stored?.task_id : null) ?? NO_TASK,
    };
    if (fromState && stored?.execution_id && stored.task_id) {
      used.push(entityId(key, owner.qid, stored.execution_id, stored.task_id));
    }
  }
  unusable.push(...inputsBeyondLimits(definition, values));
  const { problem: unplayable } = runWithinLimits(definition, planned.run_parameters, values);
  const problems = [
    ...(missing.length > 0 ? [missingMessage(definition.name, known.qid, missing, snapshot)] : []),
    ...(unusable.length > 0
      ? [`${definition.name} cannot use these values of target ${known.qid}: ${unusable.join(', ')}.`]
      : []),
    ...(unplayable ? [`${definition.name} measures nothing on target ${known.qid}: ${unplayable}.`] : []),
  ];
  return { parameters, values, used, problem: problems.length > 0 ? problems.join(' ') : null };
}

function signed(offset: number): string {
  return offset > 0 ? `+${offset}` : String(offset);
}

/**
 * Checks before the first task what a whole task list lacks on a target: required values that are neither stored, nor
 * overridden, nor an output of an earlier task of the list. Returns a message with all of them; null if nothing is missing.
 */
export function missingInputsAhead(tasks: readonly Task[], known: KnownTarget): string | null {
  const found = new Set<string>();
  const problems = new Set<string>();
  for (const { definition, planned } of tasks) {
    // A computed task costs no measurement, and its failure does not end the target, so it is not checked here.
    if (definition.kind === 'computed' && definition.goesOnWhenRefused) continue;
    const { input_overrides, snapshot } = planned;
    const missing = Object.entries(definition.inputs).flatMap(([name, input]) => {
      if (!input.required || name in input_overrides) return [];
      if (snapshot) return (snapshot.inputs[name]?.value ?? null) === null ? [{ name, holding: '' }] : [];
      if (input.fallback !== undefined) return [];
      const { owner, key } = storedUnder(known, name, input);
      const holding = `${owner.qid} ${key}`;
      return (owner.data[key]?.value ?? null) !== null || found.has(holding) ? [] : [{ name, holding }];
    });
    if (missing.length > 0) {
      const names = missing.map(({ name }) => name);
      problems.add(missingMessage(definition.name, known.qid, names, snapshot));
    }
    for (const { holding } of missing) found.add(holding);
    for (const name of Object.keys(definition.outputs)) found.add(`${known.qid} ${name}`);
  }
  return problems.size > 0 ? [...problems].join(' ') : null;
}

function missingMessage(
  task: string,
  qid: string,
  names: readonly string[],
  snapshot: InputSnapshot | undefined,
): string {
  if (snapshot) {
    return `The task result ${snapshot.task_id}, which ${task} is made from, has no value of ${names.join(', ')}. Override what is missing, or execute the task without a snapshot.`;
  }
  return `${task} needs values that target ${qid} does not have yet: ${names.join(', ')}.`;
}

/** The initial row of a task. */
export function newTaskRow(
  position: TaskPosition,
  { definition, planned }: Task,
  cooldownId: string | null,
  at: Date,
): TaskResultDocument {
  const { run, stage, target, index, task_id, upstream_id } = position;
  return {
    _id: keyOf(run.project_id, task_id),
    project_id: run.project_id,
    task_id,
    execution_id: run.execution_id,
    chip_id: run.chip_id,
    user_id: run.user_id,
    username: run.username,
    name: definition.name,
    task_type: definition.taskType,
    qid: target,
    stage,
    index,
    epoch: run.epoch,
    attempt: 1,
    upstream_id,
    source_task_id: planned.source_task_id ?? NO_TASK,
    status: 'running',
    message: '',
    stack_trace: '',
    input_parameters: {},
    output_parameters: {},
    output_parameter_names: [],
    run_parameters: planned.run_parameters,
    quality_metrics: {},
    note: {},
    user_note: null,
    figure_path: [],
    json_figure_path: [],
    raw_data_path: [],
    tags: run.tags,
    cooldown_id: cooldownId,
    used_entities: [],
    start_at: at,
    end_at: null,
    elapsed_time: null,
    deadline: null,
    ...(planned.check && { check: { outcome: null, reason: '', values: {} } }),
    created_at: at,
  };
}

/** The request to the backend: one measurement of the prepared targets, within the limits of each of them. */
function measureRequestOf(
  run: HeldRun,
  { definition, planned }: Task,
  measurement: {
    taskId: TaskId;
    prepared: readonly { row: TaskResultDocument; inputs: ResolvedInputs }[];
    /** Where the backend may put files of its own. */
    directory: string;
  },
): MeasureRequest {
  const { taskId, prepared, directory } = measurement;
  const deadline = Math.max(...prepared.map(({ row }) => row.deadline?.getTime() ?? 0));
  const [first] = prepared;
  const runParameters = prepared.reduce(
    (run, { inputs }) => runWithinLimits(definition, run, inputs.values).run,
    planned.run_parameters,
  );
  return {
    contract: CONTRACT,
    project_id: run.project_id,
    chip_id: run.chip_id,
    execution_id: run.execution_id,
    epoch: run.epoch,
    task_id: taskId,
    attempt: Math.max(...prepared.map(({ row }) => row.attempt)),
    task_name: definition.name,
    task_type: definition.taskType,
    targets: prepared.map(({ row }) => row.qid),
    input_parameters: planned.scope === 'target' ? (first?.inputs.values ?? {}) : {},
    ...(planned.scope === 'target'
      ? {}
      : {
          target_parameters: Object.fromEntries(prepared.map(({ row, inputs }) => [row.qid, inputs.values])),
        }),
    run_parameters: Object.fromEntries(
      Object.entries(runParameters).map(([name, { value, value_type, unit }]) => [
        name,
        { value, value_type, unit },
      ]),
    ),
    artifact_dir: directory,
    deadline: new Date(deadline).toISOString(),
    timeout: definition.timeout,
  };
}

/** The input values of a task, from its row. */
export function inputsOf(
  row: Pick<TaskResultDocument, 'input_parameters' | 'used_entities'>,
): ResolvedInputs {
  const values = Object.fromEntries(
    Object.entries(row.input_parameters).map(([name, { value, value_type, unit }]) => [
      name,
      { value, value_type, unit },
    ]),
  );
  return { parameters: row.input_parameters, values, used: row.used_entities, problem: null };
}

interface SharedRows {
  taskId: TaskId;
  /** The rows of one pass. */
  rows: readonly TaskResultDocument[];
  /** Where the backend may put files of its own. */
  directory: string;
}

/**
 * The measurement of rows that are in the same pass and have no outcome. A further pass uses the current run parameters of the
 * rows and the time that is left to them.
 */
export function measurementOf(
  run: HeldRun,
  task: Task,
  { taskId, rows, directory }: SharedRows,
): { request: MeasureRequest; timeout: number } {
  const asked = rows.filter(({ status, outcome }) => status === 'running' && !outcome);
  const [first] = asked;
  const pass = (first?.passes?.length ?? 0) + 1;
  const { timeout } = task.definition;
  // Further passes and checks have run parameters of their own.
  const isOwn = pass > 1 || task.planned.check !== undefined;
  const planned = { ...task.planned, ...(isOwn && first && { run_parameters: first.run_parameters }) };
  const prepared = asked.map((row) => ({ row, inputs: inputsOf(row) }));
  const request = measureRequestOf(run, { ...task, planned }, { taskId, prepared, directory });
  // The request of a first pass has no `pass`.
  if (pass === 1) return { request, timeout };
  const deadline = Math.min(...asked.map((row) => row.deadline?.getTime() ?? 0));
  const left = Math.max(1, Math.min(timeout, Math.ceil((deadline - Date.now()) / 1000)));
  return { request: { ...request, pass, timeout: left }, timeout: left };
}
