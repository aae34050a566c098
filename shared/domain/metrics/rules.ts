import type { Metric, MetricValue } from './model.ts';

/** A result's value of a metric. */
export interface Sample {
  value: unknown;
  error: number | null;
  task_id: string;
  execution_id: string;
}

const isFiniteNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value);

/** Mean of the numbers among the values; null where there is none. */
export function meanOf(values: readonly unknown[]): number | null {
  const numbers = values.filter(isFiniteNumber);
  return numbers.length === 0 ? null : numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
}

/** What says which values of a metric are better. */
export type Judged = Pick<Metric, 'evaluation' | 'threshold'>;

/**
 * What shall be small may have a sign, as a frequency shift has: the nearest to zero is the best, unless the threshold
 * itself lies below zero, as that of the anharmonicity does.
 */
function isBetter(value: number, than: number, { evaluation, threshold }: Judged): boolean {
  if (evaluation.mode === 'maximize') return value > than;
  return (threshold?.value ?? 0) < 0 ? value < than : Math.abs(value) < Math.abs(than);
}

/** How a metric tells better values, as one word: what was found by another one counts no longer. */
export function betterBy({ evaluation, threshold }: Judged): string {
  if (evaluation.mode !== 'minimize') return evaluation.mode;
  return (threshold?.value ?? 0) < 0 ? 'minimize' : 'minimize_distance_from_zero';
}

/** What any number of results of a target come to. */
export interface Totals {
  /** How many have a number, their mean and the sum of squared distances from it (Welford's method). */
  count: number;
  mean: number;
  squares: number;
  /** Null where none has a number, or the metric knows no better. */
  best: MetricValue | null;
}
export const noTotals: Totals = { count: 0, mean: 0, squares: 0, best: null };

/** The newest result as a value; null where it has no number. */
export function latestOf({ value, error, task_id, execution_id }: Sample): MetricValue | null {
  return isFiniteNumber(value) ? { value, task_id, execution_id, stddev: error } : null;
}

/** Adds a result to those that began before it: of equal ones the newest is the best. */
export function withSample(before: Totals, sample: Sample, metric: Judged): Totals {
  const { value, task_id, execution_id } = sample;
  if (!isFiniteNumber(value)) return before;
  const count = before.count + 1;
  const mean = before.mean + (value - before.mean) / count;
  const squares = before.squares + (value - before.mean) * (value - mean);
  const best = { value, task_id, execution_id, stddev: null };
  return { count, mean, squares, best: betterOf(before.best, best, metric) };
}

/** Takes results out of the mean; the best is not looked for again. */
export function withoutValues(totals: Totals, values: readonly unknown[]): Totals {
  let { count, mean, squares } = totals;
  for (const value of values.filter(isFiniteNumber)) {
    if (count <= 1) return { ...noTotals, best: totals.best };
    const rest = mean - (value - mean) / (count - 1);
    // Rounding must not leave less than nothing.
    squares = count === 2 ? 0 : Math.max(0, squares - (value - mean) * (value - rest));
    mean = rest;
    count -= 1;
  }
  return { ...totals, count, mean, squares };
}

/** What older and newer results come to together: their squares grow by what their means are apart. */
export function joined(older: Totals, newer: Totals, metric: Judged): Totals {
  const best = newer.best ? betterOf(older.best, newer.best, metric) : older.best;
  if (older.count === 0 || newer.count === 0) return { ...(older.count === 0 ? newer : older), best };
  const count = older.count + newer.count;
  const apart = newer.mean - older.mean;
  return {
    count,
    mean: older.mean + (apart * newer.count) / count,
    squares: older.squares + newer.squares + (apart * apart * older.count * newer.count) / count,
    best,
  };
}

/** The mean with the deviation of a sample, which one result has not; null of none. */
export function averageOf({ count, mean, squares }: Totals): MetricValue | null {
  if (count === 0) return null;
  const stddev = count > 1 ? Math.sqrt(squares / (count - 1)) : null;
  return { value: mean, task_id: null, execution_id: '', stddev };
}

function betterOf(older: MetricValue | null, newer: MetricValue, metric: Judged): MetricValue | null {
  if (metric.evaluation.mode === 'none') return null;
  if (older?.value == null || newer.value === null) return newer;
  return isBetter(older.value, newer.value, metric) ? older : newer;
}

/** Middle of sorted numbers; null where there is none. */
export function medianOf(sorted: readonly number[]): number | null {
  if (sorted.length === 0) return null;
  const [low = 0, high = 0] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return (low + high) / 2;
}

/** Steps of the cumulative distribution of sorted numbers: each with the part that is not above it. */
export function cumulative(sorted: readonly number[]): { value: number; part: number }[] {
  return sorted.map((value, index) => ({ value, part: (index + 1) / sorted.length }));
}

/** Number of a qubit whose id is written as `7`, `Q7` or `Q007`; null for anything else. */
function plainQubitId(text: string): string | null {
  const number = /^Q?(\d{1,6})$/i.exec(text)?.[1];
  return number === undefined ? null : String(Number(number));
}

/** A qubit or coupling id however it is written; the text itself where it is none. */
export function plainTargetId(text: string): string {
  const parts = text.split('-').map(plainQubitId);
  return parts.every((part) => part !== null) ? parts.join('-') : text;
}
