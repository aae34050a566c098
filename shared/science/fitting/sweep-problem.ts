import type { ComplexSweep } from '../datasets/rules.ts';

/** Maximum number of points. A fit of more points would take seconds; sweeps of one qubit have far fewer. */
const MAX_POINTS = 5000;
/** Maximum size of numbers. Sums of squares of larger ones could overflow, and no instrument returns them. */
export const LARGEST_NUMBER = 1e50;

/** The reason why a sweep cannot be fitted; null if it can. */
export function sweepProblem({ x, re, im }: ComplexSweep): string | null {
  if (x.length === 0) return 'the dataset has no measured points';
  if (x.length > MAX_POINTS) return `${x.length} points are more than the ${MAX_POINTS} that are fitted`;
  if ([...x, ...re, ...im].some((value) => Math.abs(value) > LARGEST_NUMBER)) {
    return 'its numbers are larger than anything that is measured';
  }
  if (new Set(x).size < 2) return 'all points were measured at the same value of the sweep';
  return null;
}
