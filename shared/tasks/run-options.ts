import { nearestName } from '../kernel/near-names.ts';
import { placeOrder } from '../science/conventions/multiplexer.ts';
import { isWithin } from './bounds.ts';
import type {
  Bounds,
  ResolvedParameter,
  ResolvedParameters,
  TaskDefinition,
  TaskRunParameter,
} from './model.ts';
import { POWERS_OF_TEN, type RunParameterOverrides, sweepPoints } from './run-parameters.ts';

/** Maximum number of targets named in a message; the others are counted. */
const NAMED_TARGETS = 5;
/** Maximum number of misspelled run parameters reported in one response, because each is compared with all valid names. */
const NAMED_PARAMETERS = 10;
/** Maximum number of unknown run parameters of a task that are checked for misspellings; further ones are passed on. */
const COMPARED_PARAMETERS = 100;

/** `There is no task CheckRaby; did you mean CheckRabi?` */
export function noSuchTask(name: string, knownTasks: readonly string[]): string {
  return `There is no task ${name}${didYouMean(name, knownTasks)}`;
}

/**
 * Messages about run parameters that are well-formed but invalid: values outside their bounds, texts that are not among
 * the choices, and pairs `…_min`, `…_max` with an empty range.
 */
export function runOptionProblems(
  task: Pick<TaskDefinition, 'name' | 'runParameters'>,
  parameters: ResolvedParameters,
): string[] {
  const problems: string[] = [];
  for (const [name, parameter] of Object.entries(parameters)) {
    const limits = task.runParameters[name]?.bounds;
    const outside = limits && numbersOf(parameter).find((value) => !isWithin(value, limits));
    if (limits && outside !== undefined) {
      problems.push(
        `The run parameter ${name} of ${task.name} is ${outside}; it must be ${allowed(limits)}${parameter.value_type === 'np.logspace' ? `; ${POWERS_OF_TEN}` : ''}.`,
      );
    }
    const declared = task.runParameters[name];
    if (declared?.choices && !isChoice(declared, parameter.value)) {
      problems.push(
        `The run parameter ${name} of ${task.name} is ${JSON.stringify(parameter.value)}; it must be ${choicesOf(declared).join(' or ')}.`,
      );
    }
    const maximum = name.endsWith('_min') ? `${name.slice(0, -'min'.length)}max` : '';
    const [low, high] = [parameter.value, parameters[maximum]?.value];
    if (typeof low === 'number' && typeof high === 'number' && low > high) {
      problems.push(
        `The run parameters ${name} and ${maximum} of ${task.name} contradict each other: ${low} is above ${high}.`,
      );
    }
  }
  return problems;
}

/**
 * Messages about a flow's default run parameters that have no effect: those under the name of an unknown task, and run
 * parameters for all tasks that no task has.
 */
export function flowDefaultProblems(
  defaults: RunParameterOverrides,
  tasks: readonly Pick<TaskDefinition, 'name' | 'runParameters'>[],
): string[] {
  const names = tasks.map((task) => task.name);
  const parameters = tasks.flatMap((task) => Object.keys(task.runParameters));
  const [known, tasksByName] = [new Set(parameters), new Set(names)];
  const wrong = Object.entries(defaults)
    .map(([name, entry]) => ({ name, isForAll: !isForOneTask(entry) }))
    .filter(({ name, isForAll }) => !(isForAll ? known : tasksByName).has(name));
  return wrong.slice(0, NAMED_PARAMETERS).map(({ name, isForAll }) => {
    const problem = isForAll
      ? `no task has a run parameter ${name}${didYouMean(name, parameters)}`
      : noSuchTask(name, names);
    return `The flow's default run parameters are wrong: ${problem}`;
  });
}

/**
 * Messages about names of run parameters that are probably misspelled. A name unlike all names of the catalog is passed
 * on, because a lab's backend may know it.
 */
