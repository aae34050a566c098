import { sha256 } from '../../kernel/ids.ts';
import type { Metric, MetricValue } from './model.ts';

/** A result's value of a metric. */
export interface Sample {
  value: unknown;
  error: number | null;
  task_id: string;
  execution_id: string;
  start_at: Date | null;
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

/** The best of several results. */
export interface Best extends Pick<Sample, 'task_id' | 'execution_id' | 'start_at'> {
  value: number;
}

/** What any number of results of a target come to. */
export interface Totals {
  /** How many have a number, their mean and the sum of squared distances from it (Welford's method). */
  count: number;
  mean: number;
  squares: number;
  /** Null where none has a number, or the metric knows no better. */
  best: Best | null;
}
export const noTotals: Totals = { count: 0, mean: 0, squares: 0, best: null };

/** The newest result as a value; null where it has no number. */
export function latestOf({ value, error, task_id, execution_id }: Sample): MetricValue | null {
  return isFiniteNumber(value) ? { value, task_id, execution_id, stddev: error } : null;
}

/** Adds a result, in whatever order they come. */
export function withSample(before: Totals, sample: Sample, metric: Judged): Totals {
  const { value, task_id, execution_id, start_at } = sample;
  if (!isFiniteNumber(value)) return before;
  const count = before.count + 1;
  const mean = before.mean + (value - before.mean) / count;
  const squares = before.squares + (value - before.mean) * (value - mean);
  const best = betterOf(before.best, { value, task_id, execution_id, start_at }, metric);
  return { count, mean, squares, best };
}

/** What two parts of the results come to together: their squares grow by what their means are apart. */
export function joined(one: Totals, other: Totals, metric: Judged): Totals {
  const best = betterOf(one.best, other.best, metric);
  if (one.count === 0 || other.count === 0) return { ...(one.count === 0 ? other : one), best };
  const count = one.count + other.count;
  const apart = other.mean - one.mean;
  return {
    count,
    mean: one.mean + (apart * other.count) / count,
    squares: one.squares + other.squares + (apart * apart * one.count * other.count) / count,
    best,
  };
}

/** The best result as a value; null of none. */
export function bestOf({ best }: Totals): MetricValue | null {
  if (!best) return null;
  const { value, task_id, execution_id } = best;
  return { value, task_id, execution_id, stddev: null };
}

/** The mean with the deviation of a sample, which one result has not; null of none. */
export function averageOf({ count, mean, squares }: Totals): MetricValue | null {
  if (count === 0) return null;
  const stddev = count > 1 ? Math.sqrt(squares / (count - 1)) : null;
  return { value: mean, task_id: null, execution_id: '', stddev };
}

/** Of equally good ones the newest. */
function betterOf(one: Best | null, other: Best | null, metric: Judged): Best | null {
  if (metric.evaluation.mode === 'none') return null;
  if (!one || !other) return one ?? other;
  if (isBetter(one.value, other.value, metric)) return one;
  if (isBetter(other.value, one.value, metric)) return other;
  const later = (one.start_at?.getTime() ?? 0) - (other.start_at?.getTime() ?? 0);
  return later > 0 || (later === 0 && one.task_id > other.task_id) ? one : other;
}

/** The set that has no result; see {@link toggled}. */
export const NO_RESULTS = '0';

/**
 * Puts a result into a set, or takes it out again. The set is known by the sum modulo two of the digests of its
 * members: it is the same in whatever order they come, and another one where any member differs.
 */
export function toggled(set: string, taskId: string): string {
  return (BigInt(`0x${set}`) ^ BigInt(`0x${sha256(taskId)}`)).toString(16);
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
