import { nearestName } from '../flows/nearest.ts';
import { isWithin } from './bounds.ts';
import type { Bounds, ResolvedParameter, ResolvedParameters, TaskDefinition } from './model.ts';
import { type RunParameterOverrides, sweepPoints } from './run-parameters.ts';

/** Targets that a sentence names; the rest is counted. */
const NAMED_TARGETS = 5;

/** `There is no task CheckRaby; did you mean CheckRabi?` */
export function noSuchTask(name: string, knownTasks: readonly string[]): string {
  const nearest = nearestName(name, knownTasks);
  return `There is no task ${name}${nearest === undefined ? '.' : `; did you mean ${nearest}?`}`;
}

/**
 * Sentences about run parameters that can be read but not be used: values outside of their bounds, and pairs
 * `…_min`, `…_max` that leave nothing between them.
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
        `The run parameter ${name} of ${task.name} is ${outside}; it must be ${allowed(limits)}.`,
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

/** Sentences about a flow's default run parameters that are given under the name of no task. */
export function flowDefaultProblems(
  defaults: RunParameterOverrides,
  knownTasks: readonly string[],
): string[] {
  return Object.entries(defaults)
    .filter(([name, entry]) => isForOneTask(entry) && !knownTasks.includes(name))
    .map(([name]) => `The flow's default run parameters are wrong: ${noSuchTask(name, knownTasks)}`);
}

/** A sentence about targets that a task cannot measure, null when it can measure all. */
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
  return `${task.name} measures ${taskType}s of chip ${chip.chip_id}, which these are not: ${wrong.slice(0, NAMED_TARGETS).join(', ')}${more}.`;
}

/** An entry without `value` or `value_type` names the task that its parameters are for. */
function isForOneTask(entry: unknown): boolean {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return false;
  return !('value' in entry || 'value_type' in entry);
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
