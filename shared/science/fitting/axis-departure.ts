import { CURVES_TO_FALSE_ALARM } from './false-alarms.ts';
import { type IqPoints, rotateToPrincipalAxis } from './iq-rotation.ts';
import { mean } from './statistics.ts';

/** Minimum number of points beyond a change. Closer to an end, the change only moves these points. */
const MIN_BEYOND = 2;
/** With fewer points, their order has no information. */
const MIN_POINTS = 8;
/** Two changes whose directions differ by less than this count as one. */
const SAME = 1e-9;

const NO_POINTS: IqPoints = { re: [], im: [] };

/** Powers of time of a drift: linear, or quadratic as while a device warms up. */
const DRIFTS = [1, 2];
/** Chance of a false alarm, for drifts over the whole sweep and for changes at any place alike. */
const RARE = 1 / CURVES_TO_FALSE_ALARM / 2;

/** Distances from a line below this fraction of the values are rounding errors. */
export const ROUNDING = 1e-10;

/** Sums over points of products of the size c of a change, the place a along the line and the distance r from it. */
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

/** By how much changes of the instrument would lower the sum of squares of what lies beside the line of a signal. */
interface Departure {
  total: number;
  /** Degrees of freedom of that sum, without those of a change. */
  freedom: number;
  bend: number;
  /** The part of it that goes with the square of the place along the line. */
  plainBend: number;
  drifts: number[];
  /** Changes at each place of the sweep. */
  steps: number[];
}

/**
 * Whether a signal left the line on which a qubit moves it, which no qubit does. The test asks for each place of the sweep
 * whether what follows is beside the line or rotated out of it, as after a change of offset, gain or phase, and for the whole
 * sweep whether it drifts, and for two states also whether the line is bent. The line itself is removed from each change
 * first, and the largest change counts if noise alone would rarely cause one as large at any place (F with two degrees of
 * freedom).
 *
 * @param sweep points in the order in which they were measured
 * @param prepared points of prepared states, as noisy as the others: they hold the line, and the sweep as a whole may have
 * left it
 * @param mayBend false if only two states take part: a third one bends the line, as a compressing amplifier does
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
    // An amplifier that compresses bends the line: what lies beside it goes with the square of the place along it.
    (!mayBend && isRare(bend, RARE)) ||
    steps.some((explained) => isRare(explained, RARE / steps.length))
  );
}

/** What a drift is fitted with besides what a bend is: a turn. A step has its place in addition. */
const FURTHER_OF_DRIFT = 1;
const FURTHER_OF_STEP = 2;

/** Whether a bend of the line explains what lies beside it better than any other change does, by Akaike's criterion. */
export function isRatherBent(sweep: IqPoints, prepared: IqPoints = NO_POINTS): boolean {
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

/** Far from the origin, a rotation would lose the distances from the line by rounding. */
function aboutMean(values: readonly number[]): number[] {
  const centre = mean(values);
  return values.map((value) => value - centre);
}

/** By how much a shift c off the line alone lowers the sum of squares of what is left beside it. */
function explainedByShift({ c, ca, cc, cr }: Sums, line: { count: number; squares: number }): number {
  const shift = withoutLine(cc, [c, c], [ca, ca], line);
  return shift > 0 ? cr ** 2 / shift : 0;
}

/** A sum of products of two changes without the parts that a shift and a slope of the whole line explain. */
function withoutLine(
  products: number,
  [one, other]: [number, number],
  [oneAlong, otherAlong]: [number, number],
  { count, squares }: { count: number; squares: number },
): number {
  return products - (one * other) / count - (oneAlong * otherAlong) / squares;
}

/** The same of a shift c and a turn c a together. */
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
