/** A value with its standard error (one sigma), both in the same unit. */
export interface Estimate {
  value: number;
  error: number;
}

/** Number of standard errors from which a fitted quantity is significant. */
export const SIGNIFICANT = 5;

/**
 * Formats a value with its standard error. The error has two significant digits, and the value as many decimals:
 * `12.531 ± 0.017 MHz`. Without a usable error the value has six digits.
 */
export function estimateText({ value, error }: Estimate, unit: string): string {
  const suffix = unit === '' ? '' : ` ${unit}`;
  if (!Number.isFinite(value)) return `no value${suffix}`;
  if (!Number.isFinite(error) || error <= 0) return `${Number(value.toPrecision(6))}${suffix}`;
  const decimals = Math.min(12, Math.max(0, 1 - Math.floor(Math.log10(error))));
  return `${value.toFixed(decimals)} ± ${error.toFixed(decimals)}${suffix}`;
}

/** Formats an error rate, which can span many decades, with its standard error: `3.84e-7 ± 2.6e-7`. */
export function rateText({ value, error }: Estimate): string {
  return `${Number(value.toPrecision(3))} ± ${Number(error.toPrecision(2))}`;
}

/** Mean of independent estimates of the same value, each weighted by its error; null if none has one. */
export function weightedMean(estimates: readonly Estimate[]): Estimate | null {
  let [weights, sum] = [0, 0];
  for (const { value, error } of estimates) {
    const weight = 1 / error ** 2;
    if (!Number.isFinite(value) || !Number.isFinite(weight)) continue;
    weights += weight;
    sum += weight * value;
  }
  return weights > 0 ? { value: sum / weights, error: 1 / Math.sqrt(weights) } : null;
}
