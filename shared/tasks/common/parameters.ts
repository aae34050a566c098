import type { ResolvedParameter } from '../model.ts';
import { sweepPoints } from '../run-parameters.ts';

/** The number in a parameter; undefined if it is not a number. */
export function numberOf(parameter: ResolvedParameter | undefined): number | undefined {
  return typeof parameter?.value === 'number' && Number.isFinite(parameter.value)
    ? parameter.value
    : undefined;
}

/** Number of points of a sweep; 0 if there is none. */
export function pointsOf(parameter: ResolvedParameter | undefined): number {
  if (parameter === undefined) return 0;
  const points = sweepPoints(parameter);
  return points.ok ? points.value.length : 0;
}
