import type { ComplexSweep } from '../datasets/rules.ts';

/** A fit of more points would take seconds, and no one-qubit sweep comes near. */
const MOST_POINTS = 5000;
/** Squares of larger numbers would soon overflow; no instrument gives them. */
export const LARGEST_NUMBER = 1e50;

/** Why no fit of a sweep should be tried; null when it may. */
export function sweepProblem({ x, re, im }: ComplexSweep): string | null {
  if (x.length === 0) return 'the dataset has no measured points';
  if (x.length > MOST_POINTS) return `${x.length} points are more than the ${MOST_POINTS} that are fitted`;
  if ([...x, ...re, ...im].some((value) => Math.abs(value) > LARGEST_NUMBER)) {
    return 'its numbers are larger than anything that is measured';
  }
  if (new Set(x).size < 2) return 'all points were measured at the same place of the sweep';
  return null;
}
