import type { Estimate } from './estimate.ts';

/** Steps in which a likelihood is summed, and how many errors it reaches. */
const STEPS = 400;
const REACH = 6;
/** A limit at least this many errors away has no effect. */
const FAR = 30;

/** Probability of a normal value to lie within one standard error. */
const ONE_ERROR = 0.683;

/**
 * Mean of a value within a range, by its log-likelihood: all values in there are as likely before. The error is their
 * deviation, and at least reaches to both ends of the narrowest range that holds 68 % of them: where that begins at a
 * limit, as of a value that may well be zero, the deviation alone would exclude the limit.
 */
function within(from: number, to: number, logLikelihood: (value: number) => number): Estimate {
  const points = Array.from({ length: STEPS + 1 }, (_, step) => {
    const value = from + ((to - from) * step) / STEPS;
    return { value, log: logLikelihood(value), part: step === 0 || step === STEPS ? 0.5 : 1 };
  });
  // From its largest value on, lest all weights vanish.
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

/** Distance from the centre to the ends of the narrowest range with this fraction of the weight. */
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
 * The size whose square is known. Near zero the root of the square itself would be zero half of the time, and its error
 * would not show by how much.
 */
export function sizeOfSquare({ value, error }: Estimate): Estimate {
  if (value > FAR * error) {
    const size = Math.sqrt(value);
    return { value: size, error: error / (2 * size) };
  }
  const largest = Math.sqrt(Math.max(0, value) + REACH * error);
  return within(0, largest, (size) => -((size ** 2 - value) ** 2) / (2 * error ** 2));
}

/** Deviations in errors that still occur. */
const LIKELY: readonly number[] = [-3, -2, -1, 1, 2, 3];

/**
 * The root of an estimate, 0 if that lies below 0. Near 0 the root is steep, and below 0 it does not move at all, so its
 * error is such that a deviation by up to three errors of the estimate moves the root by no more than as many of its own.
 */
export function rootAboveZero({ value, error }: Estimate): Estimate {
  const root = (square: number) => Math.sqrt(Math.max(0, square));
  const here = root(value);
  const errors = LIKELY.map((off) => Math.abs((root(value + off * error) - here) / off));
  return { value: here, error: Math.max(...errors) };
}

/**
 * What is known to be at most `limit`, from an unbiased estimate that noise may lift above it. Cutting it off there would
 * claim that it is exactly the limit.
 */
export function atMost(limit: number, { value, error }: Estimate): Estimate {
  if (!(error > 0) || value < limit - FAR * error) return { value, error };
  return within(
    Math.min(value, limit) - REACH * error,
    limit,
    (tried) => -((tried - value) ** 2) / (2 * error ** 2),
  );
}
