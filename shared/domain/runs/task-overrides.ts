import { nearestName } from '../../kernel/near-names.ts';
import { listIfText } from '../../kernel/text.ts';
import { isWithin } from '../../tasks/bounds.ts';
import type { TaskDefinition } from '../../tasks/model.ts';
import { runOptionProblems } from '../../tasks/run-options.ts';
import { resolveRunParameters } from '../../tasks/run-parameters.ts';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type Overrides = Readonly<Record<string, unknown>>;

const isInteger = (value: unknown) => typeof value === 'number' && Number.isInteger(value);
const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value);
const isTriple = (value: unknown) => Array.isArray(value) && value.length === 3;

const POWERS_OF_TEN =
  'a list of start, stop and number of points, where start and stop are powers of ten ([2, 5, 51] goes from 100 to 100000); for another spacing give {"value": …, "value_type": …}';

/** Types of sweeps, each of which may be given in place of another. */
const sweepTypes: readonly string[] = ['np.linspace', 'np.logspace', 'np.arange', 'range', 'list'];

/** The JSON values that fit each declared type, with its description for messages. */
const forms: Record<string, { fits(value: unknown): boolean; words: string }> = {
  int: { fits: isInteger, words: 'a whole number' },
  float: { fits: isNumber, words: 'a number' },
  bool: { fits: (value) => typeof value === 'boolean', words: 'true or false' },
  list: { fits: Array.isArray, words: 'a list' },
  str: { fits: (value) => typeof value === 'string', words: 'text' },
  'np.linspace': { fits: isTriple, words: 'a list of start, stop and number of points' },
  'np.logspace': { fits: isTriple, words: POWERS_OF_TEN },
  'np.arange': { fits: isTriple, words: 'a list of start, stop and step' },
  range: { fits: isTriple, words: 'a list of start, stop and step' },
};

/** Messages about overrides of a task that cannot be used: unknown names, wrong types, values out of bounds. */
export function overrideProblems(
  task: TaskDefinition,
  overrides: { input: Overrides; run: Overrides },
): string[] {
  return [...inputProblems(task, overrides.input), ...runProblems(task, overrides.run)];
}

function inputProblems(task: TaskDefinition, overrides: Overrides): string[] {
  return Object.entries(overrides).flatMap(([name, value]) => {
    const input = Object.hasOwn(task.inputs, name) ? task.inputs[name] : undefined;
    if (!input) return [unknownName('input', name, task.name, Object.keys(task.inputs))];
    const wrong = typeProblem(`The input ${name} of ${task.name}`, input.valueType, value);
    if (wrong) return [wrong];
    if (typeof value !== 'number' || isWithin(value, input.bounds)) return [];
    return [`The input ${name} of ${task.name} is ${value}, which is outside of its bounds.`];
  });
}

function runProblems(task: TaskDefinition, overrides: Overrides): string[] {
  const usable: Record<string, unknown> = {};
  const problems = Object.entries(overrides).flatMap(([name, value]) => {
    const declared = Object.hasOwn(task.runParameters, name) ? task.runParameters[name] : undefined;
    if (!declared) return [unknownName('run parameter', name, task.name, Object.keys(task.runParameters))];
    // Null leaves the value to the backend; allowed only if the catalog's value is null as well.
    const subject = `The run parameter ${name} of ${task.name}`;
    const wrong =
      value === null && declared.value === null ? null : runProblem(subject, declared.valueType, value);
    if (wrong) return [wrong];
    usable[name] = value;
    return [];
  });
  const { parameters, problems: unreadable } = resolveRunParameters(task, [usable]);
  return [...problems, ...unreadable, ...runOptionProblems(task, parameters)];
}

/** What is wrong with a value, or with `{value, value_type}`, where a sweep may have another spacing than the declared one. */
function runProblem(subject: string, declared: string, given: unknown): string | null {
  const hasType = isObject(given) && 'value' in given;
  const type = hasType && given['value_type'] !== undefined ? String(given['value_type']) : declared;
  if (type !== declared && !(sweepTypes.includes(declared) && sweepTypes.includes(type))) {
    const allowed = sweepTypes.includes(declared) ? sweepTypes : [declared];
    return `${subject} cannot have the value_type ${type.slice(0, 64)}; it may have ${allowed.join(', ')}.`;
  }
  const value = hasType ? given['value'] : given;
  // The text of a form is a list, for parameters that are lists.
  return typeProblem(subject, type, type === 'str' ? value : listIfText(value));
}

function typeProblem(subject: string, type: string, value: unknown): string | null {
  const form = forms[type];
  return !form || form.fits(value) ? null : `${subject} must be ${form.words}.`;
}

function unknownName(kind: 'input' | 'run parameter', name: string, task: string, known: readonly string[]) {
  const shown = name.slice(0, 64);
  const nearest = nearestName(shown, known);
  return `${task} has no ${kind} ${shown}${nearest === undefined ? '.' : `; did you mean ${nearest}?`}`;
}
