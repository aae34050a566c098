import type { Place, PlacedAxis, PlacedPanel } from './placed-figure.ts';

/** Pixel coordinates are limited to this number, whose square is still finite. */
const FARTHEST = 1e150;
/**
 * Distance from a panel in pixels up to which lines are painted. Skia calculates with 32 bits and drops longer paths.
 */
const AROUND = 10_000;

export interface Point {
  x: number;
  y: number;
}

/** The position of a value along an axis, from 0 to 1 in its range; NaN if it has none. */
function fractionAlong({ range, logarithmic }: PlacedAxis): (value: number) => number {
  if (!logarithmic) return (value) => (value - range.min) / (range.max - range.min);
  const [from, to] = [Math.log10(range.min), Math.log10(range.max)];
  return (value) => (value > 0 ? (Math.log10(value) - from) / (to - from) : Number.NaN);
}

function bounded(pixel: number): number {
  return Math.max(-FARTHEST, Math.min(FARTHEST, pixel));
}

/** Converts values to pixels of a panel; NaN for a value that has no position on its axis. */
export function pixelsOf({ place, x, y }: PlacedPanel) {
  const [alongX, alongY] = [fractionAlong(x), fractionAlong(y)];
  return {
    x: (value: number) =>
      Number.isFinite(value) ? bounded(place.left + place.width * alongX(value)) : Number.NaN,
    y: (value: number) =>
      Number.isFinite(value)
        ? bounded(place.top + place.height * (y.reversed ? alongY(value) : 1 - alongY(value)))
        : Number.NaN,
  };
}

/**
 * The part of a straight line near a panel; undefined if there is none. Uses the Liang–Barsky algorithm:
 * https://en.wikipedia.org/wiki/Liang%E2%80%93Barsky_algorithm
 */
export function nearPart(
  [start, end]: readonly [Point, Point],
  { left, top, width, height }: Place,
): [Point, Point] | undefined {
  const isNear = ({ x, y }: Point) =>
    x >= left - AROUND && x <= left + width + AROUND && y >= top - AROUND && y <= top + height + AROUND;
  // The usual case: both ends are inside.
  if (isNear(start) && isNear(end)) return [start, end];
  const [dx, dy] = [end.x - start.x, end.y - start.y];
  let [from, to] = [0, 1];
  for (const [distance, room] of [
    [-dx, start.x - (left - AROUND)],
    [dx, left + width + AROUND - start.x],
    [-dy, start.y - (top - AROUND)],
    [dy, top + height + AROUND - start.y],
  ] as const) {
    if (distance === 0 && room < 0) return undefined;
    if (distance < 0) from = Math.max(from, room / distance);
    if (distance > 0) to = Math.min(to, room / distance);
  }
  if (from > to) return undefined;
  const at = (part: number): Point => ({ x: start.x + part * dx, y: start.y + part * dy });
  return [from === 0 ? start : at(from), to === 1 ? end : at(to)];
}
