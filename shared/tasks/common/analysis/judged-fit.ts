import { ROUNDING } from '../../../science/fitting/axis-departure.ts';
import type { Estimate } from '../../../science/fitting/estimate.ts';
import { changeOfInstrument } from '../../../science/fitting/instrument-drift.ts';
import type { Fit } from '../../../science/fitting/least-squares.ts';
import { fitWithoutWildPoints, type Judgement, judgeFitted } from '../../../science/fitting/residuals.ts';

/** A curve as fitted to some of the points. */
export interface FittedPoints {
  fit: Fit;
  /** Values of the curve at the points that were fitted. */
  fitted: readonly number[];
}

export interface JudgedFit<Found extends FittedPoints> {
  found: Found;
  /** Indices of the points that count; the others lie beyond all noise. */
  kept: number[];
  /** Standard deviations of the points that count, as the fit lets expect them; undefined where the noise is not known. */
  sigma: readonly number[] | undefined;
  /** Null where the noise is not known. */
  judgement: Judgement | null;
}

export interface JudgedPoints<Found extends FittedPoints> {
  y: readonly number[];
  /** Deviation of a point across the axis of the signal, in the unit of `y`; 0 where it has one quadrature only. */
  across: number;
  /** Points of several sweeps, which share parameters, do not tell by themselves that the instrument changed. */
  ofSeveralSweeps?: boolean;
  /** Fits the points of these indices, with their deviations where these are known. */
  fitTo(indices: readonly number[], sigma?: readonly number[]): Found;
  /** Deviations of these points as a first fit lets expect them; undefined where the noise is not known. */
  deviations(found: Found): number[] | undefined;
}

/** Points as fitted, with their deviations and what is left over of them in units of these, where they are known. */
interface Fitted<Found> {
  found: Found;
  sigma: number[] | undefined;
  residuals: number[] | null;
}

/**
 * Fits points twice, first all alike and then weighted by the noise that the first fit lets expect, leaves single wild
 * points out, and judges what is left over.
 */
export function fitJudged<Found extends FittedPoints>(points: JudgedPoints<Found>): JudgedFit<Found> {
  const { y, across } = points;
  const leftOf = (indices: readonly number[], { fitted }: Found) =>
    indices.map((at, index) => (y[at] ?? 0) - (fitted[index] ?? 0));
  let impurity = 0;
  const fitOnce = (
    indices: readonly number[],
  ): { found: Fitted<Found>; residuals: Fitted<Found>['residuals'] } => {
    const first = points.fitTo(indices);
    let sigma = first.fit.ok ? points.deviations(first) : undefined;
    impurity = 0;
    if (sigma === undefined) return { found: { found: first, sigma, residuals: null }, residuals: null };
    let found = points.fitTo(indices, sigma);
    if (found.fit.ok && !(across > ROUNDING * Math.max(...sigma))) {
      const further = noiseBeyond(leftOf(indices, found), sigma);
      sigma = sigma.map((deviation) => further * deviation);
      found = points.fitTo(indices, sigma);
    } else if (found.fit.ok) {
      const further = impurityVariance(leftOf(indices, found), sigma, across);
      if (further > 0) {
        impurity = further;
        sigma = sigma.map((deviation) => Math.sqrt(deviation ** 2 + further));
        found = points.fitTo(indices, sigma);
      }
    }
    const deviations = sigma;
    const residuals = found.fit.ok
      ? leftOf(indices, found).map((value, index) => value / (deviations[index] ?? 1))
      : null;
    return { found: { found, sigma, residuals }, residuals };
  };
  const { found: last, kept } = fitWithoutWildPoints(y.length, fitOnce);
  const { found, sigma, residuals } = last;
  if (residuals === null || sigma === undefined || !found.fit.ok)
    return { found, kept, sigma, judgement: null };
  const judgement = judgeFitted(
    kept.map((index) => y[index] ?? 0),
    {
      fitted: found.fitted,
      sigma,
      across: Math.hypot(across, Math.sqrt(impurity)),
      parameters: found.fit.parameters.length,
    },
  );
  const change = points.ofSeveralSweeps ? null : changeOfInstrument(found.fit, found.fitted);
  const problem = judgement.problem ?? change;
  return { found: widened(found, judgement.widening), kept, sigma, judgement: { ...judgement, problem } };
}

