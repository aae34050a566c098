/** Steps that finish a measurement: reads values that the backend analysed itself. Called by analysing.ts. */
import { converted, unitConversion } from '../../shared/science/conventions/unit-table.ts';
import type { TaskOutput } from '../../shared/tasks/model.ts';
import type { TargetResult } from '../backends/backend.ts';

/** Values that a backend analysed itself, converted to the units of the catalog. */
export interface FinishedValues {
  outputs: Record<string, { value: number | null; error?: number | null }>;
  /** Null if the backend sent no number. */
  r2: number | null;
  /** Messages about values that were changed or ignored. */
  notes: string[];
}

/** Rounding can make the r2 of a perfect fit exceed 1 by this much. */
const ROUNDING = 1e-9;

/**
 * Reads values that a backend analysed itself, and converts their units. An error or r2 that is NaN or infinite, as fitters
 * return it without a covariance, becomes null with a note. An error of 0 is kept with a warning.
 * @returns a message if the values are impossible: a negative error, an r2 above 1, an integer that has lost digits, or a unit
 * of another quantity
 */
export function readFinishedValues(
  { outputs = {}, quality }: Pick<TargetResult, 'outputs' | 'quality'>,
  declared: Readonly<Record<string, Pick<TaskOutput, 'unit'>>>,
): FinishedValues | string {
  const read: FinishedValues = { outputs: {}, r2: null, notes: [] };
  for (const [name, given] of Object.entries(outputs)) {
    const wanted = Object.hasOwn(declared, name) ? (declared[name]?.unit ?? '') : (given.unit ?? '');
    const conversion = unitConversion(given.unit ?? '', wanted);
    if ('problem' in conversion) return `The output ${name} cannot be used: ${conversion.problem}.`;
    const { factor } = conversion;
    const value = numberOf(given.value);
    if (value !== null && !Number.isFinite(value)) {
      return `The output ${name} is ${value}, which is not a finite number.`;
    }
    if (value !== null && Number.isInteger(value) && !Number.isSafeInteger(value)) {
      return `The output ${name} is the integer ${value}, which is larger than a number holds exactly (2^53 - 1).`;
    }
    const error = numberOf(given.error);
    if (error !== null && error < 0 && Number.isFinite(error)) {
      return `The error of the output ${name} is ${error}; an error cannot be negative.`;
    }
    const isKnown = error !== null && Number.isFinite(error);
    if (error !== null && !isKnown) {
      read.notes.push(`The backend gave ${error} as the error of ${name}, so it is stored without an error.`);
    }
    if (error === 0) {
      read.notes.push(`Warning: the backend gave ${name} an error of 0, which no measurement has.`);
    }
    read.outputs[name] = {
      value: value === null ? null : converted(value, factor),
      error: isKnown ? converted(error, factor) : null,
    };
  }
  const r2 = numberOf(quality?.r2);
  if (r2 !== null && !Number.isFinite(r2)) {
    read.notes.push(`The backend gave ${r2} as r2, so it is stored without one.`);
  } else if (r2 !== null && r2 > 1 + ROUNDING) {
    return `The r2 of the backend is ${r2}; it cannot be above 1.`;
  } else read.r2 = r2 === null ? null : Math.min(1, r2);
  return read;
}

/** Converts a number or the word for one (`nan`, `inf`); null if there is none. */
function numberOf(given: number | string | null | undefined): number | null {
  if (given === null || given === undefined) return null;
  if (typeof given === 'number') return given;
  if (/nan/i.test(given)) return Number.NaN;
  return given.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}
