import { CalibronError } from '../../kernel/errors.ts';
import { nearestName } from '../../kernel/near-names.ts';
import { converted, unitConversion } from '../../science/conventions/unit-table.ts';
import { isWithin } from '../../tasks/bounds.ts';
import { taskCatalog } from '../../tasks/catalog.ts';
import type { Bounds } from '../../tasks/model.ts';
import type { TargetKind } from '../chips/model.ts';

/** A parameter of the catalog. */
interface KnownParameter {
  unit: string;
  valueType: string;
  description: string;
  bounds: Bounds | undefined;
}

/** Every output and input of the catalog's tasks, by kind of target. */
const known: Record<TargetKind, Map<string, KnownParameter>> = { qubit: new Map(), coupling: new Map() };
for (const task of taskCatalog) {
  const kind = task.taskType === 'coupling' ? 'coupling' : 'qubit';
  for (const [name, { unit, valueType, description, bounds }] of Object.entries(task.outputs)) {
    if (!known[kind].has(name)) known[kind].set(name, { unit, valueType, description, bounds });
  }
  if (kind === 'coupling') continue;
  for (const [name, { unit, valueType, description, bounds }] of Object.entries(task.inputs)) {
    if (!known.qubit.has(name)) known.qubit.set(name, { unit, valueType, description, bounds });
  }
}

/** A parameter of the catalog; undefined if no task has it as output or input. */
export function knownParameter(kind: TargetKind, name: string): KnownParameter | undefined {
  return known[kind].get(name);
}

/** A value and its error in the unit of the catalog. */
export interface CatalogValue {
  value: number;
  error: number | null;
  unit: string;
}

/**
 * Converts a value to the unit of the catalog. An empty or null unit means the catalog's unit; a parameter that the catalog does
 * not contain keeps its own unit.
 * @returns the value, or an error message without full stop that names both units
 */
export function inCatalogUnit(
  kind: TargetKind,
  name: string,
  given: { value: number; error?: number | null; unit: string | null },
): CatalogValue | string {
  const { value, error = null, unit } = given;
  const parameter = known[kind].get(name);
  if (!parameter) return { value, error, unit: unit ?? '' };
  const conversion = unitConversion(unit ?? '', parameter.unit);
  if ('problem' in conversion) return `${name}: ${conversion.problem}`;
  const { factor } = conversion;
  return {
    value: converted(value, factor),
    error: error === null ? null : converted(error, factor),
    unit: parameter.unit,
  };
}

/** Why a value may not become calibration state; null if it may. */
export function valueProblem(kind: TargetKind, name: string, value: number): string | null {
  const parameter = known[kind].get(name);
  if (!parameter) {
    const nearest = nearestName(name, [...known[kind].keys()]);
    return `${kind}s have no parameter ${name}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;
  }
  if (!Number.isFinite(value)) return `${name} must be a number`;
  if (isWithin(value, parameter.bounds)) return null;
  const { minimum, maximum, exclusiveMinimum } = parameter.bounds ?? {};
  const limits = [
    ...(minimum === undefined ? [] : [`${exclusiveMinimum ? 'above' : 'at least'} ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
  ];
  return `${name} must be ${limits.join(' and ')} ${parameter.unit}`;
}

/** @throws invalid_parameters with every problem */
export function assertValues(kind: TargetKind, values: Readonly<Record<string, number>>): void {
  const problems = Object.entries(values).flatMap(([name, value]) => valueProblem(kind, name, value) ?? []);
  if (problems.length > 0) throw new CalibronError('invalid_parameters', `${problems.join('. ')}.`);
}

/** Label of a target in notes and parameter files: `Q07` on a chip of 64 qubits, `Q007` on one of 144. */
export function labelOf(qid: string, chipSize: number): string {
  const digits = Math.max(2, String(chipSize).length);
  return qid
    .split('-')
    .map((each) => `Q${each.padStart(digits, '0')}`)
    .join('-');
}
