import type { ComplexSweep } from '../datasets/rules.ts';
import type { IqPoints } from './iq-rotation.ts';

/** A point whose distance from all others exceeds this fraction of their range is an outlier of a continuous signal. */
const ISOLATED = 0.35;
/** With fewer points, outliers cannot be identified. */
const MIN_POINTS = 12;
/** Maximum fraction of outliers. */
const LARGEST_SHARE = 0.05;

/** Points in the order in which they were measured. */
export interface MeasuredPoints extends IqPoints {
  x: readonly number[];
}

/**
 * Separates outliers of a sweep, which are far from all other points in the IQ plane, because they would distort axes
 * and scales. The signal of a qubit is always between two positions, and a sweep passes each region more than once.
 */
export function separateOutliers(sweep: MeasuredPoints): { kept: ComplexSweep; outliers: ComplexSweep } {
  const outliers = new Set<number>();
  const most = sweep.x.length < MIN_POINTS ? 0 : Math.max(1, Math.floor(LARGEST_SHARE * sweep.x.length));
  while (outliers.size < most) {
    const at = mostIsolated(sweep, outliers);
    if (at === null) break;
    outliers.add(at);
  }
  const pick = (keep: (index: number) => boolean): ComplexSweep => ({
    x: sweep.x.filter((_, index) => keep(index)),
    re: sweep.re.filter((_, index) => keep(index)),
    im: sweep.im.filter((_, index) => keep(index)),
  });
  return { kept: pick((index) => !outliers.has(index)), outliers: pick((index) => outliers.has(index)) };
}

/**
 * The point with the largest distance to its nearest neighbour, if that is large compared with the extent of all
 * others; otherwise null.
 */
function mostIsolated({ re, im }: IqPoints, without: ReadonlySet<number>): number | null {
  const indices = re.flatMap((_, index) => (without.has(index) ? [] : [index]));
  const distanceOf = (a: number, b: number) =>
    Math.hypot((re[a] ?? 0) - (re[b] ?? 0), (im[a] ?? 0) - (im[b] ?? 0));
  let furthest = { index: -1, distance: 0 };
  for (const index of indices) {
    let distance = Number.POSITIVE_INFINITY;
    for (const other of indices) {
      if (other !== index) distance = Math.min(distance, distanceOf(index, other));
      if (distance <= furthest.distance) break;
    }
    if (distance > furthest.distance) furthest = { index, distance };
  }
  const others = indices.filter((index) => index !== furthest.index);
  const extent = (values: readonly number[]) => {
    const known = others.map((index) => values[index] ?? 0);
    return Math.max(...known) - Math.min(...known);
  };
  return furthest.distance > ISOLATED * Math.hypot(extent(re), extent(im)) ? furthest.index : null;
}
