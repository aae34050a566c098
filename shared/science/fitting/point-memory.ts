import { type CurveModel, type Fit, type FitProblem, fitCurve } from './least-squares.ts';

/** Points of a curve, and what was measured before each of them. */
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
      const memory = parameters.at(-1) ?? 0;
      return (1 - memory) * model.evaluate(parameters, x[index] ?? 0) + memory * (before[index] ?? 0);
    },
    gradient(parameters, index) {
      const [memory, place] = [parameters.at(-1) ?? 0, x[index] ?? 0];
      const own = model.gradient(parameters, place).map((slope) => (1 - memory) * slope);
      return [...own, (before[index] ?? 0) - model.evaluate(parameters, place)];
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

/** By how much a memory changes naturally. */
const MEMORY_SCALE = 0.1;

/** A curve as it predicts points that were fitted with a memory: the last parameter is the part that they keep. */
export function predictedPoints(
  curve: readonly number[],
  { before, fit }: { before: readonly number[]; fit: Fit },
): number[] {
  const memory = fit.ok ? (fit.parameters.at(-1) ?? 0) : 0;
  return curve.map((value, index) => (1 - memory) * value + memory * (before[index] ?? value));
}
