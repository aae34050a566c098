import { CholeskyDecomposition, Matrix } from 'ml-matrix';
import { type CurveModel, type Fit, type FitProblem, fitCurve } from './least-squares.ts';

/**
 * Points of a curve, and the measured value before each. Additional points at the end, which were not measured, retain
 * nothing.
 */
export interface MemoryProblem extends FitProblem {
  before: readonly number[];
}

/**
 * Fits a curve f whose points retain a fraction m of the previous one (a memory), as after a filter that is too slow:
 * y_k = (1 − m) f(x_k) + m y_(k−1). The previous measured value includes its noise, so the deviations from this model
 * are as independent as without the filter (prediction errors of an ARX model,
 * https://en.wikipedia.org/wiki/Autoregressive_model). Parameters: those of the curve, then m.
 */
export function fitWithMemory({ x, before, model, start, scale, ...points }: MemoryProblem): Fit {
  const remembering: CurveModel = {
    evaluate(parameters, index) {
      const [memory, own] = [parameters.at(-1) ?? 0, model.evaluate(parameters.slice(0, -1), x[index] ?? 0)];
      return own + memory * ((before[index] ?? own) - own);
    },
    gradient(parameters, index) {
      const [place, kept] = [x[index] ?? 0, before[index]];
      const curve = parameters.slice(0, -1);
      const slopes = model.gradient(curve, place);
      if (kept === undefined) return [...slopes, 0];
      const memory = parameters.at(-1) ?? 0;
      return [...slopes.map((slope) => (1 - memory) * slope), kept - model.evaluate(curve, place)];
    },
  };
  return fitCurve({
    ...points,
    x: x.map((_, index) => index),
    model: remembering,
    start: [...start, 0],
    scale: [...scale, MEMORY_SCALE],
  });
}

/**
 * Corrects the bias of a memory. A fitted curve follows the noise of its points, so residuals are less correlated than
 * the noise, and the memory is too small by its variance times Σ h(k, k−1), where h(k, j) is the fraction of the noise
 * of point j that the curve at point k follows (as for regressions, https://doi.org/10.2307/2332719). The other
 * parameters change accordingly. The residuals remain those of the best fit.
 */
export function withoutCurveBias(fit: Fit): Fit {
  if (!fit.ok) return fit;
  const { slopes, sigma } = fit.whitened;
  const curve = slopes.map((row) => row.slice(0, -1));
  const parts = followedParts(curve);
  const followed = parts.reduce(
    (sum, part, index) => sum + (part * (sigma[index] ?? 1)) / (sigma[index + 1] ?? 1),
    0,
  );
  const along = fit.covariance.at(-1) ?? [];
  // If the points hardly determine the memory, its correction exceeds the range in which the curve is linear.
  if (!(Math.abs(followed) * (fit.errors.at(-1) ?? 0) < 1)) return fit;
  return { ...fit, parameters: fit.parameters.map((value, index) => value + followed * (along[index] ?? 0)) };
}

/** For each point, the fraction of its noise that a curve with these derivatives follows at the next point. */
function followedParts(slopes: readonly number[][]): number[] {
  const matrix = new Matrix(slopes.map((row) => [...row]));
  const normal = new CholeskyDecomposition(matrix.transpose().mmul(matrix));
  if (!normal.isPositiveDefinite()) return [];
  const influence = normal.solve(matrix.transpose());
  return slopes
    .slice(1)
    .map((row, index) => row.reduce((sum, slope, column) => sum + slope * influence.get(column, index), 0));
}

/** Natural scale of a memory. */
const MEMORY_SCALE = 0.1;

/**
 * Fits a curve, with a memory if the value before each point is given. From rough start values, a fit with a memory may
 * fail; it then starts again from the fit without one.
 */
export function fitWithOptionalMemory({
  before,
  ...problem
}: FitProblem & { before?: readonly number[] | undefined }): Fit {
  if (before === undefined) return fitCurve(problem);
  const remembering = fitWithMemory({ ...problem, before });
  if (remembering.ok) return remembering;
  const plain = fitCurve(problem);
  return plain.ok ? fitWithMemory({ ...problem, before, start: plain.parameters }) : remembering;
}

/** Points without the fraction that they retain of the previous one. The first point is unchanged. */
export function withoutMemory(y: readonly number[], memory: number): number[] {
  return y.map((value, index) => (value - memory * (y[index - 1] ?? value)) / (1 - memory));
}

/** The points that a curve predicts. If they were fitted with a memory, the last parameter is the retained fraction. */
export function predictedPoints(
  curve: readonly number[],
  { before, fit }: { before: readonly number[] | undefined; fit: Fit },
): number[] {
  if (before === undefined) return [...curve];
  const memory = fit.ok ? (fit.parameters.at(-1) ?? 0) : 0;
  return curve.map((value, index) => (1 - memory) * value + memory * (before[index] ?? value));
}
