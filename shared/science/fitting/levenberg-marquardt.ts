import { CholeskyDecomposition, inverse, Matrix } from 'ml-matrix';

/** Damping goes up and down by these factors, within these limits. */
const DAMPING = { up: 11, down: 9, least: 1e-7, most: 1e7 };
/** A step counts as good if it lowers the sum by this fraction of what the linear model predicts. */
const GOOD_STEP = 1e-3;
/** Nothing is gained below this sum, nor by a step that lowers it by so small a part: 1e-9 of the errors. */
const [PERFECT, NEGLIGIBLE] = [1e-14, 1e-18];

/** Points with their deviations, and the curve that should describe them. */
export interface WeightedCurve {
  x: readonly number[];
  y: readonly number[];
  sigma: readonly number[];
  model: {
    evaluate(parameters: readonly number[], x: number): number;
    gradient(parameters: readonly number[], x: number): number[];
  };
  /** By how much each parameter changes naturally: scaled parameters are in units of it. */
  scale: readonly number[];
}

/** Whitened residuals at one place of the parameters, and their products with the slopes by scaled parameters. */
export interface NormalEquations {
  chiSquared: number;
  /** Slopes with slopes. */
  normal: Matrix;
  /** Slopes with residuals. */
  descent: Matrix;
}

/** Residuals in units of their deviations. */
export function residualsOf({ x, y, model, sigma }: WeightedCurve, parameters: readonly number[]) {
  const residuals = new Float64Array(x.length);
  for (let row = 0; row < residuals.length; row++) {
    residuals[row] = ((y[row] ?? 0) - model.evaluate(parameters, x[row] ?? 0)) / (sigma[row] ?? 1);
  }
  return residuals;
}

export function sumOfSquares(residuals: Float64Array): number {
  let sum = 0;
  for (const residual of residuals) sum += residual * residual;
  return sum;
}

/** What follows from the residuals at these parameters and the slopes there. */
export function normalEquations(
  { x, model, scale, sigma }: WeightedCurve,
  parameters: readonly number[],
  residuals: Float64Array,
): NormalEquations {
  const count = parameters.length;
  const normal = new Float64Array(count * count);
  const descent = new Float64Array(count);
  const slopes = new Float64Array(count);
  for (let row = 0; row < residuals.length; row++) {
    const gradient = model.gradient(parameters, x[row] ?? 0);
    const deviation = sigma[row] ?? 1;
    const residual = residuals[row] ?? 0;
    for (let i = 0; i < count; i++) {
      const slope = ((gradient[i] ?? 0) * (scale[i] ?? 1)) / deviation;
      slopes[i] = slope;
      descent[i] = (descent[i] ?? 0) + slope * residual;
      for (let j = 0; j <= i; j++) {
        normal[i * count + j] = (normal[i * count + j] ?? 0) + slope * (slopes[j] ?? 0);
      }
    }
  }
  const products = Matrix.zeros(count, count);
  for (let i = 0; i < count; i++) {
    for (let j = 0; j <= i; j++) {
      products.set(i, j, normal[i * count + j] ?? 0);
      products.set(j, i, normal[i * count + j] ?? 0);
    }
  }
  return { chiSquared: sumOfSquares(residuals), normal: products, descent: Matrix.columnVector(descent) };
}

/** The step of the damped equations. @throws where they are singular, as parameters without effect make them */
function dampedStep({ normal, descent }: NormalEquations, damping: number): Float64Array {
  const damped = normal.clone();
  for (let i = 0; i < damped.rows; i++) damped.set(i, i, damped.get(i, i) + damping);
  const cholesky = new CholeskyDecomposition(damped);
  const step = cholesky.isPositiveDefinite() ? cholesky.solve(descent) : inverse(damped).mmul(descent);
  return Float64Array.from({ length: step.rows }, (_, index) => step.get(index, 0));
}

/**
 * Lowers the sum of squared residuals by the method of Levenberg and Marquardt
 * (https://doi.org/10.1137/0111030): as many steps as are allowed, fewer where the last one changed nothing that counts. A
 * step that makes it worse is taken too, as it may lead out of a dead end, and the best parameters are what is returned.
 *
 * @param start scaled parameters
 * @param damping to begin with, in units of the squared slopes of data that are of size 1
 * @throws where the equations are singular
 */
export function levenbergMarquardt(
  problem: WeightedCurve,
  start: readonly number[],
  { damping: first, iterations }: { damping: number; iterations: number },
): number[] {
  const unscaled = (scaled: readonly number[]) =>
    scaled.map((value, index) => value * (problem.scale[index] ?? 1));
  let damping = first;
  let scaled = [...start];
  let residuals = residualsOf(problem, unscaled(scaled));
  let sum = sumOfSquares(residuals);
  let best = { sum, scaled };
  for (let iteration = 0; iteration < iterations && !(sum <= PERFECT); iteration++) {
    const equations = normalEquations(problem, unscaled(scaled), residuals);
    const step = dampedStep(equations, damping);
    scaled = scaled.map((value, index) => value + (step[index] ?? 0));
    residuals = residualsOf(problem, unscaled(scaled));
    const before = sum;
    sum = sumOfSquares(residuals);
    if (Number.isNaN(sum)) break;
    if (sum < best.sum - PERFECT) best = { sum, scaled };
    let promised = 0;
    for (const [index, change] of step.entries()) {
      promised += change * (damping * change + equations.descent.get(index, 0));
    }
    if (Math.abs(promised) <= NEGLIGIBLE * sum) break;
    damping =
      (before - sum) / promised > GOOD_STEP
        ? Math.max(damping / DAMPING.down, DAMPING.least)
        : Math.min(damping * DAMPING.up, DAMPING.most);
  }
  return best.scaled;
}
