import { CURVES_TO_FALSE_ALARM } from './false-alarms.ts';
import type { IqPoints } from './iq-rotation.ts';

/** Values with a step below this fraction of the signal's range count as continuous. */
const FINEST_STEP = 1e-6;
/** Number of equal consecutive values that an instrument with continuous values never returns by chance. */
const LONGEST_REPEAT = 4;
/** Probability below which a run of equal values is not accidental: that of a normal deviation beyond 4.5. */
const ACCIDENT = 3.4e-6;
/** With fewer points, their order contains no information. */
const MIN_POINTS = 8;
/**
 * The lower quartile of the absolute difference of two values with normal noise, in standard deviations of the noise.
 */
const QUARTER = 0.45;

/** A run of points with the same value: its first point and its length. */
export interface Repetition {
  first: number;
  length: number;
}

/**
 * The first run of points that repeat the same signal more often than chance allows. The limit follows from the step of
 * the instrument's values (counts of N shots, a digitiser), the noise in these steps, and the distance of the value
 * from the ends of the signal, where shots scatter least: a state that is always read the same may repeat without
 * limit.
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

/** Runs of neighbouring points with the same value, in the order of the sweep. */
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

/** The probability that a point has the same signal as the previous one, at the position of a run. */
function chanceOfRepeat(sweep: IqPoints, row: Repetition): number {
  const parts = [sweep.re, sweep.im].map((values) => chanceInQuadrature(values, row));
  const [inPhase = 1, inQuadrature = 1] = parts;
  // Counts on a rotated axis repeat in both quadratures together.
  return areOneNumber(sweep, row) ? Math.max(inPhase, inQuadrature) : inPhase * inQuadrature;
}

/** Whether both quadratures repeat at the same points, so that they represent a single number. */
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
    // Continuous values repeat only if they are clipped. Any other repetition is a fault.
    const isCutOff = values[first] === lowest || values[first] === highest;
    return isCutOff ? same : 0;
  }
  const quarter = (differences[Math.floor(differences.length / 4)] ?? 0) / QUARTER / step;
  const byNoise = quarter > 0 ? 1 / (2 * Math.sqrt(Math.PI) * quarter) : same;
  const steps = Math.round(extent / step);
  const value = values[first] ?? lowest;
  const fromEnd = Math.round(Math.min(value - lowest, highest - value) / step);
  const remaining = remainingSteps(values, first, step);
  return Math.min(1, Math.max(same, byNoise, chanceOfCount(Math.max(fromEnd, remaining), steps)));
}

/** Number of previous points that determine the remaining distance of a signal. */
const COURSE = 8;
/** Deviations of a count that are subtracted from the remaining distance. */
const CERTAIN = 3;

/**
 * Minimum remaining distance, in steps, of a signal at the start of a run of equal values, from its previous course. A
 * decaying signal approaches its end slowly, so a signal that stops before the end is stuck.
 */
function remainingSteps(values: readonly number[], first: number, step: number): number {
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

/** The step of which all differences are multiples, by Euclid's algorithm; null if there is no significant one. */
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
