import type { Estimate } from './estimate.ts';

/** Number of steps of the sum over a likelihood, and its range in errors. */
const STEPS = 400;
const REACH = 6;
/** A limit at least this many errors away has no effect. */
const FAR = 30;

/** Probability that a normal value is within one standard error. */
const ONE_ERROR = 0.683;

/**
 * Mean of a value within a range, from its log-likelihood and a uniform prior. The error is the standard deviation, and
 * at least covers both ends of the narrowest interval with 68 % of the probability. If that interval starts at a limit,
 * as for a value that may be zero, the deviation alone would exclude the limit.
 */
function within(from: number, to: number, logLikelihood: (value: number) => number): Estimate {
  const points = Array.from({ length: STEPS + 1 }, (_, step) => {
    const value = from + ((to - from) * step) / STEPS;
    return { value, log: logLikelihood(value), part: step === 0 || step === STEPS ? 0.5 : 1 };
  });
  // Relative to the largest value, because otherwise all weights could vanish.
  const highest = Math.max(...points.map(({ log }) => log));
  const weighted = points.map(({ value, log, part }) => ({ value, weight: part * Math.exp(log - highest) }));
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0);
  const centre = weighted.reduce((sum, { value, weight }) => sum + weight * value, 0) / total;
  const variance =
    weighted.reduce((sum, { value, weight }) => sum + weight * (value - centre) ** 2, 0) / total;
  return {
    value: centre,
    error: Math.max(Math.sqrt(variance), reachOf(weighted, ONE_ERROR * total, centre)),
  };
}

/** Largest distance from the centre to an end of the narrowest interval with this fraction of the weight. */
function reachOf(
  weighted: readonly { value: number; weight: number }[],
  wanted: number,
  centre: number,
): number {
  let [held, reach] = [0, 0];
  for (const { value, weight } of weighted.toSorted((a, b) => b.weight - a.weight)) {
    if (held >= wanted) break;
    held += weight;
    reach = Math.max(reach, Math.abs(value - centre));
  }
  return reach;
}

/**
 * The absolute value of a quantity whose square is known. Near zero, the root of the estimated square would be zero
 * half of the time, and its error would be unknown.
 */
export function sizeOfSquare({ value, error }: Estimate): Estimate {
  if (value > FAR * error) {
    const size = Math.sqrt(value);
    return { value: size, error: error / (2 * size) };
  }
  const largest = Math.sqrt(Math.max(0, value) + REACH * error);
  return within(0, largest, (size) => -((size ** 2 - value) ** 2) / (2 * error ** 2));
}

/** Largest deviation that still occurs, in errors. */
const LIKELY: readonly number[] = [-3, -2, -1, 1, 2, 3];

/**
 * The root of an estimate; 0 for a negative estimate. The root is steep near 0 and constant below 0. Its error is
 * therefore chosen so that a deviation of the estimate by up to three of its errors changes the root by at most the
 * same number of the root's errors.
 */
export function rootAboveZero({ value, error }: Estimate): Estimate {
  const root = (square: number) => Math.sqrt(Math.max(0, square));
  const here = root(value);
  const errors = LIKELY.map((off) => Math.abs((root(value + off * error) - here) / off));
  return { value: here, error: Math.max(...errors) };
}

/**
 * Estimate of a value that is at most `limit`, from an unbiased estimate that may exceed it by noise. Clipping would
 * claim that the value is exactly the limit.
 */
export function atMost(limit: number, { value, error }: Estimate): Estimate {
  if (!(error > 0) || value < limit - FAR * error) return { value, error };
  return within(
    Math.min(value, limit) - REACH * error,
    limit,
    (tried) => -((tried - value) ** 2) / (2 * error ** 2),
  );
}
