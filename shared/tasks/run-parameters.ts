import { listIfText } from '../kernel/text.ts';
import { converted, unitConversion } from '../science/conventions/unit-table.ts';
import type { ResolvedParameter, ResolvedParameters, TaskDefinition, ValueType } from './model.ts';

/** Maximum number of points of a sweep. A longer sweep is a mistake and must not be expanded. */
export const MAXIMUM_SWEEP_POINTS = 100_000;
const MAXIMUM_LIST_LENGTH = 10_000;

const sweepTypes: readonly string[] = ['np.linspace', 'np.logspace', 'np.arange', 'range'];
const valueTypes: readonly string[] = [...sweepTypes, 'int', 'float', 'str', 'list', 'bool'];

/** The parsed value, or a message about the problem. */
export type Reading<T> = { ok: true; value: T } | { ok: false; problem: string };

/** Overrides from clients and flows: a bare value, or a record with `value` and optionally `value_type`, `unit`. */
export type RunParameterOverrides = Readonly<Record<string, unknown>>;

function isValueType(text: string): text is ValueType {
  return valueTypes.includes(text);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function read<T>(value: T): Reading<T> {
  return { ok: true, value };
}

function wrong(problem: string): Reading<never> {
  return { ok: false, problem };
}

/** A short text that identifies a value in a message, never the whole of a large value. */
function shown(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** Parses a number, a text that is a number, or a product of numbers (`150 * 1024`). Nothing else is evaluated. */
export function readNumber(value: unknown): Reading<number> {
  if (typeof value === 'number') {
    return Number.isFinite(value) ? read(value) : wrong(`${value} is not a finite number`);
  }
  if (typeof value !== 'string' || value.length > 200) return wrong(`${shown(value)} is not a number`);
  let product = 1;
  for (const factor of value.split('*')) {
    const text = factor.trim();
    if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return wrong(`${shown(value)} is not a number`);
    product *= Number(text);
  }
  return Number.isFinite(product) ? read(product) : wrong(`${shown(value)} is not a finite number`);
}

function readInteger(value: unknown): Reading<number> {
  const number = readNumber(value);
  if (!number.ok) return number;
  return Number.isSafeInteger(number.value) ? number : wrong(`${shown(value)} is not a whole number`);
}

/** Parses `[a, b, c]`, also as text, into three numbers. */
function readTriple(value: unknown): Reading<[number, number, number]> {
  const items = listIfText(value);
  if (!Array.isArray(items) || items.length !== 3) {
    return wrong(`${shown(value)} is not a list of three numbers`);
  }
  const numbers: number[] = [];
  for (const item of items) {
    const number = readNumber(item);
    if (!number.ok) return number;
    numbers.push(number.value);
  }
  const [first = 0, second = 0, third = 0] = numbers;
  return read([first, second, third]);
}

/** Number of points of a sweep, checked before anything is allocated. */
function countPoints(type: string, [start, stop, last]: readonly [number, number, number]): Reading<number> {
  let count = last;
  if (type === 'range' || type === 'np.arange') {
    if (type === 'range' && ![start, stop, last].every(Number.isSafeInteger)) {
      return wrong('a range needs whole numbers');
    }
    if (last === 0) return wrong('its step must not be 0');
    count = Math.ceil((stop - start) / last);
  } else if (!Number.isSafeInteger(last)) {
    return wrong('its number of points must be a whole number');
  }
  if (count < 1) return wrong('it has no points');
  if (count > MAXIMUM_SWEEP_POINTS) {
    return wrong(`it has ${count} points, more than the ${MAXIMUM_SWEEP_POINTS} allowed`);
  }
  return read(count);
}

/** A hint for users who change the numbers of a logarithmic sweep and expect a linear one. */
export const POWERS_OF_TEN =
  'start and stop of np.logspace are powers of ten, so give the value_type np.linspace for plain numbers';

/**
 * Expands a sweep into its points, in the parameter's unit. Triples have the meaning of NumPy and Python: `np.linspace`
 * (start, stop, count), `np.logspace` (log10 start, log10 stop, count), `np.arange` and `range` (start, stop excluded,
 * step).
 */
export function sweepPoints(parameter: { value: unknown; value_type: string }): Reading<number[]> {
  const { value_type: type } = parameter;
  if (type === 'list') {
    const items = listIfText(parameter.value);
    if (!Array.isArray(items)) return wrong(`${shown(parameter.value)} is not a list`);
    const numbers: number[] = [];
    for (const item of items) {
      const number = readNumber(item);
      if (!number.ok) return number;
      numbers.push(number.value);
    }
    return numbers.length > 0 ? read(numbers) : wrong('it has no points');
  }
  if (!sweepTypes.includes(type)) return wrong(`a ${type} is not a sweep`);
  const triple = readTriple(parameter.value);
  if (!triple.ok) return triple;
  const count = countPoints(type, triple.value);
  if (!count.ok) return count;
  const [start, stop, step] = triple.value;
  const points = Array.from({ length: count.value }, (_, index) => {
    if (type === 'range' || type === 'np.arange') return start + index * step;
    const point = count.value === 1 ? start : start + ((stop - start) * index) / (count.value - 1);
    return type === 'np.logspace' ? 10 ** point : point;
  });
  if (points.every(Number.isFinite)) return read(points);
  return wrong(`its points are not finite${type === 'np.logspace' ? `; ${POWERS_OF_TEN}` : ''}`);
}

function readList(given: unknown): Reading<(number | string)[]> {
  const value = listIfText(given);
  if (!Array.isArray(value)) return wrong(`${shown(value)} is not a list`);
  if (value.length > MAXIMUM_LIST_LENGTH) {
    return wrong(`it has ${value.length} entries, more than the ${MAXIMUM_LIST_LENGTH} allowed`);
  }
  const items: (number | string)[] = [];
  for (const item of value) {
    if (typeof item !== 'string' && !(typeof item === 'number' && Number.isFinite(item))) {
      return wrong(`its entry ${shown(item)} is neither a number nor text`);
    }
    items.push(item);
  }
  return read(items);
}

function readBoolean(value: unknown): Reading<boolean> {
  if (typeof value === 'boolean') return read(value);
  if (value === 'true' || value === 'True') return read(true);
  if (value === 'false' || value === 'False') return read(false);
  return wrong(`${shown(value)} is neither true nor false`);
}

/**
 * Parses a value according to its `value_type`. Sweeps remain triples, which are short to transfer, and are expanded
 * where they are used.
 */
export function readValue(value: unknown, type: string): Reading<ResolvedParameter['value']> {
  if (!isValueType(type)) {
    return wrong(`its value_type ${shown(type)} is none of ${valueTypes.join(', ')}`);
  }
  switch (type) {
    case 'np.linspace':
    case 'np.logspace':
    case 'np.arange':
    case 'range': {
      const points = sweepPoints({ value, value_type: type });
      return points.ok ? readTriple(value) : points;
    }
    case 'int':
      return readInteger(value);
    case 'float':
      return readNumber(value);
    case 'str':
      return typeof value === 'string' ? read(value) : wrong(`${shown(value)} is not text`);
    case 'list':
      return readList(value);
    case 'bool':
      return readBoolean(value);
  }
}

/** A flow's default that looks like a parameter applies to all its tasks; otherwise its key names the task. */
function isFlat(entry: unknown): boolean {
  return !isObject(entry) || 'value' in entry || 'value_type' in entry;
}

/**
 * Selects the parts of a flow's default run parameters that apply to one task: the defaults for all tasks, if the task
 * has such a parameter, overridden by those under the task's name.
 */
export function flowDefaults(
  task: Pick<TaskDefinition, 'name' | 'runParameters'>,
  defaults: RunParameterOverrides,
): RunParameterOverrides {
  const own: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(defaults)) {
    if (isFlat(entry) && Object.hasOwn(task.runParameters, name)) own[name] = entry;
  }
  const forTask = Object.hasOwn(defaults, task.name) ? defaults[task.name] : undefined;
  return isObject(forTask) && !isFlat(forTask) ? { ...own, ...forTask } : own;
}

/**
 * The effective run parameters of a task: the catalog's defaults overridden by the given layers, of which later ones win.
 * Names that the task does not declare become new parameters of type float. `problems` holds a message for every invalid
 * value; the parameters are complete only if it is empty.
 */
export function resolveRunParameters(
  task: Pick<TaskDefinition, 'name' | 'runParameters'>,
  layers: readonly RunParameterOverrides[],
): { parameters: ResolvedParameters; problems: string[] } {
  const entries = new Map<string, GivenParameter>();
  const problems: string[] = [];
  for (const [name, parameter] of Object.entries(task.runParameters)) {
    entries.set(name, { value: parameter.value, type: parameter.valueType, unit: parameter.unit });
  }
  for (const layer of layers) {
    for (const [name, override] of Object.entries(layer)) {
      if (!/^[A-Za-z][A-Za-z0-9_]{0,99}$/.test(name)) {
        problems.push(`${shown(name)} cannot be the name of a run parameter of ${task.name}.`);
        continue;
      }
      const before: GivenParameter = entries.get(name) ?? { value: undefined, type: 'float', unit: '' };
      if (!isObject(override)) {
        const { type, unit } = before;
        entries.set(name, { value: override, type, unit });
        continue;
      }
      const { given } = before;
      const isGiven = 'value' in override;
      entries.set(name, {
        value: isGiven ? override.value : before.value,
        type: override.value_type === undefined ? before.type : String(override.value_type),
        unit: before.unit,
        ...(!isGiven && given !== undefined && { given }),
        ...(isGiven && typeof override.unit === 'string' && { given: override.unit }),
      });
    }
  }
  const parameters: ResolvedParameters = {};
  for (const [name, { value, type, unit, given = unit }] of entries) {
    // Null leaves the value to the backend, if the catalog's default is null too.
    if (value === null && task.runParameters[name]?.value === null) {
      parameters[name] = { value, value_type: type, unit };
      continue;
    }
    // A parameter that is not in the catalog keeps the unit in which it was given.
    const declared = task.runParameters[name] !== undefined;
    const conversion = declared ? unitConversion(given, unit) : { factor: 1 };
    if ('problem' in conversion) {
      problems.push(`The run parameter ${name} of ${task.name} cannot be used: ${conversion.problem}.`);
      continue;
    }
    const reading = readValue(value, type);
    if (reading.ok && !declared) parameters[name] = { value: reading.value, value_type: type, unit: given };
    else if (reading.ok) {
      parameters[name] = { value: inUnit(reading.value, type, conversion.factor), value_type: type, unit };
    } else problems.push(`The run parameter ${name} of ${task.name} cannot be used: ${reading.problem}.`);
  }
  return { parameters, problems };
}

/** A run parameter before its value is parsed; `given` is the unit of its value. */
interface GivenParameter {
  value: unknown;
  type: string;
  unit: string;
  given?: string;
}

/** Converts a value to another unit: for a sweep its ends and its step, never its number of points. */
function inUnit(value: ResolvedParameter['value'], type: string, factor: number): ResolvedParameter['value'] {
  if (factor === 1) return value;
  if (typeof value === 'number') return converted(value, factor);
  if (!Array.isArray(value)) return value;
  return value.map((item, index) => {
    if (typeof item !== 'number') return item;
    if (type === 'np.logspace') return index < 2 ? item + Math.log10(factor) : item;
    return type === 'np.linspace' && index === 2 ? item : converted(item, factor);
  });
}
