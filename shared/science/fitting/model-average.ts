import type { Estimate } from './estimate.ts';
import type { SuccessfulFit } from './least-squares.ts';

/**
 * The weight of the second of two models that describe the same points, by Akaike's criterion (K. P. Burnham and D. R.
 * Anderson, Model Selection and Multimodel Inference, 2002).
 *
 * @param likelihoodRatio twice the logarithm of the ratio of likelihoods, second to first
 * @param penalty logarithm of the ratio of prior probabilities, first to second: its number of additional parameters
 */
export function weightOfSecond(likelihoodRatio: number, penalty: number): number {
  return 1 / (1 + Math.exp(penalty - likelihoodRatio / 2));
}

/** The mean of the values of two models; its error includes their difference. */
export function averageEstimates(first: Estimate, second: Estimate, weight: number): Estimate {
  const parts = [
    { part: 1 - weight, ...first },
    { part: weight, ...second },
  ].filter(({ part }) => part > 0);
  const value = parts.reduce((sum, each) => sum + each.part * each.value, 0);
  const variance = parts.reduce(
    (sum, each) => sum + each.part * (each.error ** 2 + (each.value - value) ** 2),
    0,
  );
  return { value, error: Math.sqrt(variance) };
}

/** Maximum difference of a parameter between two models, in errors. Beyond it, they describe different curves. */
const FURTHEST_APART = 8;

/**
 * The mean of all parameters of two fits. The second fit has one more parameter, which is 0 in the first one.
 *
 * @param weight the weight of the second fit
 * @returns a copy of the fit with the larger weight, with its own residuals; null if the fits describe different curves
 */
export function averageFits(
  first: SuccessfulFit,
  second: SuccessfulFit,
  weight: number,
): SuccessfulFit | null {
  const count = first.parameters.length;
  if (second.parameters.length !== count + 1) return null;
  const own = weight > 0.5 ? second : first;
  const apart = second.parameters.map((value, index) => value - (first.parameters[index] ?? 0));
  const areAlike = apart
    .slice(0, count)
    .every(
      (distance, index) =>
        Math.abs(distance) < FURTHEST_APART * Math.hypot(first.errors[index] ?? 0, second.errors[index] ?? 0),
    );
  if (!areAlike) return null;
  const between = weight * (1 - weight);
  const covariance = own.covariance.map((row, i) =>
    row.map(
      (_, j) =>
        (1 - weight) * (first.covariance[i]?.[j] ?? 0) +
        weight * (second.covariance[i]?.[j] ?? 0) +
        between * (apart[i] ?? 0) * (apart[j] ?? 0),
    ),
  );
  return {
    ...own,
    parameters: own.parameters.map(
      (_, index) => (first.parameters[index] ?? 0) + weight * (apart[index] ?? 0),
    ),
    covariance,
    errors: covariance.map((row, index) => Math.sqrt(row[index] ?? 0)),
  };
}
