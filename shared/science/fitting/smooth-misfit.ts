/** Ratio of neighbouring decay times to try, and their range beyond the ends of the sweep. */
const [APART, BEYOND] = [3, 3];

/**
 * Approximate upper bound on how much better another decay shape can fit than the fitted one: the decrease of the sum
 * of squared residuals (in units of their deviations) by sums of exponentials with many decay times. The difference
 * between two decays is close to such a sum, so another shape cannot fit much better. It takes a fraction of the time
 * of a fit.
 *
 * @param t times ≥ 0 of the points, in any unit
 * @param residuals of each point, in units of its deviation
 * @param sigma deviation of each point
 */
export function smoothMisfit(
  t: readonly number[],
  residuals: readonly number[],
  sigma: readonly number[],
): number {
  const orthonormal: Float64Array[] = [];
  let removed = 0;
  for (const rate of ratesWithin(t)) {
    const column = Float64Array.from(t, (time, row) => Math.exp(-rate * time) / (sigma[row] ?? 1));
    const size = Math.sqrt(product(column, column));
    // Orthogonalized twice, because the exponentials are so similar that rounding leaves components of the others the
    // first time.
    for (const other of [...orthonormal, ...orthonormal]) subtract(column, other, product(column, other));
    const left = Math.sqrt(product(column, column));
    if (!(left > INDEPENDENT * size)) continue;
    const unit = column.map((value) => value / left);
    orthonormal.push(unit);
    removed += product(unit, residuals) ** 2;
  }
  return removed;
}

/** Rates of the exponentials; the first one, 0, is the offset. */
function ratesWithin(t: readonly number[]): number[] {
  const positive = t.filter((time) => time > 0 && Number.isFinite(time));
  if (positive.length === 0) return [0];
  const [shortest, longest] = [Math.min(...positive) / BEYOND, Math.max(...positive) * BEYOND];
  const steps = Math.ceil(Math.log(longest / shortest) / Math.log(APART));
  return [0, ...Array.from({ length: steps + 1 }, (_, step) => 1 / (shortest * APART ** step))];
}

/** Minimum fraction of an exponential that is independent of the earlier ones. */
const INDEPENDENT = 1e-6;

function product(one: Float64Array, other: ArrayLike<number>): number {
  let sum = 0;
  for (let row = 0; row < one.length; row++) sum += (one[row] ?? 0) * (other[row] ?? 0);
  return sum;
}

function subtract(from: Float64Array, other: Float64Array, times: number): void {
  for (let row = 0; row < from.length; row++) from[row] = (from[row] ?? 0) - times * (other[row] ?? 0);
}
