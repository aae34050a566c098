import { CURVES_TO_FALSE_ALARM } from './false-alarms.ts';
import { type IqPoints, rotateToPrincipalAxis } from './iq-rotation.ts';
import { mean } from './statistics.ts';

/** Minimum number of points beyond a change. Closer to an end, the change only moves these points. */
const MIN_BEYOND = 2;
/** With fewer points, their order contains no information. */
const MIN_POINTS = 8;
/** Two directions that differ by less than this fraction count as the same. */
const SAME = 1e-9;

const NO_POINTS: IqPoints = { re: [], im: [] };

/** Powers of time of a drift: linear, or quadratic, as during warm-up. */
const DRIFTS = [1, 2];
/** Probability of a false alarm, separately for drifts over the whole sweep and for changes at any point. */
const RARE = 1 / CURVES_TO_FALSE_ALARM / 2;

/** Distances from a line below this fraction of the values are rounding errors. */
export const ROUNDING = 1e-10;

/** Sums over points of products of the size c of a change, the position a along the line and the distance r from it. */
interface Sums {
  c: number;
  ca: number;
  caa: number;
  cc: number;
  cca: number;
  ccaa: number;
  cr: number;
  car: number;
}

const NOTHING: Sums = { c: 0, ca: 0, caa: 0, cc: 0, cca: 0, ccaa: 0, cr: 0, car: 0 };

/** Decreases of the sum of squared distances from the line of a signal by changes of the instrument. */
interface Departure {
  total: number;
  /** Degrees of freedom of the sum, without those of a change. */
  freedom: number;
  bend: number;
  /** The decrease by a bend: distances proportional to the square of the position along the line. */
  plainBend: number;
  drifts: number[];
  /** Decreases by a step at each point of the sweep. */
  steps: number[];
}

/**
 * Whether a signal left the line along which a qubit moves it, which shows a fault of the instrument. The test checks
 * at each point of the sweep whether the following points are beside the line or rotated away from it, as after a
 * change of offset, gain or phase. It also checks whether the whole sweep drifts and, for two states, whether the line
 * is bent. First, the component that a shift and a slope of the whole line explain is removed from each change. The
 * largest change counts if noise alone would rarely cause such a change at any point (an F distribution with two
 * degrees of freedom).
 *
 * @param sweep points in the order in which they were measured
 * @param prepared points of prepared states, with the same noise as the others. They fix the line, so that the sweep as
 * a whole may be beside it
 * @param mayBend false if only two states are involved. A third state bends the line, and so does a compressing
 * amplifier
 */
export function leavesAxis(
  sweep: IqPoints,
  prepared: IqPoints = NO_POINTS,
  { mayBend = true }: { mayBend?: boolean } = {},
): boolean {
  const departure = departureOf(sweep, prepared);
  if (departure === null) return false;
  const { total, freedom, bend, drifts, steps } = departure;
  const isRare = (explained: number, rare: number) =>
    (1 - Math.min(1, explained / total)) ** (freedom / 2) < rare;
  return (
    drifts.some((explained) => isRare(explained, RARE / DRIFTS.length)) ||
    // A compressing amplifier bends the line: the distance from it is proportional to the square of the position along
    // it.
    (!mayBend && isRare(bend, RARE)) ||
    steps.some((explained) => isRare(explained, RARE / steps.length))
  );
}

/** Additional parameters of a change compared with a bend. A drift has one, a rotation; a step also has its index. */
const FURTHER_OF_DRIFT = 1;
const FURTHER_OF_STEP = 2;

/** Whether a bend explains the distances from the line better than any other change, by Akaike's criterion. */
export function isBetterExplainedByBend(sweep: IqPoints, prepared: IqPoints = NO_POINTS): boolean {
  const departure = departureOf(sweep, prepared);
  if (departure === null) return false;
  const { total, freedom, plainBend, drifts, steps } = departure;
  const variance = (total - Math.max(plainBend, ...drifts, ...steps)) / freedom;
  return (
    plainBend > Math.max(...drifts) - 2 * FURTHER_OF_DRIFT * variance &&
    plainBend > Math.max(...steps) - 2 * FURTHER_OF_STEP * variance
  );
}

