import type { Dataset } from '../datasets/model.ts';
import { leavesAxis } from './axis-departure.ts';
import { separateOutliers } from './outliers.ts';
import { type PopulationScale, pointsOf } from './population-scale.ts';
import { axisFault, repetitionFault } from './residuals.ts';
import { mean } from './statistics.ts';

/** The dimension of a pair's signals for the state of the control, whose readout may shift the target's signal. */
const CONTROL = 'control_state';

/**
 * The reason not to trust the signals `<name>_re`, `<name>_im`, in the order in which they were measured: the
 * instrument repeats a value, or its offset or gain changed so that the signals leave the axis of the prepared states.
 * Signals for different states of a control are judged separately, because readout crosstalk shifts them. Null if
 * nothing is wrong.
 */
export function instrumentFault(
  { dims, variables }: Dataset,
  names: readonly string[],
  scale: PopulationScale,
): string | null {
  for (const name of names) {
    const [re, im] = [variables[`${name}_re`], variables[`${name}_im`]];
    if (re === undefined || im === undefined) continue;
    const controlOf = stateOfControl(dims, re.dims);
    const points = re.values.flatMap((value, index) =>
      pointsOf([value], [im.values[index] ?? null]).map((point) => ({ ...point, control: controlOf(index) })),
    );
    const sweep = {
      x: points.map((_, index) => index),
      re: points.map((point) => point.re),
      im: points.map((point) => point.im),
    };
    const aside = points.map(() => 0);
    const controls = new Set(points.map((point) => point.control));
    // If the control was excited, crosstalk moves the points away from the prepared states.
    const prepared = controls.size > 1 ? undefined : scale.prepared;
    let leaves = false;
    for (const control of controls) {
      const own = [...points.keys()].filter((index) => points[index]?.control === control);
      const part = own.flatMap((index) => points[index] ?? []);
      const left = besideLine(
        part.map((point) => scale.population(point.re, point.im)),
        part.map((point) => scale.aside(point.re, point.im)),
        scale.repetitions,
      );
      const middle = mean(left);
      for (const [place, index] of own.entries()) aside[index] = (left[place] ?? 0) - middle;
      // A single outlier would rotate the axis. The fit leaves it out.
      const { kept } = separateOutliers({
        x: own,
        re: part.map((point) => point.re),
        im: part.map((point) => point.im),
      });
      leaves ||= leavesAxis(kept, prepared);
    }
    // In units of the distance of the states.
    const fault = repetitionFault(sweep) ?? axisFault({ across: aside, size: 1 }, leaves);
    if (fault !== null) return fault;
  }
  return null;
}

/**
 * Returns a function from a value's index in a variable of these dimensions (row-major) to the state of the control.
 */
function stateOfControl(
  sizes: Readonly<Record<string, number>>,
  dims: readonly string[],
): (index: number) => number {
  const at = dims.indexOf(CONTROL);
  if (at < 0) return () => 0;
  const faster = dims.slice(at + 1).reduce((product, name) => product * (sizes[name] ?? 1), 1);
  return (index) => Math.floor(index / faster) % (sizes[CONTROL] ?? 1);
}

/**
 * Distances from the straight line through all points, including those of the prepared states, which fix the axis
 * within the error of their positions.
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
