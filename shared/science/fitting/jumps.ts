import type { Estimate } from './estimate.ts';
import { deviationsFor } from './false-alarms.ts';

/** A series of values that were found one after the other. */
export interface Series {
  values: readonly number[];
  /** Standard error of each. */
  errors: readonly number[];
}

/** From `index` on the values lie elsewhere than what was before leads to. */
export interface Jump {
  index: number;
  /** Where the values after it begin, less where those before it end. */
  size: Estimate;
}

export interface Jumps {
  jumps: Jump[];
  /** The straight line through the values from jump to jump, at each value. */
  course: number[];
  /** Ratio of the differences of neighbouring values to their errors, at least 1. */
  excess: number;
}

/** Number of values on one side of a place that determine the line: the minimum, and the maximum, because drifts bend. */
const MIN_POINTS = 4;
const MAX_POINTS = 10;
/** A value this many deviations from the median of its five neighbours belongs to no course. */
const WILD = 6;
/** The median size of a normal deviation. */
const MEDIAN_SIZE = 0.6745;

/**
 * Finds where a series of values jumps: straight lines through the values before a place and through those after it do
 * not meet there, and so far apart they would come, at any place of a series without jumps, with less than the chance
 * `falseAlarms` (each of n places is given its n-th part). A slow drift is not a jump.
 *
 * The errors are widened if neighbours differ by more than them, so independent noise of each value raises no alarm.
 */
export function findJumps(series: Series, falseAlarms: number): Jumps {
  const { values } = series;
  const excess = excessOf(series);
  const points = values.map(
    (value, index): Point => ({
      value,
      weight: isWild(series, index, excess) ? 0 : 1 / (excess * (series.errors[index] ?? Number.NaN)) ** 2,
    }),
  );
  const threshold = certainty(values) * deviationsFor(falseAlarms / Math.max(1, values.length));
  const cuts: number[] = [];
  for (;;) {
    const further = largestGap(points, cuts);
    if (further === null || !(further.significance > threshold)) break;
    cuts.push(further.index);
  }
  const ends = [0, ...cuts.sort((a, b) => a - b), values.length];
  return {
    excess,
    jumps: cuts.map((index, place) => {
      const [from = 0, to = values.length] = [ends[place], ends[place + 2]];
      return { index, size: gapAt(points, { from, index, to }) };
    }),
    course: ends.slice(1).flatMap((to, place) => {
      const from = ends[place] ?? 0;
      return Array.from(
        { length: to - from },
        (_, offset) => lineAt(points, { from, to }, from + offset).value,
      );
    }),
  };
}

interface Point {
  value: number;
  weight: number;
}

/** Where a straight line through the points from `from` up to `to` passes the place `at`, with the square of its error. */
function lineAt(
  points: readonly Point[],
  { from, to }: { from: number; to: number },
  at: number,
): { value: number; variance: number } {
  let [weights, places, squares, values, products] = [0, 0, 0, 0, 0];
  for (let index = from; index < to; index++) {
    const { value, weight } = points[index] ?? { value: 0, weight: 0 };
    const x = index - at;
    weights += weight;
    places += weight * x;
    squares += weight * x ** 2;
    values += weight * value;
    products += weight * x * value;
  }
  const determinant = weights * squares - places ** 2;
  return {
    value: (squares * values - places * products) / determinant,
    variance: squares / determinant,
  };
}

/** How far the lines before and after a cut miss each other midway between its neighbours. */
function gapAt(
  points: readonly Point[],
  { from, index, to }: { from: number; index: number; to: number },
): Estimate {
  const before = lineAt(points, { from: Math.max(from, index - MAX_POINTS), to: index }, index - 0.5);
  const after = lineAt(points, { from: index, to: Math.min(to, index + MAX_POINTS) }, index - 0.5);
  return { value: after.value - before.value, error: Math.sqrt(before.variance + after.variance) };
}

/** The largest gap in units of its error, with lines that end at the cuts that are known. */
function largestGap(
  points: readonly Point[],
  cuts: readonly number[],
): { index: number; significance: number } | null {
  let best: { index: number; significance: number } | null = null;
  for (let index = MIN_POINTS; index <= points.length - MIN_POINTS; index++) {
    const from = Math.max(0, ...cuts.filter((cut) => cut <= index));
    const to = Math.min(points.length, ...cuts.filter((cut) => cut > index));
    if (index - from < MIN_POINTS || to - index < MIN_POINTS) continue;
    const { value, error } = gapAt(points, { from, index, to });
    const significance = Math.abs(value) / error;
    if (Number.isFinite(significance) && significance > (best?.significance ?? 0))
      best = { index, significance };
  }
  return best;
}

/** From the median difference of neighbours, which single jumps leave as it is. */
function excessOf({ values, errors }: Series): number {
  const sizes = values.slice(1).map((value, index) => {
    const error = Math.hypot(errors[index] ?? Number.NaN, errors[index + 1] ?? Number.NaN);
    return Math.abs(value - (values[index] ?? Number.NaN)) / error;
  });
  const found = median(sizes) / MEDIAN_SIZE;
  return Number.isFinite(found) ? Math.max(1, found) : 1;
}

/** A median of n sizes is itself uncertain, by about 1.2/√n of it: an alarm must not follow from one that is too small. */
function certainty(values: readonly number[]): number {
  return 1 + 1.5 / Math.sqrt(Math.max(1, values.length - 1));
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function isWild({ values, errors }: Series, index: number, excess: number): boolean {
  const from = Math.min(Math.max(0, index - 2), Math.max(0, values.length - 5));
  const beside = median(values.slice(from, from + 5));
  return Math.abs((values[index] ?? 0) - beside) > WILD * certainty(values) * excess * (errors[index] ?? 0);
}
