import { leavesAxis, ROUNDING } from './axis-departure.ts';
import type { IqPoints } from './iq-rotation.ts';
import { repetitionOf } from './repeated-values.ts';
import { mean, standardDeviation } from './statistics.ts';
import { type MeasuredPoints, setWildPointsApart } from './wild-points.ts';

/** The judgement of a fit's model, from its residuals. */
export interface Judgement {
  /** Mean square of the residuals in units of the expected noise, parameters taken into account. */
  chiSquare: number;
  points: number;
  /** By how much errors must grow because neighbouring residuals are alike: 1 if they are independent. */
  widening: number;
  /** Why the model does not describe the data, with numbers; null if nothing contradicts it. */
  problem: string | null;
}

export interface ExpectedNoise {
  /** How many parameters were fitted. */
  parameters: number;
  /** Part of the expected variance that was itself estimated from as many points, and is as uncertain; 0 to 1. */
  estimatedShare: number;
  /** There may be further noise, such as readout that flips states, so the size of the residuals alone shows nothing. */
  isLeast?: boolean;
  /** Places of the points of a map in another order, that of its columns: neighbours there must not be alike either. */
  acrossRows?: readonly number[];
}

/** Deviations of a normal distribution beyond which residuals are not those of noise. */
const BEYOND_NOISE = 4.5;
/** A model whose residuals exceed the noise by less than this is wrong by less than a deviation, which the errors cover. */
const MISFIT = 1.8;
/** Alike neighbours widen errors from here on. */
const ALIKE = 2;

/** Correlation of values with those `lag` places further, both about zero. */
function autocorrelation(values: readonly number[], lag: number): number {
  let [products, squares] = [0, 0];
  for (const [index, value] of values.entries()) {
    squares += value ** 2;
    products += value * (values[index + lag] ?? 0);
  }
  return squares > 0 ? products / squares : 0;
}

/** Whether neighbours are alike, as standard normal for noise alone: Fisher's transformation of their correlation. */
function likeness(values: readonly number[]): number {
  return Math.atanh(Math.min(0.999, autocorrelation(values, 1))) * Math.sqrt(values.length - 3);
}

/** The factor on errors by the correlation of residuals: √(1 + 2 Σ ρ_k) up to the first lag that is not alike. */
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
 * Judges residuals in the order of the sweep, each in units of its expected deviation: by their size (a reduced
 * chi-square, as Fisher's z), and by whether neighbours are alike (lag-one autocorrelation). Both are standard normal
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

/** Points of a curve as fitted, with the deviations that it lets expect of them. */
export interface FittedCurve extends Pick<ExpectedNoise, 'parameters' | 'isLeast' | 'acrossRows'> {
  fitted: readonly number[];
  sigma: readonly number[];
  /** Deviation of a point across the axis of the signal: the part of the noise that was estimated. */
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

/** With fewer points, their order has no information. */
const MIN_OF_ORDER = 8;
/** A longer row is an instrument that stands still, a shorter one a point that was given again. */
const LONGEST_REPEAT = 4;

/**
 * Why a sweep cannot be trusted before anything is fitted: an instrument that repeats its last value, or a signal that
 * moves across the axis on which the qubit moves it. Null when nothing is wrong.
 * @param across places beside that axis, in the unit of the sweep
 * @param prepared points of prepared states where they were measured too, on the same axis and as noisy
 */
export function sweepFault(
  sweep: MeasuredPoints,
  across: readonly number[],
  prepared?: IqPoints,
): string | null {
  // A single wild point would turn the axis, and is for the fit to leave out.
  const { kept } = setWildPointsApart(sweep);
  const leaves = leavesAxis(kept, prepared, { mayBend: prepared === undefined });
  return repetitionFault(sweep) ?? axisFault({ across, size: sizeOf(sweep) }, leaves);
}

/** The same of a sweep that drives three levels: these draw no straight line, which only looks like one. */
export function threeLevelSweepFault(sweep: MeasuredPoints, across: readonly number[]): string | null {
  return repetitionFault(sweep) ?? axisFault({ across, size: sizeOf(sweep) }, false);
}

function sizeOf({ re, im }: IqPoints): number {
  return re.reduce((most, value, index) => Math.max(most, Math.hypot(value, im[index] ?? 0)), 0);
}

/** Why an instrument seems to repeat values; null if it may be chance. */
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
 * A message that a signal moves across the axis along which the qubit moves it; null if nothing suggests that.
 * @param across places beside that axis, in the order in which they were measured, and the size of the numbers that they
 * come from: of a signal that has one quadrature only there is nothing beside the axis but their rounding
 * @param leaves whether a part of the sweep was found to leave its axis
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

/** A point that is farther than this from its fit, in expected deviations, is not noise. */
const WILD = 6;
/** This part of the points may be wild, and one of few points. */
const WILD_SHARE = 0.04;

/**
 * Fits, and again without single points that lie beyond all noise, as long as they are few.
 *
 * @param fitTo fits the points of these indices; its residuals are in expected deviations, null if the noise is not known
 */
export function fitWithoutWildPoints<Found>(
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
    // Of a curve that is wrong the neighbours deviate as well, to the same side.
    const [before = 0, here = 0, after = 0] = [residuals[at - 1], residuals[at], residuals[at + 1]];
    if (Math.max(before * Math.sign(here), after * Math.sign(here)) > largest / 3) break;
    kept = kept.filter((_, index) => index !== at);
    ({ found, residuals } = fitTo(kept));
  }
  return { found, kept };
}
