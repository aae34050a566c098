import type { ComplexSweep } from '../../../science/datasets/rules.ts';
import type { ResolvedParameter } from '../../model.ts';
import type { Analysis } from './model.ts';

/** A fit of more points would take seconds, and no one-qubit sweep comes near. */
const MOST_POINTS = 5000;

/** The number that a parameter holds, if it is one. */
export function numberOf(parameter: ResolvedParameter | undefined): number | undefined {
  return typeof parameter?.value === 'number' && Number.isFinite(parameter.value)
    ? parameter.value
    : undefined;
}

/** Name of a fit in a figure's legend, with its quality: `damped fit, r² = 0.9987`. */
export function fitName(r2: number, damped = false): string {
  return `${damped ? 'damped fit' : 'fit'}, r² = ${r2.toFixed(4)}`;
}

/** The answer for a dataset in which not even points to draw can be found. */
export function withoutFigures(problem: string): Analysis {
  return { outputs: {}, r2: null, figures: [], refused: problem };
}

/** Squares of larger numbers would soon overflow; no instrument gives them. */
const LARGEST_NUMBER = 1e50;

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
