import { type ExecutionId, NO_EXECUTION, type TaskId } from '../../kernel/ids.ts';
import { sha256 } from '../../kernel/new-ids.ts';
import type { Metric, MetricValue } from './model.ts';

/** A result's value of a metric. */
export interface Sample {
  value: unknown;
  error: number | null;
  task_id: TaskId;
  execution_id: ExecutionId;
  start_at: Date | null;
}

const isFiniteNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value);

/** Mean of the numbers among the values; null if there are none. */
export function meanOf(values: readonly unknown[]): number | null {
  const numbers = values.filter(isFiniteNumber);
  return numbers.length === 0 ? null : numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
}

/** The settings that decide which values of a metric are better. */
export type Judged = Pick<Metric, 'evaluation' | 'threshold'>;

/**
 * Values to be minimized may be negative, such as a frequency shift. The value nearest to zero is then the best, unless
 * the threshold itself is below zero, such as that of the anharmonicity.
 */
function isBetter(value: number, than: number, { evaluation, threshold }: Judged): boolean {
  if (evaluation.mode === 'maximize') return value > than;
  return (threshold?.value ?? 0) < 0 ? value < than : Math.abs(value) < Math.abs(than);
}

/** A metric's rule for better values as one word. If it changes, a best value found by another rule is no longer valid. */
export function betterBy({ evaluation, threshold }: Judged): string {
  if (evaluation.mode !== 'minimize') return evaluation.mode;
  return (threshold?.value ?? 0) < 0 ? 'minimize' : 'minimize_distance_from_zero';
}

/** The best of several results. */
export interface Best extends Pick<Sample, 'task_id' | 'execution_id' | 'start_at'> {
  value: number;
}

/** Aggregate of a target's results. */
export interface Totals {
  /** Number of values, their mean, and the sum of squared deviations from it (Welford's method). */
  count: number;
  mean: number;
  squares: number;
  /** Null if there is no number, or the metric has no better direction. */
  best: Best | null;
}
export const noTotals: Totals = { count: 0, mean: 0, squares: 0, best: null };

/** The newest result as a value; null if it is not a number. */
export function latestOf({ value, error, task_id, execution_id }: Sample): MetricValue | null {
  return isFiniteNumber(value) ? { value, task_id, execution_id, stddev: error } : null;
}

/** Adds a result; results may arrive in any order. */
export function withSample(before: Totals, sample: Sample, metric: Judged): Totals {
  const { value, task_id, execution_id, start_at } = sample;
  if (!isFiniteNumber(value)) return before;
  const count = before.count + 1;
  const mean = before.mean + (value - before.mean) / count;
  const squares = before.squares + (value - before.mean) * (value - mean);
  const best = betterOf(before.best, { value, task_id, execution_id, start_at }, metric);
  return { count, mean, squares, best };
}

/** Combines the aggregates of two sets of results. The squared deviations grow with the distance between the means. */
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

/** The best result as a value; null if there are no results. */
export function bestOf({ best }: Totals): MetricValue | null {
  if (!best) return null;
  const { value, task_id, execution_id } = best;
  return { value, task_id, execution_id, stddev: null };
}

/** The mean with the sample standard deviation, which is missing for a single result; null if there are no results. */
export function averageOf({ count, mean, squares }: Totals): MetricValue | null {
  if (count === 0) return null;
  const stddev = count > 1 ? Math.sqrt(squares / (count - 1)) : null;
  return { value: mean, task_id: null, execution_id: NO_EXECUTION, stddev };
}

/** The better of two results; the newer one if they are equal. */
function betterOf(one: Best | null, other: Best | null, metric: Judged): Best | null {
  if (metric.evaluation.mode === 'none') return null;
  if (!one || !other) return one ?? other;
  if (isBetter(one.value, other.value, metric)) return one;
  if (isBetter(other.value, one.value, metric)) return other;
  const later = (one.start_at?.getTime() ?? 0) - (other.start_at?.getTime() ?? 0);
  return later > 0 || (later === 0 && one.task_id > other.task_id) ? one : other;
}

/** The empty set of results; see {@link toggled}. */
export const NO_RESULTS = '0';

/**
 * Adds a result to a set, or removes it. The set is represented by the XOR of its members' digests: independent of their
 * order, and different if any member differs.
 */
export function toggled(set: string, taskId: TaskId): string {
  return (BigInt(`0x${set}`) ^ BigInt(`0x${sha256(taskId)}`)).toString(16);
}

/** Median of sorted numbers; null if there are none. */
export function medianOf(sorted: readonly number[]): number | null {
  if (sorted.length === 0) return null;
  const [low = 0, high = 0] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return (low + high) / 2;
}

/** Steps of the cumulative distribution of sorted numbers: each value with the fraction of numbers not above it. */
export function cumulative(sorted: readonly number[]): { value: number; part: number }[] {
  return sorted.map((value, index) => ({ value, part: (index + 1) / sorted.length }));
}
