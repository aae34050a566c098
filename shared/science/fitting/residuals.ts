import { leavesAxis, ROUNDING } from './axis-departure.ts';
import type { IqPoints } from './iq-rotation.ts';
import { type MeasuredPoints, separateOutliers } from './outliers.ts';
import { repetitionOf } from './repeated-values.ts';
import { mean, standardDeviation } from './statistics.ts';

/** The quality of a fit's model, judged from its residuals. */
export interface Judgement {
  /** Mean square of the residuals in units of the expected noise, per degree of freedom. */
  chiSquare: number;
  points: number;
  /** Factor on the errors because neighbouring residuals are correlated: 1 if they are independent. */
  widening: number;
  /** The reason why the model does not describe the data, with numbers; null if nothing contradicts it. */
  problem: string | null;
}

export interface ExpectedNoise {
  /** Number of fitted parameters. */
  parameters: number;
  /**
   * Fraction, 0 to 1, of the expected variance that was estimated from the same number of points, which makes it
   * uncertain.
   */
  estimatedShare: number;
  /**
   * Whether `sigma` is only a lower limit: there may be further noise, such as readout that flips states, so the size
   * of the residuals shows nothing.
   */
  isLeast?: boolean;
  /** Indices of the points of a map in column order. Neighbours in this order must not be correlated either. */
  acrossRows?: readonly number[];
}

/** Limit, in deviations of a normal distribution, beyond which residuals are not noise. */
const BEYOND_NOISE = 4.5;
/** Chi-square below which a wrong model is accepted: its error is less than one deviation, which the errors cover. */
const MISFIT = 1.8;
/** Correlations of neighbours widen errors from this significance. */
const ALIKE = 2;

/** Autocorrelation of zero-mean values at a lag. */
function autocorrelation(values: readonly number[], lag: number): number {
  let [products, squares] = [0, 0];
  for (const [index, value] of values.entries()) {
    squares += value ** 2;
    products += value * (values[index + lag] ?? 0);
  }
  return squares > 0 ? products / squares : 0;
}

/** Significance of the correlation of neighbours, standard normal for noise alone: Fisher's transformation. */
function likeness(values: readonly number[]): number {
  return Math.atanh(Math.min(0.999, autocorrelation(values, 1))) * Math.sqrt(values.length - 3);
}

/** The factor on errors by the autocorrelation of residuals: √(1 + 2 Σ ρ_k) up to the first lag without correlation. */
function wideningOf(residuals: readonly number[]): number {
  let sum = 1;
  for (let lag = 1; lag < residuals.length / 4; lag++) {
    const correlation = autocorrelation(residuals, lag);
    if (correlation <= 0) break;
    sum += 2 * correlation;
  }
  return Math.sqrt(sum);
}

/**
 * Judges residuals in the order of the sweep, each in units of its expected deviation, by their size (a reduced
 * chi-square, as Fisher's z) and by the correlation of neighbours (lag-one autocorrelation). Both are standard normal
 * for noise alone.
 */
export function judgeResiduals(residuals: readonly number[], noise: ExpectedNoise): Judgement {
  const points = residuals.length;
  const freedom = points - noise.parameters;
  if (freedom < 3) return { chiSquare: 1, points, widening: 1, problem: null };
  const chiSquare = residuals.reduce((sum, value) => sum + value ** 2, 0) / freedom;
  const spread = Math.sqrt((1 / freedom + noise.estimatedShare ** 2 / points) / 2);
  const bySize = Math.log(Math.max(chiSquare, Number.MIN_VALUE)) / 2 / spread;
  const orders = noise.acrossRows === undefined ? [] : [noise.acrossRows.map((at) => residuals[at] ?? 0)];
  const byOrder = Math.max(...[residuals, ...orders].map(likeness));
  const worst = noise.isLeast ? byOrder : Math.max(bySize, byOrder, (bySize + byOrder) / Math.SQRT2);
  const problem =
    worst > BEYOND_NOISE && chiSquare > MISFIT
      ? `the model does not describe the data: chi-square ${chiSquare.toPrecision(2)} with ${points} points${byOrder > BEYOND_NOISE ? ', and neighbouring points deviate alike' : ''}`
      : null;
  const widening = Math.max(
    ...[residuals, ...orders].map((each) => (likeness(each) > ALIKE ? wideningOf(each) : 1)),
  );
  return { chiSquare, points, widening, problem };
}

/** The values of a fitted curve, with the deviations that the points must have about it. */
export interface FittedCurve extends Pick<ExpectedNoise, 'parameters' | 'isLeast' | 'acrossRows'> {
  fitted: readonly number[];
  sigma: readonly number[];
  /** Deviation of a point across the axis of the signal, which is the estimated part of the noise. */
  across: number;
}

