import { ROUNDING } from '../../../science/fitting/axis-departure.ts';
import type { Estimate } from '../../../science/fitting/estimate.ts';
import { changeOfInstrument } from '../../../science/fitting/instrument-drift.ts';
import type { Fit } from '../../../science/fitting/least-squares.ts';
import { fitWithoutOutliers, type Judgement, judgeFitted } from '../../../science/fitting/residuals.ts';

/** A curve fitted to some of the points. */
export interface FittedPoints {
  fit: Fit;
  /** Values of the curve at the fitted points. */
  fitted: readonly number[];
}

export interface JudgedFit<Found extends FittedPoints> {
  found: Found;
  /** Indices of the points that are used; the others are outliers beyond all noise. */
  kept: number[];
  /** Standard deviations of the used points as the fit predicts them; undefined if the noise is unknown. */
  sigma: readonly number[] | undefined;
  /** Null if the noise is unknown. */
  judgement: Judgement | null;
}

export interface JudgedPoints<Found extends FittedPoints> {
  y: readonly number[];
  /** Standard deviation of a point across the axis of the signal, in the unit of `y`; 0 for a signal of only one quadrature. */
  across: number;
  /** Points of several sweeps with shared parameters cannot show by themselves that the instrument changed. */
  ofSeveralSweeps?: boolean;
  /** Fits the points with these indices, with their standard deviations if known. */
  fitTo(indices: readonly number[], sigma?: readonly number[]): Found;
  /** Standard deviations of these points as a first fit predicts them; undefined if the noise is unknown. */
  deviations(found: Found): number[] | undefined;
}

/** Fitted points, with their standard deviations and normalized residuals if known. */
interface Fitted<Found> {
  found: Found;
  sigma: number[] | undefined;
  residuals: number[] | null;
}

/**
 * Fits points twice, first unweighted and then weighted by the noise that the first fit predicts. Excludes single
 * outliers and judges the residuals.
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
  const { found: last, kept } = fitWithoutOutliers(y.length, fitOnce);
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

/** Half of all normally distributed values are within this fraction of their standard deviation. */
const HALF_WITHIN = 0.6745;

/**
 * The factor on deviations that are lower bounds: a signal of one quadrature shows no noise across its axis, so that only
 * the residuals show how noisy it is. It uses the median, which single outliers do not shift.
 */
function noiseBeyond(left: readonly number[], least: readonly number[]): number {
  const sizes = left.map((value, index) => Math.abs(value) / (least[index] ?? 1)).sort((a, b) => a - b);
  return Math.max(1, (sizes[Math.floor(sizes.length / 2)] ?? 0) / HALF_WITHIN);
}

/** Upper limit of the fraction of shots in the other state at either end of the signal; worse preparation is rare. */
const MIN_PURE = 0.2;
/** Number of impurity values that are compared. */
const IMPURITIES = 16;
/**
 * Twice the gain in log likelihood from which an impurity counts as detected; about one in a hundred pure states exceeds
 * it by chance.
 */
const EVIDENCE = 6;
/** Squared normalized deviation at which the contribution of a difference is capped, because larger ones come from outliers. */
const MAX_SQUARED = 9;

/**
 * The variance that impure states add to each point. If the ends of a signal are not pure states but contain a fraction p
 * of the other one, a point at s between them has the projection noise of p + s (1 − 2p). In the unit of the signal that
 * is s (1 − s) + p (1 − p) / (1 − 2p)²: a constant amount more. It is estimated by maximum likelihood from the
 * differences of consecutive residuals. A smooth misfit of the curve contributes little to these and therefore remains
 * visible.
 * @param sigma standard deviations for pure states, the largest of which is that of their middle
 * @returns 0 if no impurity is detected
 */
function impurityVariance(left: readonly number[], sigma: readonly number[], across: number): number {
  const ofMiddle = Math.max(0, Math.max(...sigma) ** 2 - across ** 2);
  const most = (4 * ofMiddle * MIN_PURE * (1 - MIN_PURE)) / (1 - 2 * MIN_PURE) ** 2;
  // Points at the ends are used individually: next to one from the middle their noise would not show.
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
      return sum + Math.log(whole) + Math.min(MAX_SQUARED, squared / whole);
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

/** Correlated residuals make the errors of a fit larger than independent ones do. */
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
