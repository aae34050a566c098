import type { Estimate } from './estimate.ts';

/** Steps in which a likelihood is summed, and how many errors it reaches. */
const STEPS = 400;
const REACH = 6;
/** A limit so many errors away changes nothing. */
const FAR = 30;

/** Mean and deviation of a value within a range, by its log-likelihood: all values in there are as likely before. */
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
  return { value: centre, error: Math.sqrt(variance) };
}

/**
 * The size whose square is known. Near zero the root of the square itself would be zero half of the time, and its error
 * would not say by how much.
 */
export function sizeOfSquare({ value, error }: Estimate): Estimate {
  if (value > FAR * error) {
    const size = Math.sqrt(value);
    return { value: size, error: error / (2 * size) };
  }
  const largest = Math.sqrt(Math.max(0, value) + REACH * error);
  return within(0, largest, (size) => -((size ** 2 - value) ** 2) / (2 * error ** 2));
}

/**
 * What is known to be at most `limit`, from an unbiased estimate that noise may lift above it. Cutting it off there would
 * say that it is the limit exactly.
 */
export function atMost(limit: number, { value, error }: Estimate): Estimate {
  if (!(error > 0) || value < limit - FAR * error) return { value, error };
  return within(
    Math.min(value, limit) - REACH * error,
    limit,
    (tried) => -((tried - value) ** 2) / (2 * error ** 2),
  );
}
