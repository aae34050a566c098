import { CholeskyDecomposition, Matrix } from 'ml-matrix';
import { levenbergMarquardt, normalEquations, residualsOf, sumOfSquares } from './levenberg-marquardt.ts';
import { standardDeviation } from './statistics.ts';

/** A curve y(x; p) with its derivatives by each parameter. */
export interface CurveModel {
  evaluate(parameters: readonly number[], x: number): number;
  gradient(parameters: readonly number[], x: number): number[];
}

export interface FitProblem {
  x: readonly number[];
  y: readonly number[];
  model: CurveModel;
  start: readonly number[];
  /** Natural scale of each parameter, which makes parameters of different units comparable. */
  scale: readonly number[];
  /** Standard deviation of each point up to a common factor, which the fit finds. Default: all alike. */
  sigma?: readonly number[];
}

export type FitFailure = 'too-little-data' | 'not-converged' | 'singular-covariance';

export type Fit =
  | {
      ok: true;
      parameters: number[];
      /** Standard errors of the parameters, from the covariance. */
      errors: number[];
      /** s² (JᵀWJ)⁻¹ at the optimum, with s² the reduced sum of weighted squared residuals. */
      covariance: number[][];
      /** Coefficient of determination, without weights: 1 − Σ residual² / Σ (y − mean)². */
      r2: number;
      residualSumOfSquares: number;
      /** For each point: its deviation, and in units of this the residual and the slopes by the parameters. */
      whitened: { sigma: readonly number[]; residuals: number[]; slopes: number[][] };
    }
  | {
      ok: false;
      failure: FitFailure;
      message: string;
      /** r² of the best curve that was tried; null if there was none. */
      r2: number | null;
    };

/** A fit that converged. */
export type SuccessfulFit = Extract<Fit, { ok: true }>;

/** The sum of squared residuals, each in units of its deviation. */
export function weightedSquares({ whitened }: SuccessfulFit): number {
  return whitened.residuals.reduce((sum, value) => sum + value ** 2, 0);
}

/** Maximum remaining Gauss-Newton step, relative to the standard errors. */
const CONVERGED = 1e-3;
/** Number of rounds of Levenberg-Marquardt, and iterations of each, after which a fit counts as not converging. */
const ROUNDS = 12;
const ITERATIONS_PER_ROUND = 10;

/** 1 − Σ (y − fitted)² / Σ (y − mean)². Null for data without any variation. */
export function coefficientOfDetermination(y: readonly number[], fitted: readonly number[]): number | null {
  const mean = y.reduce((sum, value) => sum + value, 0) / y.length;
  let total = 0;
  let residual = 0;
  for (const [index, value] of y.entries()) {
    total += (value - mean) ** 2;
    residual += (value - (fitted[index] ?? Number.NaN)) ** 2;
  }
  const r2 = 1 - residual / total;
  return Number.isFinite(r2) ? r2 : null;
}

/** The normal equations at one point, in scaled parameters, and what follows from them. */
function linearise(problem: Required<FitProblem>, parameters: readonly number[]) {
  const residuals = residualsOf(problem, parameters);
  const { chiSquared, normal, descent } = normalEquations(problem, parameters, residuals);
  // Parameters at which the curve overflows determine nothing.
  if (!Number.isFinite(normal.sum())) return { chiSquared };
  const cholesky = new CholeskyDecomposition(normal);
  if (!cholesky.isPositiveDefinite()) return { chiSquared };
  const inverse = cholesky.solve(Matrix.eye(parameters.length));
  const s2 = chiSquared / (problem.x.length - parameters.length);
  return { chiSquared, covariance: inverse.mul(s2), step: cholesky.solve(descent) };
}

/** Whether a further Gauss-Newton step is negligible compared with the standard errors. */
function hasConverged(step: Matrix, covariance: Matrix): boolean {
  return step
    .to1DArray()
    .every(
      (change, index) => Math.abs(change) <= CONVERGED * Math.sqrt(covariance.get(index, index)) + 1e-10,
    );
}

