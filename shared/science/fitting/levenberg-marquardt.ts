import { CholeskyDecomposition, inverse, Matrix } from 'ml-matrix';

/** Factors by which the damping increases and decreases, and its limits. */
const DAMPING = { up: 11, down: 9, least: 1e-7, most: 1e7 };
/** A step is good if it lowers the sum by at least this fraction of the decrease that the linear model predicts. */
const GOOD_STEP = 1e-3;
/** The iteration ends below this sum, or after a step that lowers it by less than this fraction: 1e-9 of the errors. */
const [PERFECT, NEGLIGIBLE] = [1e-14, 1e-18];

/** Points with their deviations, and the curve to fit. */
export interface WeightedCurve {
  x: readonly number[];
  y: readonly number[];
  sigma: readonly number[];
  model: {
    evaluate(parameters: readonly number[], x: number): number;
    gradient(parameters: readonly number[], x: number): number[];
  };
  /** Natural scale of each parameter, which is the unit of scaled parameters. */
  scale: readonly number[];
}

/** Whitened residuals at given parameters, and their products with the derivatives by scaled parameters. */
export interface NormalEquations {
  chiSquared: number;
  /** JᵀJ, the products of derivatives. */
  normal: Matrix;
  /** Jᵀr, the products of derivatives and residuals. */
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

/** The state of the iteration at these parameters. */
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

/** The step by the damped equations. @throws if they are singular, because a parameter has no effect */
function dampedStep({ normal, descent }: NormalEquations, damping: number): Float64Array {
  const damped = normal.clone();
  for (let i = 0; i < damped.rows; i++) damped.set(i, i, damped.get(i, i) + damping);
  const cholesky = new CholeskyDecomposition(damped);
  const step = cholesky.isPositiveDefinite() ? cholesky.solve(descent) : inverse(damped).mmul(descent);
  return Float64Array.from({ length: step.rows }, (_, index) => step.get(index, 0));
}

/**
 * Lowers the sum of squared residuals by the method of Levenberg and Marquardt (https://doi.org/10.1137/0111030): at
 * most the given number of steps, fewer if the last one changed nothing significant. Steps that increase the sum are
 * also taken, because they may lead out of a dead end. Returns the best parameters.
 *
 * @param start scaled parameters
 * @param damping initial damping, in units of squared derivatives of data of size 1
 * @throws if the equations are singular
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
