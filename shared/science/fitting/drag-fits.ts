import { type ExtremumFit, fitMaximum } from './extremum.ts';
import { changeOfInstrument } from './instrument-drift.ts';
import { type CurveModel, type Fit, fitCurve } from './least-squares.ts';
import { POLARISATION_LEVELS, signalDeviations } from './measurement-noise.ts';
import { judgeFitted } from './residuals.ts';
import { mean } from './statistics.ts';

/** The noise of a sweep's points; z is 1 for the ground and −1 for the excited state. */
export interface SignalNoise {
  /** Standard deviation across the axis of both states, in z. */
  across: number;
  shots: number | undefined;
}

/** The quality of a fit with known noise, from its residuals. */
interface Judged {
  /** The reason why the model does not describe the data, with numbers. */
  misfit: string | null;
}

/**
 * The amplitude at which the qubit returns to its initial state best, nearest to the middle of the sweep: parameter 2
 * of the fit.
 */
export function fitDragAmplitude(
  amplitudes: readonly number[],
  z: readonly number[],
  noise: SignalNoise,
): ExtremumFit & Judged {
  const middle = (Math.min(...amplitudes) + Math.max(...amplitudes)) / 2;
  const first = fitMaximum(amplitudes, z, middle);
  if (!first.fit.ok) return { ...first, misfit: null };
  const deviations = signalDeviations(
    amplitudes.map(first.evaluate),
    POLARISATION_LEVELS,
    noise.across,
    noise.shots,
  );
  if (deviations === undefined) return { ...first, misfit: null };
  const found = fitMaximum(amplitudes, z, middle, deviations);
  return { ...found, misfit: misfitOf(found, { x: amplitudes, y: z, sigma: deviations }, noise) };
}

/** The reason why a curve does not describe its points; null if it does, or if the noise is unknown. */
function misfitOf(
  { fit, evaluate }: Pick<RootFit, 'fit' | 'evaluate'>,
  { x, y, sigma }: { x: readonly number[]; y: readonly number[]; sigma: readonly number[] },
  { across }: SignalNoise,
): string | null {
  if (!fit.ok) return null;
  const { parameters } = fit;
  const fitted = x.map(evaluate);
  return (
    judgeFitted(y, { fitted, sigma, across, parameters: parameters.length }).problem ??
    changeOfInstrument(fit, fitted)
  );
}

/** Number of coefficients of the polynomial besides the root. */
const QUOTIENT_TERMS = 5;

/**
 * z = (β − r) (c0 + c1 β + … + c4 β⁴): a polynomial written by its root r, so that the fit gives the error of the root.
 * A cubic would look sufficient, but over ±2 ns the signal bends so much that the root would be wrong by up to one
 * standard error. Parameters in the order r, c0, … c4.
 */
const polynomialWithRoot: CurveModel = {
  evaluate([root = 0, ...coefficients], x) {
    return (x - root) * quotient(coefficients, x);
  },
  gradient([root = 0, ...coefficients], x) {
    const distance = x - root;
    return [-quotient(coefficients, x), ...coefficients.map((_, power) => distance * x ** power)];
  },
};

/** Evaluates a polynomial by Horner's method. */
function quotient(coefficients: readonly number[], x: number): number {
  return coefficients.reduceRight((sum, coefficient) => sum * x + coefficient, 0);
}

export interface RootFit {
  /** Parameter 0 is the root. */
  fit: Fit;
  /** Slope of the signal at the root. */
  slope: number;
  evaluate(x: number): number;
}

/** The beta at which the signal passes through zero, where the pulse's phase errors cancel. */
export function fitDragBeta(
  betas: readonly number[],
  z: readonly number[],
  noise: SignalNoise,
): RootFit & Judged {
  const first = fitRoot(betas, z);
  if (!first.fit.ok) return { ...first, misfit: null };
  const deviations = signalDeviations(
    betas.map(first.evaluate),
    POLARISATION_LEVELS,
    noise.across,
    noise.shots,
  );
  if (deviations === undefined) return { ...first, misfit: null };
  const found = fitRoot(betas, z, deviations);
  return { ...found, misfit: misfitOf(found, { x: betas, y: z, sigma: deviations }, noise) };
}

/** Fits where y(x) passes through zero. */
export function fitRoot(betas: readonly number[], z: readonly number[], sigma?: readonly number[]): RootFit {
  const none = { slope: Number.NaN, evaluate: () => Number.NaN };
  if (betas.length < QUOTIENT_TERMS + 3) {
    const message = `${betas.length} points are too few to fit the passage through zero`;
    return { fit: { ok: false, failure: 'too-little-data', message, r2: null }, ...none };
  }
  // The fit uses beta relative to the middle of the sweep, because powers are least similar there.
  const middle = mean(betas);
  const x = betas.map((beta) => beta - middle);
  const xx = x.reduce((sum, value) => sum + value ** 2, 0);
  const slope = x.reduce((sum, value, index) => sum + value * (z[index] ?? 0), 0) / xx;
  if (!(Math.abs(slope) > 0) || !Number.isFinite(slope)) {
    const message = 'the data do not vary';
    return { fit: { ok: false, failure: 'too-little-data', message, r2: null }, ...none };
  }
  const width = Math.sqrt(xx / x.length);
  const powers = Array.from({ length: QUOTIENT_TERMS }, (_, power) => power);
  const fit = fitCurve({
    x,
    y: z,
    model: polynomialWithRoot,
    start: [
      Math.max(-width, Math.min(width, -mean(z) / slope)),
      ...powers.map((power) => (power === 0 ? slope : 0)),
    ],
    scale: [width, ...powers.map((power) => Math.abs(slope) / width ** power)],
    sigma,
  });
  if (!fit.ok) return { fit, ...none };
  const [root = 0, ...coefficients] = fit.parameters;
  return {
    fit: { ...fit, parameters: [root + middle, ...coefficients] },
    slope: quotient(coefficients, root),
    evaluate: (beta) => polynomialWithRoot.evaluate(fit.parameters, beta - middle),
  };
}
