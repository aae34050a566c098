import type { CurveModel } from './least-squares.ts';

/** A model whose derivatives are central differences over `steps`, one for each parameter, in its unit. */
export function byCentralDifferences(evaluate: CurveModel['evaluate'], steps: readonly number[]): CurveModel {
  return {
    evaluate,
    gradient(parameters, x) {
      const tried = [...parameters];
      return parameters.map((each, index) => {
        const step = steps[index] ?? Number.NaN;
        tried[index] = each + step;
        const above = evaluate(tried, x);
        tried[index] = each - step;
        const below = evaluate(tried, x);
        tried[index] = each;
        return (above - below) / (2 * step);
      });
    },
  };
}
