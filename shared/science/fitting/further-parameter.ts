import { deviationsFor } from './false-alarms.ts';
import type { Fit } from './least-squares.ts';

/** Number of good curves for each false report of a further parameter by a test. */
const CURVES_TO_FALSE_ALARM = 2000;
/** Number of standard errors that noise exceeds with this probability, in either direction. */
export const BEYOND_CHANCE = deviationsFor(1 / CURVES_TO_FALSE_ALARM);

/** The derivative of the curve by a further parameter at each point, in the unit of the point. */
export type SlopeAt = (index: number) => number;

/**
 * Significance of further parameters of a fitted curve, in standard errors, each one added alone to the fit (score
 * tests). If the points scatter by more than their deviations, the standard errors grow accordingly.
 *
 * @param overestimated whether a scatter below the deviations of the points shows that these are too large
 * @returns the test of a parameter, which returns 0 if the curve's own parameters have the same effect
 */
export function furtherParameters(fit: Fit, overestimated = false): (slopeAt: SlopeAt) => number {
  if (!fit.ok) return () => 0;
  const { residuals, slopes, sigma } = fit.whitened;
  const basis: Float64Array[] = [];
  for (const column of (slopes[0] ?? []).keys()) {
    const own = Float64Array.from(slopes, (row) => row[column] ?? 0);
    const left = without(own, basis);
    const size = Math.sqrt(product(left, left));
    if (size > SAME * Math.sqrt(product(own, own))) basis.push(left.map((value) => value / size));
  }
  const scatter = Math.sqrt(
    Math.max(
      overestimated ? Number.MIN_VALUE : 1,
      product(residuals, residuals) / Math.max(1, residuals.length - basis.length),
    ),
  );
  return (slopeAt) => {
    const own = Float64Array.from(residuals, (_, index) => slopeAt(index) / (sigma[index] ?? 1));
    const left = without(own, basis);
    const size = Math.sqrt(product(left, left));
    return size > SAME * Math.sqrt(product(own, own)) ? product(left, residuals) / size / scatter : 0;
  };
}

/** Two directions that differ by less than this fraction count as the same. */
const SAME = 1e-6;

function product(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < one.length; index++) sum += (one[index] ?? 0) * (other[index] ?? 0);
  return sum;
}

/**
 * A direction without its components along the others. It is done twice, because rounding leaves such components the
 * first time.
 */
function without(direction: Float64Array, basis: readonly Float64Array[]): Float64Array {
  const left = direction.slice();
  for (const unit of [...basis, ...basis]) {
    const along = product(left, unit);
    for (let index = 0; index < left.length; index++)
      left[index] = (left[index] ?? 0) - along * (unit[index] ?? 0);
  }
  return left;
}
