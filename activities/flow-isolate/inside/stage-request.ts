import type {
  QubitScheduleCommand,
  StageCommand,
  StageSchedule,
  StageTask,
} from '../../../shared/domain/flows/model.ts';
import type { FlowContext } from '../protocol.ts';
import { choiceOption, countOption, flagOption, type Options, readOptions, textOption } from './options.ts';
import { scheduleOf } from './pair-schedule.ts';
import { idList, unique, unknownTargets } from './targets.ts';
import { parse, show, stringify } from './values.ts';

type RunParameters = NonNullable<StageTask['run_parameters']>;
type InputOffsets = NonNullable<StageCommand['input_offsets']>;

/** Options for the scheduler, which determines the order of qubits. */
export type QubitOrder = Pick<QubitScheduleCommand, 'mode' | 'batches' | 'ordering'>;

export interface StageRequest {
  name: string;
  tasks: StageTask[];
  /** May be empty; the stage is then not run. */
  targets: string[];
  parallel?: number;
  order?: QubitOrder;
  schedule?: StageSchedule;
  run_parameters?: RunParameters;
  input_offsets?: InputOffsets;
  repeat_refused?: true;
}

/** Options of every call that runs a stage. */
export const orderOptions = [
  'mode',
  'batches',
  'ordering',
  'parallel',
  'run_parameters',
  'input_offsets',
  'repeat_refused',
];

const modes = ['scheduled', 'synchronized', 'serial', 'simultaneous'] as const;
const stageOptions = ['name', 'tasks', 'targets', 'schedule', ...orderOptions];

/** Validates the arguments of `session.run`. `more` are options of the call that do not belong to the stage. */
export function stageRequest(
  given: unknown,
  context: FlowContext,
  call: string,
  more: readonly string[] = [],
): StageRequest {
  if (typeof given !== 'object' || given === null) {
    throw new TypeError(`${call} takes one object: { name, tasks, targets }`);
  }
  const options = readOptions(given, [...stageOptions, ...more], call);
  const schedule = options['schedule'] === undefined ? undefined : scheduleOf(options['schedule'], call);
  const planned = schedule?.flat(2) ?? [];
  const wanted = options['targets'] ?? schedule?.flat(2);
  const request: StageRequest = {
    name: textOption(options['name'], `${call}: name`),
    tasks: stageTasks(options['tasks'], call),
    targets: unique(idList(wanted, `${call}: targets`, 'session.targets.all()')),
    ...stageOrder(options, call),
  };
  const ids = new Set([...context.qubits, ...context.couplings]);
  const unknown = unique([...request.targets, ...planned]).filter((id) => !ids.has(id));
  if (unknown.length > 0) throw unknownTargets(unknown, 'target', context.chip_id, context.qubits);
  if (schedule === undefined) return request;
  if (request.order !== undefined) throw new TypeError(`${call} takes mode or schedule, not both`);
  const placed = new Set(planned);
  const missing = request.targets.filter((id) => !placed.has(id));
  if (missing.length > 0) {
    throw new RangeError(
      `${call}: schedule does not have the targets ${missing.join(', ')}; add them, or take them out of targets`,
    );
  }
  return { ...request, schedule: narrowed(schedule, request.targets) };
}

