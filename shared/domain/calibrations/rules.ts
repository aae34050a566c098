import { CalibronError } from '../../kernel/errors.ts';
import { nearestName } from '../../kernel/near-names.ts';
import { converted, unitConversion } from '../../science/conventions/unit-table.ts';
import { isWithin } from '../../tasks/bounds.ts';
import type { KnownTasks } from '../../tasks/known-tasks.ts';
import type { Bounds } from '../../tasks/model.ts';
import type { TargetKind } from '../chips/model.ts';

/** A parameter that a task finds or needs. */
interface KnownParameter {
  unit: string;
  valueType: string;
  description: string;
  bounds: Bounds | undefined;
}

/** A value and its error in the unit of its parameter. */
export interface CatalogValue {
  value: number;
  error: number | null;
  unit: string;
}

export type KnownParameters = ReturnType<typeof parametersOf>;

/** Every output and input of these tasks, by kind of target. Earlier tasks take precedence. */
export function parametersOf(tasks: KnownTasks['all']) {
  const known: Record<TargetKind, Map<string, KnownParameter>> = { qubit: new Map(), coupling: new Map() };
  for (const task of tasks) {
    const kind = task.taskType === 'coupling' ? 'coupling' : 'qubit';
    for (const [name, { unit, valueType, description, bounds }] of Object.entries(task.outputs)) {
      if (!known[kind].has(name)) known[kind].set(name, { unit, valueType, description, bounds });
    }
    if (kind === 'coupling') continue;
    for (const [name, { unit, valueType, description, bounds }] of Object.entries(task.inputs)) {
      if (!known.qubit.has(name)) known.qubit.set(name, { unit, valueType, description, bounds });
    }
  }

  /** Why a value may not become calibration state; null if it may. */
  function problem(kind: TargetKind, name: string, value: number): string | null {
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

  return {
    /** A parameter; undefined if no task has it as output or input. */
    find: (kind: TargetKind, name: string): KnownParameter | undefined => known[kind].get(name),

    /**
     * Converts a value to the unit of its parameter. An empty or null unit means that unit; a parameter that is not known keeps
     * its own.
     * @returns the value, or an error message without full stop that names both units
     */
    inUnit(
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
    },

    problem,

    /** @throws invalid_parameters with every problem */
    assertValues(kind: TargetKind, values: Readonly<Record<string, number>>): void {
      const problems = Object.entries(values).flatMap(([name, value]) => problem(kind, name, value) ?? []);
      if (problems.length > 0) throw new CalibronError('invalid_parameters', `${problems.join('. ')}.`);
    },
  };
}

/** Label of a target in notes and parameter files: `Q07` on a chip of 64 qubits, `Q007` on one of 144. */
export function labelOf(qid: string, chipSize: number): string {
  const digits = Math.max(2, String(chipSize).length);
  return qid
    .split('-')
    .map((each) => `Q${each.padStart(digits, '0')}`)
    .join('-');
}
