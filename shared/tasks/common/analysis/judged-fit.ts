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
  const fitOnce = (
    indices: readonly number[],
  ): { found: Fitted<Found>; residuals: Fitted<Found>['residuals'] } => {
    const first = points.fitTo(indices);
    let sigma = first.fit.ok ? points.deviations(first) : undefined;
    if (sigma === undefined) return { found: { found: first, sigma, residuals: null }, residuals: null };
    let found = points.fitTo(indices, sigma);
    if (found.fit.ok && !(across > ROUNDING * Math.max(...sigma))) {
      const further = noiseBeyond(leftOf(indices, found), sigma);
      sigma = sigma.map((deviation) => further * deviation);
      found = points.fitTo(indices, sigma);
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
    { fitted: found.fitted, sigma, across, parameters: found.fit.parameters.length },
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