/** Scaled parameters after a round of Levenberg-Marquardt; null if it breaks down. */
function runRound(problem: Required<FitProblem>, scaled: readonly number[], round: number): number[] | null {
  // In units of the data's spread, an absolute damping has the same effect for all data.
  const whitened = problem.y.map((value, row) => value / (problem.sigma[row] ?? 1));
  const spread = standardDeviation(whitened) || 1;
  const sigma = problem.y.map((_, row) => (problem.sigma[row] ?? 1) * spread);
  try {
    const found = levenbergMarquardt({ ...problem, sigma }, scaled, {
      iterations: ITERATIONS_PER_ROUND,
      // A round that follows another starts close to the optimum, where heavy damping only slows it down.
      damping: round === 0 ? 1e-2 : 1e-4,
    });
    return found.every(Number.isFinite) ? found : null;
  } catch {
    // The matrix is singular, because some parameters have no effect on the curve.
    return null;
  }
}

function unscale({ scale }: FitProblem, scaled: readonly number[]): number[] {
  return scaled.map((value, index) => value * (scale[index] ?? 1));
}

/**
 * Fits a curve by weighted least squares.
 *
 * Levenberg-Marquardt runs on whitened data (points divided by their deviation) and scaled parameters, because its
 * damping is the same for all parameters. It runs in short rounds, each followed by a Gauss-Newton step if that helps,
 * until such a step would change nothing significant.
 */
export function fitCurve(given: FitProblem): Fit {
  const problem: Required<FitProblem> = { ...given, sigma: given.sigma ?? given.x.map(() => 1) };
  const { x, start, scale } = problem;
  if (x.length <= start.length) {
    const message = `${x.length} points are too few to fit ${start.length} parameters`;
    return { ok: false, failure: 'too-little-data', message, r2: null };
  }
  let scaled = start.map((value, index) => value / (scale[index] ?? 1));
  for (let round = 0; round < ROUNDS; round++) {
    const found = runRound(problem, scaled, round);
    if (found === null) return undetermined(problem, unscale(problem, scaled));
    const parameters = unscale(problem, found);
    const { chiSquared, step, covariance } = linearise(problem, parameters);
    if (step === undefined || covariance === undefined) return undetermined(problem, parameters);
    if (hasConverged(step, covariance)) return accepted(problem, parameters, covariance);
    const further = found.map((value, index) => value + step.get(index, 0));
    const helps = sumOfSquares(residualsOf(problem, unscale(problem, further))) < chiSquared;
    scaled = helps ? further : found;
  }
  const message = 'the fit does not converge';
  return { ok: false, failure: 'not-converged', message, r2: r2Of(problem, unscale(problem, scaled)) };
}

function r2Of({ x, y, model }: FitProblem, parameters: readonly number[]): number | null {
  return coefficientOfDetermination(
    y,
    x.map((point) => model.evaluate(parameters, point)),
  );
}

function undetermined(problem: FitProblem, parameters: readonly number[]): Fit {
  const message = 'the data do not determine all parameters of the curve';
  return { ok: false, failure: 'singular-covariance', message, r2: r2Of(problem, parameters) };
}

function accepted(problem: Required<FitProblem>, parameters: number[], scaledCovariance: Matrix): Fit {
  const { x, y, model, scale } = problem;
  const covariance = scaledCovariance
    .to2DArray()
    .map((row, i) => row.map((value, j) => value * (scale[i] ?? 1) * (scale[j] ?? 1)));
  const errors = covariance.map((row, index) => Math.sqrt(row[index] ?? Number.NaN));
  const fitted = x.map((point) => model.evaluate(parameters, point));
  const r2 = coefficientOfDetermination(y, fitted);
  if (!errors.every(Number.isFinite) || r2 === null) return undetermined(problem, parameters);
  const residualSumOfSquares = y.reduce((sum, value, row) => sum + (value - (fitted[row] ?? 0)) ** 2, 0);
  const { sigma } = problem;
  const deviationOf = (row: number) => sigma[row] ?? 1;
  const whitened = {
    sigma,
    residuals: y.map((value, row) => (value - (fitted[row] ?? 0)) / deviationOf(row)),
    slopes: x.map((point, row) => model.gradient(parameters, point).map((slope) => slope / deviationOf(row))),
  };
  return { ok: true, parameters, errors, covariance, r2, residualSumOfSquares, whitened };
}
