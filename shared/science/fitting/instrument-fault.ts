import type { Dataset } from '../datasets/model.ts';
import { type PopulationScale, pointsOf } from './population-scale.ts';
import { sweepFault } from './residuals.ts';
import { mean } from './statistics.ts';

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
    const along = points.map((point) => scale.population(point.re, point.im));
    const aside = points.map((point) => scale.aside(point.re, point.im));
    const fault = sweepFault(sweep, besideLine(along, aside));
    if (fault !== null) return fault;
  }
  return null;
}

/** What is left beside the straight line through all points: the direction of the axis is known within an error only. */
function besideLine(along: readonly number[], aside: readonly number[]): number[] {
  const [centre, middle] = [mean(along), mean(aside)];
  const spread = along.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  const shared = along.reduce((sum, value, index) => sum + (value - centre) * (aside[index] ?? 0), 0);
  const slope = spread > 0 ? shared / spread : 0;
  return aside.map((value, index) => value - middle - slope * ((along[index] ?? 0) - centre));
}
