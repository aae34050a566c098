import { CURVES_TO_FALSE_ALARM } from './false-alarms.ts';
import type { IqPoints } from './iq-rotation.ts';

/** Values whose step is below this fraction of the range of a signal count as continuous. */
const FINEST_STEP = 1e-6;
/** So often in a row an instrument with continuous values does not find the very same one. */
const LONGEST_REPEAT = 4;
/** Probability below which a row of the same values is not an accident: that of a normal deviation beyond 4.5. */
const ACCIDENT = 3.4e-6;
/** With fewer points, their order has no information. */
const MIN_POINTS = 8;
/** A quarter of the differences of two values with normal noise is smaller than this fraction of its deviation. */
const QUARTER = 0.45;

/** A row of points with the same value: its first point and its length. */
export interface Repetition {
  first: number;
  length: number;
}

/**
 * The first row of points that repeat the same signal more often than chance lets an instrument: how often that is follows
 * from the steps of its values (counts of N shots, a digitiser), the noise in these steps, and how near the value
 * lies to an end of the signal, where few shots scatter least: a state that always reads the same may repeat without limit.
 * @param sweep points in the order in which they were measured
 */
export function repetitionOf(sweep: IqPoints): Repetition | null {
  const count = sweep.re.length;
  for (const row of rowsOf(sweep)) {
    if (row.length < 2) continue;
    const chance = chanceOfRepeat(sweep, row);
    const isLong = row.length > LONGEST_REPEAT && count * chance ** (row.length - 1) < ACCIDENT;
    const isRare = count > MIN_POINTS && count * chance < 1 / CURVES_TO_FALSE_ALARM;
    if (isLong || isRare) return row;
  }
  return null;
}

/** Rows of neighbouring points with the same value, in the order of the sweep. */
function rowsOf({ re, im }: IqPoints): Repetition[] {
  const rows: Repetition[] = [];
  for (const [index, value] of re.entries()) {
    const last = rows.at(-1);
    const isSame = index > 0 && value === re[index - 1] && im[index] === im[index - 1];
    if (last && isSame) last.length += 1;
    else rows.push({ first: index, length: 1 });
  }
  return rows;
}

/** The chance that a point has the same signal as the one before it, at the place of a row. */
function chanceOfRepeat(sweep: IqPoints, row: Repetition): number {
  const parts = [sweep.re, sweep.im].map((values) => chanceInQuadrature(values, row));
  const [inPhase = 1, inQuadrature = 1] = parts;
  // Counts on a turned axis repeat in both quadratures together.
  return areOneNumber(sweep, row) ? Math.max(inPhase, inQuadrature) : inPhase * inQuadrature;
}

/** Whether both quadratures are alike wherever one of them is, so that they show one number. */
function areOneNumber({ re, im }: IqPoints, { first, length }: Repetition): boolean {
  let [both, one] = [0, 0];
  const seen = [...re.keys()].filter((index) => index < first || index >= first + length);
  const partners = new Map<number, number>();
  for (const index of seen) {
    const [a = 0, b = 0] = [re[index], im[index]];
    const partner = partners.get(a);
    if (partner === undefined) partners.set(a, b);
    else if (partner === b) both += 1;
    else one += 1;
  }
  return both > 0 && both > one;
}

function chanceInQuadrature(values: readonly number[], { first, length }: Repetition): number {
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  const extent = highest - lowest;
  if (!(extent > 0)) return 1;
  const step = stepOf(values, extent);
  const differences = values
    .flatMap((value, index) =>
      index === 0 || (index > first && index < first + length)
        ? []
        : [Math.abs(value - (values[index - 1] ?? 0))],
    )
    .sort((a, b) => a - b);
  const same = differences.filter((difference) => difference === 0).length / Math.max(1, differences.length);
  if (step === null) {
    // Continuous values repeat only where they are cut off; what else repeats, however often it does, is a fault.
    const isCutOff = values[first] === lowest || values[first] === highest;
    return isCutOff ? same : 0;
  }
  const quarter = (differences[Math.floor(differences.length / 4)] ?? 0) / QUARTER / step;
  const byNoise = quarter > 0 ? 1 / (2 * Math.sqrt(Math.PI) * quarter) : same;
  const steps = Math.round(extent / step);
  const value = values[first] ?? lowest;
  const fromEnd = Math.round(Math.min(value - lowest, highest - value) / step);
  const onItsWay = stillToGo(values, first, step);
  return Math.min(1, Math.max(same, byNoise, chanceOfCount(Math.max(fromEnd, onItsWay), steps)));
}

/** Points on whose course it rests how far a signal had still to go. */
const COURSE = 8;
/** Deviations of a count that are left aside of it. */
const CERTAIN = 3;

/**
 * How many steps a signal that came to a row of the same values had still to go at least, by its course before: what decays
 * to an end comes near it slowly, and one that stands still was on its way.
 */
function stillToGo(values: readonly number[], first: number, step: number): number {
  const half = Math.floor(Math.min(COURSE, first) / 2);
  if (half < 1) return 0;
  const [start = 0, middle = 0, end = 0] = [2 * half, half, 0].map((back) => values[first - back]);
  const [before, last] = [(middle - start) / step, (end - middle) / step];
  if (before * last <= 0) return 0;
  const left = Math.abs(last) * Math.min(1, last / before);
  return Math.max(0, left - CERTAIN * Math.sqrt(left));
}

/** The probability of counting exactly the expected number out of `shots`. */
function chanceOfCount(count: number, shots: number): number {
  if (count === 0) return 1;
  return Math.min(1, 1 / Math.sqrt(2 * Math.PI * count * Math.max(0.5, 1 - count / shots)));
}

/** The step of which all differences are multiples, by Euclid; null if there is none that is worth the name. */
function stepOf(values: readonly number[], extent: number): number | null {
  const tolerance = FINEST_STEP * extent;
  const sorted = [...new Set(values)].sort((a, b) => a - b);
  let step = extent;
  for (const [index, value] of sorted.entries()) {
    let [large, small] = [value - (sorted[index - 1] ?? value), step];
    if (large <= tolerance) continue;
    while (small > tolerance) [large, small] = [small, remainder(large, small, tolerance)];
    step = large;
    if (step < 10 * tolerance) return null;
  }
  return step;
}

function remainder(large: number, small: number, tolerance: number): number {
  const rest = large - Math.floor(large / small) * small;
  return small - rest <= tolerance ? 0 : rest;
}