function departureOf(sweep: IqPoints, prepared: IqPoints): Departure | null {
  const count = sweep.re.length;
  if (count <= MIN_POINTS) return null;
  // Prepared states come before any change.
  const { along, across } = rotateToPrincipalAxis({
    re: aboutMean([...prepared.re, ...sweep.re]),
    im: aboutMean([...prepared.im, ...sweep.im]),
  });
  const [first, all] = [prepared.re.length, along.length];
  const centre = mean(along);
  const a = along.map((value) => value - centre);
  const squares = a.reduce((sum, value) => sum + value ** 2, 0);
  const level = mean(across);
  const slope = a.reduce((sum, value, index) => sum + value * (across[index] ?? 0), 0) / squares;
  const r = a.map((value, index) => (across[index] ?? 0) - level - slope * value);
  const total = r.reduce((sum, value) => sum + value ** 2, 0);
  if (!(total > ROUNDING ** 2 * squares)) return null;
  const add = (sums: Sums, index: number, c: number): Sums => {
    const [place, left] = [a[index] ?? 0, r[index] ?? 0];
    return {
      c: sums.c + c,
      ca: sums.ca + c * place,
      caa: sums.caa + c * place ** 2,
      cc: sums.cc + c ** 2,
      cca: sums.cca + c ** 2 * place,
      ccaa: sums.ccaa + (c * place) ** 2,
      cr: sums.cr + c * left,
      car: sums.car + c * place * left,
    };
  };
  const explained = (sums: Sums) => explainedBy(sums, { count: all, squares });
  const drifts = DRIFTS.map((power) =>
    explained(
      sweep.re.reduce((sums, _, index) => add(sums, first + index, ((index + 1) / count) ** power), NOTHING),
    ),
  );
  const bend = a.reduce((sums, place, index) => add(sums, index, place ** 2 / squares), NOTHING);
  const earliest = first > 0 ? first : MIN_BEYOND;
  const latest = all - MIN_BEYOND;
  const steps: number[] = [];
  let beyond = NOTHING;
  for (let index = all - 1; index >= earliest; index--) {
    beyond = add(beyond, index, 1);
    if (index <= latest) steps.push(explained(beyond));
  }
  const plainBend = explainedByShift(bend, { count: all, squares });
  return { total, freedom: all - 4, bend: explained(bend), plainBend, drifts, steps };
}

/** Far from the origin, the distances from the line would be lost to rounding in a rotation. */
function aboutMean(values: readonly number[]): number[] {
  const centre = mean(values);
  return values.map((value) => value - centre);
}

/** Decrease of the sum of squared distances by a shift c off the line alone. */
function explainedByShift({ c, ca, cc, cr }: Sums, line: { count: number; squares: number }): number {
  const shift = withoutLine(cc, [c, c], [ca, ca], line);
  return shift > 0 ? cr ** 2 / shift : 0;
}

/** A sum of products of two changes, without the components that a shift and a slope of the whole line explain. */
function withoutLine(
  products: number,
  [one, other]: [number, number],
  [oneAlong, otherAlong]: [number, number],
  { count, squares }: { count: number; squares: number },
): number {
  return products - (one * other) / count - (oneAlong * otherAlong) / squares;
}

/** The decrease by a shift c and a rotation c a together. */
function explainedBy(sums: Sums, line: { count: number; squares: number }): number {
  const { c, ca, caa, cc, cca, ccaa, cr, car } = sums;
  const shift = withoutLine(cc, [c, c], [ca, ca], line);
  const both = withoutLine(cca, [c, ca], [ca, caa], line);
  const turn = withoutLine(ccaa, [ca, ca], [caa, caa], line);
  const determinant = shift * turn - both ** 2;
  if (determinant > SAME * shift * turn) {
    return (turn * cr ** 2 - 2 * both * cr * car + shift * car ** 2) / determinant;
  }
  return explainedByShift(sums, line);
}