/** Half of all normal values lie within this part of their deviation. */
const HALF_WITHIN = 0.6745;

/**
 * The factor on deviations that are the least there may be: a signal of one quadrature shows no noise across its axis, and
 * only what a curve leaves of it tells how noisy it is. By the median, which single wild points do not move.
 */
function noiseBeyond(left: readonly number[], least: readonly number[]): number {
  const sizes = left.map((value, index) => Math.abs(value) / (least[index] ?? 1)).sort((a, b) => a - b);
  return Math.max(1, (sizes[Math.floor(sizes.length / 2)] ?? 0) / HALF_WITHIN);
}

/** Upper limit on the share of shots that find the other state at either end of the signal; worse preparation is rare. */
const LEAST_PURE = 0.2;
/** Values of the impurity that are compared. */
const IMPURITIES = 16;
/** Twice the gain in log likelihood from which an impurity is taken to be seen: one in some hundred pure states shows it. */
const EVIDENCE = 6;
/** Squared deviation from which a difference is of a wild point and counts no further. */
const MOST_SQUARED = 9;

/**
 * The variance that impure states add to each point. Where the ends of a signal are no pure states but hold a part p of the
 * other one, a point at s between them has the projection noise of p + s (1 − 2p), which in the unit of the signal is
 * s (1 − s) + p (1 − p) / (1 − 2p)²: by the same amount more everywhere. It is found by its likelihood from the differences
 * of residuals that follow each other, to which a curve that is smoothly wrong adds little, so that it stays to be seen.
 * @param sigma deviations of pure states, the largest of which is that of their middle
 * @returns 0 where none is seen
 */
function impurityVariance(left: readonly number[], sigma: readonly number[], across: number): number {
  const ofMiddle = Math.max(0, Math.max(...sigma) ** 2 - across ** 2);
  const most = (4 * ofMiddle * LEAST_PURE * (1 - LEAST_PURE)) / (1 - 2 * LEAST_PURE) ** 2;
  // Of points at the ends each by itself: beside one of the middle their noise would not show.
  const between = Math.sqrt(Math.min(...sigma) * Math.max(...sigma));
  const order = left.map((_, index) => index);
  const differences = [
    order.filter((index) => (sigma[index] ?? 0) < between),
    order.filter((index) => !((sigma[index] ?? 0) < between)),
  ].flatMap((alike) =>
    alike.slice(1).map((index, place) => {
      const before = alike[place] ?? index;
      return {
        squared: ((left[index] ?? 0) - (left[before] ?? 0)) ** 2 / 2,
        variance: ((sigma[index] ?? 0) ** 2 + (sigma[before] ?? 0) ** 2) / 2,
      };
    }),
  );
  const unlikely = (further: number) =>
    differences.reduce((sum, { squared, variance }) => {
      const whole = variance + further;
      return sum + Math.log(whole) + Math.min(MOST_SQUARED, squared / whole);
    }, 0);
  const without = unlikely(0);
  let best = { further: 0, value: without };
  for (let step = 1; step <= IMPURITIES; step++) {
    const further = most * (step / IMPURITIES) ** 2;
    const value = unlikely(further);
    if (value < best.value) best = { further, value };
  }
  return without - best.value > EVIDENCE ? best.further : 0;
}

/** Errors of a fit whose residuals are alike from point to point are larger than those of independent ones. */
function widened<Found extends FittedPoints>(found: Found, widening: number): Found {
  const { fit } = found;
  if (!fit.ok || widening === 1) return found;
  return {
    ...found,
    fit: {
      ...fit,
      errors: fit.errors.map((error) => widening * error),
      covariance: fit.covariance.map((row) => row.map((value) => widening ** 2 * value)),
    },
  };
}

/** An estimate of a fit's parameter. */
export function parameterEstimate(fit: Fit, index: number): Estimate {
  if (!fit.ok) return { value: Number.NaN, error: Number.NaN };
  return { value: fit.parameters[index] ?? Number.NaN, error: fit.errors[index] ?? Number.NaN };
}
