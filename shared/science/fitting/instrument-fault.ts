import type { Dataset } from '../datasets/model.ts';
import { type PopulationScale, pointsOf } from './population-scale.ts';
import { sweepFault } from './residuals.ts';

/**
 * Why the signals `<name>_re`, `<name>_im` cannot be trusted, read in the order in which they were measured: an instrument
 * that repeats itself, or whose offset or gain changed, so that they leave the axis of the prepared states. Null when
 * nothing is wrong.
 */
export function instrumentFault(
  { variables }: Dataset,
  names: readonly string[],
  scale: PopulationScale,
): string | null {
  for (const name of names) {
    const [re, im] = [variables[`${name}_re`], variables[`${name}_im`]];
    if (re === undefined || im === undefined) continue;
    const points = pointsOf(re.values, im.values);
    const sweep = {
      x: points.map((_, index) => index),
      re: points.map((point) => point.re),
      im: points.map((point) => point.im),
    };
    const fault = sweepFault(
      sweep,
      points.map((point) => scale.aside(point.re, point.im)),
    );
    if (fault !== null) return fault;
  }
  return null;
}
