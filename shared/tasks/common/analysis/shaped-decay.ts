import {
  type DecayShape,
  fitShapedDecay,
  residualTime,
  type ShapedFit,
} from '../../../science/fitting/decay-shapes.ts';
import { type Estimate, estimateText } from '../../../science/fitting/estimate.ts';
import type { ExponentialFit, KnownDecay } from '../../../science/fitting/exponential.ts';
import { smoothMisfit } from '../../../science/fitting/smooth-misfit.ts';
import { type JudgedFit, parameterEstimate } from './judged-fit.ts';

/** A decay with its values at the points. */
export type FittedDecay = (ExponentialFit | ShapedFit) & { fitted: number[] };

/** Minimum gain in Akaike's criterion for choosing a shape over the exponential. */
const EVIDENCE = 10;
/** Minimum decrease of the sum of squares for that gain, with one more parameter. */
const MIN_GAIN = EVIDENCE + 2;
/** Minimum fraction of another shape's gain that {@link smoothMisfit} finds, over all shapes and sweeps. */
const FOUND_OF_GAIN = 0.8;

/**
 * The exponential, or one of the other fits if the data support it: better in Akaike's criterion by strong evidence,
 * and not contradicted by its residuals (K. P. Burnham and D. R. Anderson, Model Selection and Multimodel Inference,
 * 2002). The others are fitted only if the exponential leaves sufficiently smooth residuals, because their fits are
 * slow.
 *
 * @param t times of all points
 */
export function chosenDecay(
  exponential: JudgedFit<FittedDecay>,
  others: readonly (() => JudgedFit<FittedDecay>)[],
  t: readonly number[],
): JudgedFit<FittedDecay> {
  const { judgement, found, kept, sigma } = exponential;
  if (judgement === null) return exponential;
  // If an exponential leaves no residuals beyond the noise, there is nothing for another shape to explain.
  if (judgement.problem === null && judgement.chiSquare < 1) return exponential;
  if (found.fit.ok && sigma !== undefined) {
    const times = kept.map((index) => t[index] ?? 0);
    // A known asymptote is an additional, last point of the fit.
    const residuals = found.fit.whitened.residuals.slice(0, times.length);
    if (smoothMisfit(times, residuals, sigma) < FOUND_OF_GAIN * MIN_GAIN) return exponential;
  }
  return others.reduce((best, fitOther) => {
    const other = fitOther();
    const isGood = other.judgement !== null && other.judgement.problem === null;
    return isGood && criterion(other) + EVIDENCE < criterion(best) ? other : best;
  }, exponential);
}

/** Akaike's criterion of a fit with known noise. */
function criterion({ judgement, found }: JudgedFit<FittedDecay>): number {
  if (judgement === null || !found.fit.ok) return Number.POSITIVE_INFINITY;
  const parameters = found.fit.parameters.length;
  return judgement.chiSquare * (judgement.points - parameters) + 2 * parameters;
}

/** Fits a shape to points with known start and asymptote. */
export function fitShape(
  shape: DecayShape,
  t: readonly number[],
  y: readonly number[],
  known: KnownDecay,
): ShapedFit {
  const noise = known.sigma === undefined ? undefined : Math.min(...known.sigma);
  // A relaxation starts at the prepared excited state; an echo starts with its own pulses.
  const start =
    shape === 'twoRates' && known.asymptote !== undefined && noise !== undefined
      ? { value: 1, error: noise }
      : undefined;
  return fitShapedDecay(shape, t, y, { ...known, start });
}

/** Results specific to a decay that is not exponential: its outputs by name, and a part of the task's message. */
export function shapeOf(
  found: ExponentialFit | ShapedFit,
  { output, symbol }: { output: string; symbol: string },
): { outputs: Record<string, Estimate>; note: string } | null {
  if (!('shape' in found) || !found.fit.ok) return null;
  const first = parameterEstimate(found.fit, 3);
  if (found.shape === 'stretched') {
    return {
      outputs: { [`${output}_exponent`]: first },
      note: `Warning: the decay is not exponential but e^(-(t/T)^n) with n = ${estimateText(first, '')}; ${symbol} is the time after which 1/e of it remains.`,
    };
  }
  const residual = residualTime(found);
  const time = { value: residual.value / 1000, error: residual.error / 1000 };
  return {
    outputs: { [`${output}_residual`]: time, [`${output}_quasiparticles`]: first },
    note: `Warning: the decay is not exponential but has two rates, as with ${estimateText(first, '')} quasiparticles beside a T1 of ${estimateText(time, 'us')}; ${symbol} is the time after which 1/e of it remains.`,
  };
}
