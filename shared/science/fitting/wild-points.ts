import type { ComplexSweep } from '../datasets/rules.ts';
import type { IqPoints } from './iq-rotation.ts';

/** A point farther from all others than this fraction of their range does not belong to a continuous signal. */
const ISOLATED = 0.35;
/** With fewer points, outliers cannot be identified. */
const MIN_POINTS = 12;
/** This part of the points may be wild. */
const LARGEST_SHARE = 0.05;

/** Points in the order in which they were measured. */
export interface MeasuredPoints extends IqPoints {
  x: readonly number[];
}

/**
 * Sets apart single points of a sweep that lie far from all others in the IQ plane, before they turn axes and scales.
 * The signal of a qubit lies between two places, and a sweep comes by everywhere more than once.
 */
export function setWildPointsApart(sweep: MeasuredPoints): { kept: ComplexSweep; wild: ComplexSweep } {
  const wild = new Set<number>();
  const most = sweep.x.length < MIN_POINTS ? 0 : Math.max(1, Math.floor(LARGEST_SHARE * sweep.x.length));
  while (wild.size < most) {
    const at = mostIsolated(sweep, wild);
    if (at === null) break;
    wild.add(at);
  }
  const pick = (keep: (index: number) => boolean): ComplexSweep => ({
    x: sweep.x.filter((_, index) => keep(index)),
    re: sweep.re.filter((_, index) => keep(index)),
    im: sweep.im.filter((_, index) => keep(index)),
  });
  return { kept: pick((index) => !wild.has(index)), wild: pick((index) => wild.has(index)) };
}

/** The point whose nearest neighbour is furthest, if that is far against the extent of all others; null if none is. */
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
