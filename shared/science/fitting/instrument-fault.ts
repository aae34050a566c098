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
    const fault = sweepFault(sweep, besideLine(along, aside, scale.repetitions));
    if (fault !== null) return fault;
  }
  return null;
}

/**
 * What is left beside the straight line through all points, those of the prepared states among them: these hold the line
 * where the axis is known to lie, within the error of their places.
 */
function besideLine(
  along: readonly number[],
  aside: readonly number[],
  { ground, excited }: PopulationScale['repetitions'],
): number[] {
  const states = Array.from({ length: ground + excited }, (_, index) => (index < ground ? 0 : 1));
  const x = [...along, ...states];
  const y = [...aside, ...states.map(() => 0)];
  const [centre, middle] = [mean(x), mean(y)];
  const spread = x.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  const shared = x.reduce((sum, value, index) => sum + (value - centre) * ((y[index] ?? 0) - middle), 0);
  return aside.map((value, index) => value - middle - (shared / spread) * ((along[index] ?? 0) - centre));
}