/** Judges a curve by its points. */
export function judgeFitted(
  y: readonly number[],
  { fitted, sigma, across, ...noise }: FittedCurve,
): Judgement {
  const residuals = y.map((value, index) => (value - (fitted[index] ?? 0)) / (sigma[index] ?? 1));
  const estimatedShare = mean(sigma.map((deviation) => Math.min(1, (across / deviation) ** 2)));
  return judgeResiduals(residuals, { ...noise, estimatedShare });
}

/** With fewer points, their order contains no information. */
const MIN_OF_ORDER = 8;
/** A longer run of equal values is a stuck instrument, a shorter one a repeated point. */
const LONGEST_REPEAT = 4;

/**
 * The reason not to trust a sweep, before any fit: the instrument repeats a value, or the signal moves across the axis
 * along which the qubit moves it. Null if nothing is wrong.
 * @param across distances from that axis, in the unit of the sweep
 * @param prepared points of prepared states if they were measured, on the same axis and with the same noise
 */
export function sweepFault(
  sweep: MeasuredPoints,
  across: readonly number[],
  prepared?: IqPoints,
): string | null {
  // A single outlier would rotate the axis. The fit leaves it out.
  const { kept } = separateOutliers(sweep);
  const leaves = leavesAxis(kept, prepared, { mayBend: prepared === undefined });
  return repetitionFault(sweep) ?? axisFault({ across, size: sizeOf(sweep) }, leaves);
}

/** The same check of a sweep that drives three levels, whose signals are on a curve instead of a straight line. */
export function threeLevelSweepFault(sweep: MeasuredPoints, across: readonly number[]): string | null {
  return repetitionFault(sweep) ?? axisFault({ across, size: sizeOf(sweep) }, false);
}

function sizeOf({ re, im }: IqPoints): number {
  return re.reduce((most, value, index) => Math.max(most, Math.hypot(value, im[index] ?? 0)), 0);
}

/** The reason to believe that an instrument repeats values; null if it may be chance. */
export function repetitionFault({ x, re, im }: MeasuredPoints): string | null {
  const repetition = standardDeviation(re) > 0 || standardDeviation(im) > 0 ? repetitionOf({ re, im }) : null;
  if (repetition === null) return null;
  const { first, length } = repetition;
  if (length > LONGEST_REPEAT) {
    return `the instrument repeats the same signal from point ${first + 1} of ${x.length} on`;
  }
  return `the instrument gives point ${first + 1} of ${x.length} ${length === 2 ? 'twice' : `${length} times`} in a row, to the last digit: the points after it may be out of place`;
}

/**
 * A message if a signal moves across the axis along which the qubit moves it; otherwise null.
 * @param across distances from that axis, in the order in which they were measured, and the size of the numbers from
 * which they were computed. The distances of a signal with a single quadrature are only rounding errors of these
 * numbers
 * @param leaves whether a part of the sweep leaves its axis
 */
export function axisFault(
  { across, size }: { across: readonly number[]; size: number },
  leaves: boolean,
): string | null {
  const centre = mean(across);
  const isAlike =
    across.length > MIN_OF_ORDER &&
    standardDeviation(across) > ROUNDING * size &&
    likeness(across.map((value) => value - centre)) > BEYOND_NOISE;
  return isAlike || leaves
    ? 'the signal moves across the axis of the two states: its offset, gain or phase changed during the sweep, or the qubit left its two states'
    : null;
}

/** A point is an outlier if its distance from the fit exceeds this number of expected deviations. */
const WILD = 6;
/** Maximum fraction of outliers. One is allowed among few points. */
const WILD_SHARE = 0.04;

/**
 * Fits all points, and again without outliers as long as these are few.
 *
 * @param fitTo fits the points of these indices; its residuals are in expected deviations, null if the noise is not
 * known
 */
export function fitWithoutOutliers<Found>(
  count: number,
  fitTo: (indices: readonly number[]) => { found: Found; residuals: readonly number[] | null },
): { found: Found; kept: number[] } {
  let kept = Array.from({ length: count }, (_, index) => index);
  let { found, residuals } = fitTo(kept);
  const fewest = count - Math.max(1, Math.floor(WILD_SHARE * count));
  while (kept.length > fewest && residuals !== null) {
    const sizes = residuals.map(Math.abs);
    const largest = Math.max(...sizes);
    if (!(largest > WILD)) break;
    const at = sizes.indexOf(largest);
    // If the curve is wrong, neighbouring points also deviate, to the same side.
    const [before = 0, here = 0, after = 0] = [residuals[at - 1], residuals[at], residuals[at + 1]];
    if (Math.max(before * Math.sign(here), after * Math.sign(here)) > largest / 3) break;
    kept = kept.filter((_, index) => index !== at);
    ({ found, residuals } = fitTo(kept));
  }
  return { found, kept };
}
