import { deviationsFor } from './false-alarms.ts';
import type { Fit } from './least-squares.ts';

/** A test reports a further parameter for one in this many good curves. */
const CURVES_TO_FALSE_ALARM = 2000;
/** Standard errors that noise exceeds with that chance, to either side. */
export const BEYOND_CHANCE = deviationsFor(1 / CURVES_TO_FALSE_ALARM);

/** The slope of the curve by a further parameter at each point, in its unit. */
export type SlopeAt = (index: number) => number;

/**
 * By how many standard errors further parameters of a fitted curve would differ from zero, each fitted along with the others
 * alone (score tests). If the points scatter by more than their deviations, so do the parameters.
 *
 * @param overestimated whether points that scatter by less show that their deviations are too large
 * @returns the test of a parameter. It gives 0 if the curve's own parameters have the same effect
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

/** Two directions that differ by less than this fraction count as one. */
const SAME = 1e-6;

function product(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < one.length; index++) sum += (one[index] ?? 0) * (other[index] ?? 0);
  return sum;
}

/** A direction without its parts along the others. Done twice, because rounding leaves parts of them at first. */
function without(direction: Float64Array, basis: readonly Float64Array[]): Float64Array {
  const left = direction.slice();
  for (const unit of [...basis, ...basis]) {
    const along = product(left, unit);
    for (let index = 0; index < left.length; index++)
      left[index] = (left[index] ?? 0) - along * (unit[index] ?? 0);
  }
  return left;
}
