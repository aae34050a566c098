import { CholeskyDecomposition, Matrix } from 'ml-matrix';
import { type CurveModel, type Fit, type FitProblem, fitCurve } from './least-squares.ts';

/** Points of a curve, and what was measured before each of them; further ones at the end, which were not measured, keep nothing. */
export interface RememberingProblem extends FitProblem {
  before: readonly number[];
}

/**
 * Fits a curve f whose points keep a part m of the ones before, as behind a filter that is too slow:
 * y_k = (1 − m) f(x_k) + m y_(k−1). What was measured before a point is known with its noise, so deviations from
 * this are as independent as without the filter (prediction errors of an ARX model,
 * https://en.wikipedia.org/wiki/Autoregressive_model). Parameters: those of the curve, then m.
 */
export function fitRemembering({ x, before, model, start, scale, ...points }: RememberingProblem): Fit {
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
 * A curve bends after the noise of its points, which makes their residuals less alike than the noise is: a memory seems too
 * small by its variance times Σ h(k, k−1), where h(k, j) is the part of the noise of point j that the curve at point k follows
 * (as for regressions, https://doi.org/10.2307/2332719). The other parameters move along with it. The residuals remain those of the
 * best fit.
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
  // A memory that the points do not determine is moved too far for the curve to be linear in it.
  if (!(Math.abs(followed) * (fit.errors.at(-1) ?? 0) < 1)) return fit;
  return { ...fit, parameters: fit.parameters.map((value, index) => value + followed * (along[index] ?? 0)) };
}

/** For each point, the part of its noise that a curve with these slopes follows at the next point. */
function followedParts(slopes: readonly number[][]): number[] {
  const matrix = new Matrix(slopes.map((row) => [...row]));
  const normal = new CholeskyDecomposition(matrix.transpose().mmul(matrix));
  if (!normal.isPositiveDefinite()) return [];
  const influence = normal.solve(matrix.transpose());
  return slopes
    .slice(1)
    .map((row, index) => row.reduce((sum, slope, column) => sum + slope * influence.get(column, index), 0));
}

/** By how much a memory changes naturally. */
const MEMORY_SCALE = 0.1;

/**
 * The same with what was measured before each point, if the points may keep a part of it. From a rough start the memory may
 * lead astray; then it starts from the curve without one.
 */
export function fitMaybeRemembering({
  before,
  ...problem
}: FitProblem & { before?: readonly number[] | undefined }): Fit {
  if (before === undefined) return fitCurve(problem);
  const remembering = fitRemembering({ ...problem, before });
  if (remembering.ok) return remembering;
  const plain = fitCurve(problem);
  return plain.ok ? fitRemembering({ ...problem, before, start: plain.parameters }) : remembering;
}

/** Points without the part that they keep of the ones before; the first one of them as it is. */
export function withoutMemory(y: readonly number[], memory: number): number[] {
  return y.map((value, index) => (value - memory * (y[index - 1] ?? value)) / (1 - memory));
}

/** A curve as it predicts points; if they were fitted with a memory, the last parameter is the part that they keep. */
export function predictedPoints(
  curve: readonly number[],
  { before, fit }: { before: readonly number[] | undefined; fit: Fit },
): number[] {
  if (before === undefined) return [...curve];
  const memory = fit.ok ? (fit.parameters.at(-1) ?? 0) : 0;
  return curve.map((value, index) => (1 - memory) * value + memory * (before[index] ?? value));
}