/** Order, run parameters and input offsets of a stage. */
function stageOrder(
  options: Options,
  call: string,
): Pick<StageRequest, 'parallel' | 'order' | 'run_parameters' | 'input_offsets' | 'repeat_refused'> {
  const mode = choiceOption(options['mode'], modes, `${call}: mode`);
  const batches = choiceOption(options['batches'], ['all', 'local_index'], `${call}: batches`);
  const orderings = ['natural', 'checkerboard', 'parity'] as const;
  const ordering = choiceOption(options['ordering'], orderings, `${call}: ordering`);
  if (mode === undefined && ordering !== undefined) throw new TypeError(`${call}: ordering needs a mode`);
  if (batches !== undefined && mode !== 'simultaneous') {
    throw new TypeError(`${call}: batches are for mode simultaneous`);
  }
  const parallel = countOption(options['parallel'], `${call}: parallel`);
  const given = options['run_parameters'];
  const parameters = given === undefined ? {} : runParameters('the stage', given, call);
  const offsets = inputOffsets(options['input_offsets'], call);
  return {
    ...(parallel === undefined ? {} : { parallel }),
    ...(mode === undefined
      ? {}
      : { order: { mode, ...(batches ? { batches } : {}), ...(ordering ? { ordering } : {}) } }),
    ...(Object.keys(parameters).length === 0 ? {} : { run_parameters: parameters }),
    ...(Object.keys(offsets).length === 0 ? {} : { input_offsets: offsets }),
    ...(flagOption(options['repeat_refused'], `${call}: repeat_refused`) ? { repeat_refused: true } : {}),
  };
}

/** A schedule with only these targets. */
export function narrowed(schedule: StageSchedule, targets: readonly string[]): StageSchedule {
  const wanted = new Set(targets);
  return schedule
    .map((step) => step.map((lane) => lane.filter((id) => wanted.has(id))).filter((lane) => lane.length > 0))
    .filter((step) => step.length > 0);
}

/** Validates the tasks of a stage: names, or objects with a name and options. */
export function stageTasks(value: unknown, call: string): StageTask[] {
  if (!Array.isArray(value) || value.length === 0) {
    throw new TypeError(`${call}: tasks must be a list of task names, but got ${show(value)}`);
  }
  return value.map((task: unknown) => {
    if (typeof task === 'string' && task !== '') return { name: task };
    if (typeof task !== 'object' || task === null || !('name' in task) || typeof task.name !== 'string') {
      throw new TypeError(`${call}: a task is a name or { name, run_parameters, check }, not ${show(task)}`);
    }
    const { run_parameters, check } = readOptions(
      task,
      ['name', 'run_parameters', 'check'],
      `a task of ${call}`,
    );
    return {
      name: task.name,
      ...(run_parameters !== undefined && {
        run_parameters: runParameters(task.name, run_parameters, call),
      }),
      ...(flagOption(check, `${call}: check of ${task.name}`) && { check: true }),
    };
  });
}

/** Run parameters given by a flow. Undefined and null values are ignored. */
export function runParameters(of: string, value: unknown, call: string): RunParameters {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError(`${call}: run_parameters of ${of} must be an object, not ${show(value)}`);
  }
  const parameters: RunParameters = {};
  for (const [name, given] of Object.entries(value)) {
    const bare: unknown =
      typeof given === 'object' && given !== null && 'value' in given ? given.value : given;
    if (bare === undefined || bare === null) continue;
    const isOne = typeof bare === 'string' || typeof bare === 'boolean' || Number.isFinite(bare);
    const isList =
      Array.isArray(bare) && bare.every((part: unknown) => typeof part === 'string' || Number.isFinite(part));
    if (!isOne && !isList) {
      throw new TypeError(
        `${call}: run parameter ${name} of ${of} must be a number, a text, true, false or a list, not ${show(bare)}`,
      );
    }
    // Validate the value after a JSON round trip, because the command is sent as JSON.
    parameters[name] = parse(stringify({ value: bare }));
  }
  return parameters;
}

/** Offsets that a flow adds to stored inputs. Undefined and null values are ignored. */
export function inputOffsets(value: unknown, call: string): InputOffsets {
  if (value === undefined) return {};
  const wrong = () =>
    new TypeError(
      `${call}: input_offsets are numbers by the names of inputs, such as { qubit_frequency: 0.001 }, not ${show(value)}`,
    );
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong();
  const offsets: InputOffsets = {};
  for (const [name, offset] of Object.entries(value)) {
    if (offset === undefined || offset === null) continue;
    if (typeof offset !== 'number' || !Number.isFinite(offset)) throw wrong();
    offsets[name] = offset;
  }
  return offsets;
}
