/** How long a value holds: by configuration, adjusted by the value's own history. */

import type { Tolerance } from '../../tasks/check-model.ts';
import { driftAfter, type EarlierValue, HOURS_PER_DAY, separation } from '../../tasks/drift.ts';
import type { TaskOutput, Wander } from '../../tasks/model.ts';

/** How long a value holds; `tolerance` in its own unit, or relative to it. */
interface Hold {
  hours?: number | undefined;
  tolerance?: number | undefined;
  of?: Wander['of'] | undefined;
}

/** Content of `config/maintenance.yaml`. */
export interface WindowSettings {
  default: { hours: number };
  shortestHours: number;
  longestHours: number;
  largestFactor: number;
  /** A window ends when this many standard deviations of the expected drift reach the tolerance. */
  deviations: number;
  /** A value changed if it moved by more than this many combined standard errors. */
  significance: number;
  tasks: Readonly<Record<string, Hold>>;
  parameters: Readonly<Record<string, Hold>>;
}

/** How far values may be off, by parameter. */
export function tolerancesOf({ parameters }: Pick<WindowSettings, 'parameters'>): Record<string, Tolerance> {
  return Object.fromEntries(
    Object.entries(parameters).flatMap(([name, { tolerance, of = 'unit' }]) =>
      tolerance === undefined ? [] : [[name, { tolerance, of }] as const],
    ),
  );
}

/** A value that a task finds. */
export interface FoundBy {
  task: string;
  parameter: string;
  output: Pick<TaskOutput, 'wander'>;
}

/** Minimum number of differences for an estimate of the drift. */
const MIN_DIFFERENCES = 4;
/** Half of normally distributed values lie within this many standard deviations. */
const MEDIAN_DEVIATION = 0.6745;
/** The drift of a window grows with the square root of time, so its length with the inverse square of the drift. */
const POWER = 2;

/** What is expected of a value before its history is known. */
interface Expectation {
  hours: number;
  /** Tolerated drift, and the expected one; null if nothing is known about the drift, so that a history has no meaning. */
  drift: { tolerance: number; wander: Wander } | null;
}

/** Number of days after which the expected drift has a standard deviation; 0 if it has it at once. */
function daysUntil(deviation: number, { atOnce, perDay }: Wander): number {
  return Math.max(0, deviation ** 2 - atOnce ** 2) / perDay ** 2;
}

function expectationOf(
  { task, parameter, output: { wander } }: FoundBy,
  settings: WindowSettings,
): Expectation {
  const [ofParameter, ofTask] = [settings.parameters[parameter], settings.tasks[task]];
  const hold = ofParameter ?? ofTask ?? {};
  const hours = hold.hours ?? ofTask?.hours ?? settings.default.hours;
  const { tolerance, of = 'unit' } = hold;
  if (tolerance === undefined) {
    return { hours, drift: wander ? { tolerance: driftAfter(hours, wander), wander } : null };
  }
  const drifted = tolerance / settings.deviations;
  if (hold.hours !== undefined || wander === undefined || wander.of !== of) {
    const perDay = drifted / Math.sqrt(hours / HOURS_PER_DAY);
    return { hours, drift: { tolerance, wander: { atOnce: 0, perDay, of } } };
  }
  return { hours: HOURS_PER_DAY * daysUntil(drifted, wander), drift: { tolerance, wander } };
}

/**
 * Median of the observed drifts between successive measurements, in units of the expected drift; null if there are too few.
 * Measurements too uncertain to show a drift of the size of the tolerance do not count.
 */
function observedDrift(
  history: readonly EarlierValue[],
  { tolerance, wander }: NonNullable<Expectation['drift']>,
): number | null {
  const seen = history.slice(1).flatMap((older, index) => {
    const newer = history[index] ?? older;
    const { apart, error } = separation(newer, older, wander.of);
    if (!(error <= tolerance)) return [];
    return Math.sqrt(Math.max(0, apart ** 2 - error ** 2)) / driftAfter(older.hours - newer.hours, wander);
  });
  const usable = seen.filter(Number.isFinite).sort((a, b) => a - b);
  if (usable.length < MIN_DIFFERENCES) return null;
  return (usable[Math.floor(usable.length / 2)] ?? 0) / MEDIAN_DEVIATION;
}

/** How long a value holds, in hours. */
export interface Window {
  hours: number;
  /** Before it was adjusted by the history. */
  usualHours: number;
}

/**
 * The window of a value. A history that drifts more than expected shortens it, one that drifts less extends it; a single outlier
 * does neither, because the median of the differences counts.
 * @param history measurements by the same task, newest first
 */
export function windowOf(value: FoundBy, history: readonly EarlierValue[], settings: WindowSettings): Window {
  const { hours, drift } = expectationOf(value, settings);
  const observed = drift && observedDrift(history, drift);
  const { largestFactor } = settings;
  const factor =
    observed === null ? 1 : Math.min(largestFactor, Math.max(1 / largestFactor, observed ** -POWER));
  const within = (some: number) => Math.min(settings.longestHours, Math.max(settings.shortestHours, some));
  return { hours: within(factor * hours), usualHours: within(hours) };
}