export function misspelledRunParameters(
  task: Pick<TaskDefinition, 'name' | 'runParameters'>,
  given: RunParameterOverrides,
): string[] {
  const known = Object.keys(task.runParameters);
  return Object.keys(given)
    .filter((name) => !known.includes(name))
    .slice(0, COMPARED_PARAMETERS)
    .flatMap((name) => {
      const nearest = nearestName(name, known);
      if (nearest === undefined) return [];
      return [`${task.name} has no run parameter ${name}; did you mean ${nearest}?`];
    });
}

/** Messages about run parameters of a stage that none of its tasks has. */
export function stageParameterProblems(
  tasks: readonly Pick<TaskDefinition, 'name' | 'runParameters'>[],
  given: RunParameterOverrides,
): string[] {
  const known = [...new Set(tasks.flatMap((task) => Object.keys(task.runParameters)))];
  return Object.keys(given)
    .filter((name) => !known.includes(name))
    .slice(0, NAMED_PARAMETERS)
    .map((name) => `No task of the stage has a run parameter ${name}${didYouMean(name, known)}`);
}

/** The end of a sentence about an unknown name: `; did you mean CheckRabi?`, or a full stop. */
export function didYouMean(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? '.' : `; did you mean ${nearest}?`;
}

/**
 * The reason why a run cannot measure a task that a backend declares; null if it can. The catalog's tasks can run on
 * any backend.
 */
export function backendProblem(
  { name, declared }: Pick<TaskDefinition, 'name' | 'declared'>,
  { backend }: { backend: string },
): string | null {
  if (declared === undefined || declared.backend === backend) return null;
  return `${name} is a task of the backend ${declared.backend}, and this run measures on ${backend}.`;
}

/** A message about targets that a task cannot measure; null if it can measure all. */
export function targetProblem(
  task: Pick<TaskDefinition, 'name' | 'taskType'>,
  targets: readonly string[],
  chip: { chip_id: string; qubits: readonly string[]; couplings: readonly string[] },
): string | null {
  const { taskType } = task;
  if (taskType !== 'qubit' && taskType !== 'coupling') return null;
  const known = new Set(taskType === 'qubit' ? chip.qubits : chip.couplings);
  const wrong = targets.filter((target) => !known.has(target));
  if (wrong.length === 0) return null;
  const more = wrong.length > NAMED_TARGETS ? ` and ${wrong.length - NAMED_TARGETS} more` : '';
  return `${task.name} measures ${taskType}s, and chip ${chip.chip_id} has none named ${wrong.slice(0, NAMED_TARGETS).join(', ')}${more}.`;
}

/** An entry without `value` or `value_type` is keyed by the task that its parameters apply to. */
function isForOneTask(entry: unknown): boolean {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return false;
  return !('value' in entry || 'value_type' in entry);
}

function isChoice({ choices, orPlaceOrder }: TaskRunParameter, value: ResolvedParameter['value']): boolean {
  if (typeof value !== 'string') return false;
  return Boolean(choices?.includes(value) || (orPlaceOrder && placeOrder(value)));
}

/** The allowed values of a parameter with choices, as text. */
export function choicesOf({ choices = [], orPlaceOrder }: TaskRunParameter): string[] {
  return [...choices, ...(orPlaceOrder ? ['an order of places such as 3,0,2,1'] : [])];
}

function numbersOf(parameter: ResolvedParameter): number[] {
  if (typeof parameter.value === 'number') return [parameter.value];
  if (!Array.isArray(parameter.value)) return [];
  const points = sweepPoints(parameter);
  return points.ok ? points.value : [];
}

/** `above 0 and at most 1` */
function allowed({ minimum, maximum, exclusiveMinimum }: Bounds): string {
  const low = minimum === undefined ? [] : [`${exclusiveMinimum ? 'above' : 'at least'} ${minimum}`];
  const high = maximum === undefined ? [] : [`at most ${maximum}`];
  return [...low, ...high].join(' and ');
}
