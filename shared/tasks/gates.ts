import type { TaskOutput } from './model.ts';

/** The rule that a result failed, in the order in which rules are checked. */
export type GateRule = 'finite' | 'fidelity' | 'r2' | 'fit' | 'outputs' | 'bounds';

export interface GateFailure {
  rule: GateRule;
  /** A message with the numbers that decided. */
  message: string;
}

/** A result of an analysis, or of a backend with its own analysis. */
export interface GatedResult {
  outputs: Readonly<Record<string, { value: number | null; error?: number | null }>>;
  /** Null or absent: there is no fit, or the backend did not report it. */
  r2?: number | null;
  /** Threshold of r2 at the noise of these data, instead of the task's threshold; absent if the latter applies. */
  r2Threshold?: number;
  /** The reason why the analysis refuses its fit. */
  refused?: string;
}

/** The fields of a task's definition that the gates need. The threshold is null for a task without a fit. */
export interface GatedTask {
  name: string;
  r2Threshold: number | null;
  outputs: Readonly<Record<string, Pick<TaskOutput, 'bounds' | 'unit'>>>;
}

/** Smallest plausible value of a positive quantity in the unit of the catalog: a time of a femtosecond, 1 Hz. */
const MIN_POSITIVE = 1e-9;

function numberText(value: number): string {
  return String(Number(value.toPrecision(6)));
}

/** Ends a message with exactly one full stop. */
function withFullStop(text: string): string {
  return `${text.replace(/\.+\s*$/, '')}.`;
}

function finite(result: GatedResult): GateFailure | null {
  for (const [name, { value, error }] of Object.entries(result.outputs)) {
    if (value === null) return { rule: 'finite', message: `The output ${name} has no value.` };
    if (!Number.isFinite(value)) {
      return { rule: 'finite', message: `The output ${name} is ${value}, which is not a finite number.` };
    }
    if (typeof error === 'number' && !Number.isFinite(error)) {
      return {
        rule: 'finite',
        message: `The error of the output ${name} is ${error}, which is not a finite number.`,
      };
    }
  }
  return null;
}

function fidelity(result: GatedResult): GateFailure | null {
  for (const [name, { value }] of Object.entries(result.outputs)) {
    if (name.includes('fidelity') && value !== null && (value < 0 || value > 1)) {
      return { rule: 'fidelity', message: `The output ${name} is ${numberText(value)}, outside of 0 to 1.` };
    }
  }
  return null;
}

function goodFit(task: GatedTask, result: GatedResult): GateFailure | null {
  const { r2, refused } = result;
  const threshold = task.r2Threshold === null ? null : (result.r2Threshold ?? task.r2Threshold);
  const measured = typeof r2 === 'number' && Number.isFinite(r2);
  if (threshold !== null && measured && r2 <= threshold) {
    // Prevents a value below the threshold from being rounded to it.
    const shown = numberText(r2) === numberText(threshold) ? String(r2) : String(Number(r2.toPrecision(3)));
    const message = `The fit of ${task.name} is not good enough: r2 ${shown} is not above ${numberText(threshold)}.`;
    return { rule: 'r2', message };
  }
  if (refused !== undefined) {
    return { rule: 'fit', message: withFullStop(`The fit of ${task.name} was refused: ${refused}`) };
  }
  if (threshold !== null && !measured) {
    const message = `The fit of ${task.name} has no r2, which must be above ${threshold}.`;
    return { rule: 'r2', message };
  }
  return null;
}

function known(task: GatedTask, result: GatedResult): GateFailure | null {
  const names = Object.keys(result.outputs);
  const unknown = names.filter((name) => !Object.hasOwn(task.outputs, name));
  if (unknown.length > 0) {
    return { rule: 'outputs', message: `${task.name} has no output named ${unknown.join(', ')}.` };
  }
  const declared = Object.keys(task.outputs);
  if (declared.length > 0 && names.length === 0) {
    return { rule: 'outputs', message: `${task.name} found none of its outputs: ${declared.join(', ')}.` };
  }
  return null;
}

function bounds(task: GatedTask, result: GatedResult): GateFailure | null {
  for (const [name, { value }] of Object.entries(result.outputs)) {
    const output = Object.hasOwn(task.outputs, name) ? task.outputs[name] : undefined;
    if (output?.bounds === undefined || value === null) continue;
    const { minimum, maximum, exclusiveMinimum } = output.bounds;
    const shown = `The output ${name} is ${numberText(value)}${output.unit === '' ? '' : ` ${output.unit}`}`;
    if (minimum === 0 && exclusiveMinimum && value > 0 && value < MIN_POSITIVE) {
      return { rule: 'bounds', message: `${shown}, which is too small to have been measured.` };
    }
    if (minimum !== undefined && exclusiveMinimum && value <= minimum) {
      return { rule: 'bounds', message: `${shown}, which must be above ${minimum}.` };
    }
    if (minimum !== undefined && value < minimum) {
      return { rule: 'bounds', message: `${shown}, which must be at least ${minimum}.` };
    }
    if (maximum !== undefined && value > maximum) {
      return { rule: 'bounds', message: `${shown}, which must be at most ${maximum}.` };
    }
  }
  return null;
}

/**
 * Decides whether a result may become calibration state. The first failing check, in this order, is returned: every
 * output is a finite number; fidelities are in [0, 1]; r2 is above the task's threshold (equal fails); the analysis did
 * not refuse; a task with a fit has an r2; there are outputs, and all are declared in the catalog; they are within
 * bounds.
 *
 * @returns null if all checks pass
 */
export function gate(task: GatedTask, result: GatedResult): GateFailure | null {
  return (
    finite(result) ?? fidelity(result) ?? goodFit(task, result) ?? known(task, result) ?? bounds(task, result)
  );
}
