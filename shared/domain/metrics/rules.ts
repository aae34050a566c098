import type { Metric, MetricValue, SelectionMode } from './model.ts';

/** A result's value of a metric, newest first where several follow each other. */
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

/** What is kept of a target's results while they are read, newest first: as little as the selection needs. */
export interface Gathered {
  chosen: MetricValue | null;
  /** Of an average: how many, their mean and the sum of squared distances from it (Welford's method). */
  count: number;
  mean: number;
  squares: number;
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

/** Adds a result to what its newer ones gave. */
export function gather(
  before: Gathered | undefined,
  sample: Sample,
  selection: SelectionMode,
  metric: Judged | undefined,
): Gathered {
  const gathered = before ?? { chosen: null, count: 0, mean: 0, squares: 0 };
  const { value, error, task_id, execution_id } = sample;
  if (selection === 'latest') {
    if (before) return before;
    const chosen = isFiniteNumber(value) ? { value, task_id, execution_id, stddev: error } : null;
    return { ...gathered, chosen };
  }
  if (!isFiniteNumber(value)) return gathered;
  if (selection === 'best') {
    if (metric === undefined || metric.evaluation.mode === 'none') return gathered;
    const best = gathered.chosen?.value ?? null;
    return best === null || isBetter(value, best, metric)
      ? { ...gathered, chosen: { value, task_id, execution_id, stddev: null } }
      : gathered;
  }
  const count = gathered.count + 1;
  const mean = gathered.mean + (value - gathered.mean) / count;
  const squares = gathered.squares + (value - gathered.mean) * (value - mean);
  const stddev = count > 1 ? Math.sqrt(squares / (count - 1)) : null;
  return { count, mean, squares, chosen: { value: mean, task_id: null, execution_id: '', stddev } };
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
