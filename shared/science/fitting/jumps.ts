import type { Estimate } from './estimate.ts';
import { deviationsFor } from './false-alarms.ts';
import { upperMedian } from './statistics.ts';

/** A series of values in the order of time. */
export interface Series {
  values: readonly number[];
  /** Standard error of each. */
  errors: readonly number[];
}

/** A jump: the values from `index` do not continue the previous ones. */
export interface Jump {
  index: number;
  /** Start of the values after the jump, minus the end of those before it. */
  size: Estimate;
}

export interface Jumps {
  jumps: Jump[];
  /** At each value, the straight line through the values between two jumps. */
  course: number[];
  /** Ratio of the differences of neighbouring values to their errors, at least 1. */
  excess: number;
}

/**
 * Minimum and maximum number of values on one side that determine a line. The maximum is needed because drifts are not
 * straight.
 */
const MIN_POINTS = 4;
const MAX_POINTS = 10;
/** Number of deviations from the median of five neighbours above which a value is an outlier. */
const OUTLYING = 6;
/** The median absolute deviation of a normal distribution. */
const MEDIAN_SIZE = 0.6745;

/**
 * Finds jumps in a series of values. At a jump, straight lines through the values before and after it do not meet. The
 * gap must be so large that a series without jumps has such a gap, at any index, with a probability below `falseAlarms`
 * (divided equally among the indices). A slow drift is not a jump.
 *
 * The errors are widened if neighbours differ by more than their errors, so that independent noise of each value causes
 * no alarm.
 */
export function findJumps(series: Series, falseAlarms: number): Jumps {
  const { values } = series;
  const excess = excessOf(series);
  const points = values.map(
    (value, index): Point => ({
      value,
      weight: isOutlier(series, index, excess) ? 0 : 1 / (excess * (series.errors[index] ?? Number.NaN)) ** 2,
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

/** Value at `at` of a straight line through the points from `from` up to `to`, with its variance. */
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

/** Gap between the lines before and after a cut, midway between its neighbours. */
function gapAt(
  points: readonly Point[],
  { from, index, to }: { from: number; index: number; to: number },
): Estimate {
  const before = lineAt(points, { from: Math.max(from, index - MAX_POINTS), to: index }, index - 0.5);
  const after = lineAt(points, { from: index, to: Math.min(to, index + MAX_POINTS) }, index - 0.5);
  return { value: after.value - before.value, error: Math.sqrt(before.variance + after.variance) };
}

/** The most significant gap, with lines that end at the known cuts. */
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

/** Computed from the median difference of neighbours, which single jumps do not change. */
function excessOf({ values, errors }: Series): number {
  const sizes = values.slice(1).map((value, index) => {
    const error = Math.hypot(errors[index] ?? Number.NaN, errors[index + 1] ?? Number.NaN);
    return Math.abs(value - (values[index] ?? Number.NaN)) / error;
  });
  const found = upperMedian(sizes) / MEDIAN_SIZE;
  return Number.isFinite(found) ? Math.max(1, found) : 1;
}

/**
 * Margin for the uncertainty of a median of n sizes, about 1.2/√n of it, so that a median that is too small causes no
 * alarm.
 */
function certainty(values: readonly number[]): number {
  return 1 + 1.5 / Math.sqrt(Math.max(1, values.length - 1));
}

function isOutlier({ values, errors }: Series, index: number, excess: number): boolean {
  const from = Math.min(Math.max(0, index - 2), Math.max(0, values.length - 5));
  const beside = upperMedian(values.slice(from, from + 5));
  return (
    Math.abs((values[index] ?? 0) - beside) > OUTLYING * certainty(values) * excess * (errors[index] ?? 0)
  );
}
