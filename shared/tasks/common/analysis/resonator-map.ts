import {
  OTHER_KAPPAS_GHZ,
  SPUR_WIDTH_GHZ,
  SPURS_GHZ,
  USUAL_KAPPA_GHZ,
} from '../../../science/conventions/readout.ts';
import type { ComplexMap } from '../../../science/datasets/complex-map.ts';
import { findPeaks, smooth } from '../../../science/fitting/peaks.ts';
import { wrapped } from '../../../science/fitting/phases.ts';
import { correlation, mean, upperMedian } from '../../../science/fitting/statistics.ts';

/** Slow changes along a row are in the lower bins of its spectrum. */
const FIRST_HIGH_BIN = 9;
/** A strength within this fraction of the lowest counts as equally low. */
const FLAT = 0.05;
/** Maximum shift of a resonator from one row to the next lower power, GHz: upwards, and downwards by noise. */
const DRIFT_UP_GHZ = 0.05;
const DRIFT_DOWN_GHZ = 0.004;

/** Points within this distance are used to fit a resonator's frequency, GHz: other resonators are further away. */
export const FIT_REACH_GHZ = 0.014;

/**
 * |Phase step| between neighbouring columns beyond that of the line's delay, in rad; the last column is a copy of its
 * neighbour.
 */
export interface StepMap {
  frequencies: number[];
  powers: number[];
  steps: number[][];
  /** Delay of the line in ns, known up to whole turns from column to column. */
  delay: number;
}

/** Columns affected by a disturbed tone: the step to it and the step from it. */
export function spurColumns(frequencies: readonly number[]): number[] {
  return SPURS_GHZ.flatMap((spur) => {
    const at = frequencies.findIndex((frequency) => Math.abs(frequency - spur) < SPUR_WIDTH_GHZ);
    return at < 1 ? [] : [at - 1, at];
  });
}

/** The phase step per column caused by the line's delay: the most common step at the highest powers. */
function delayStep(rows: readonly number[][]): number {
  const steps = rows.slice(-4).flat().filter(Number.isFinite);
  const centre = Math.atan2(mean(steps.map(Math.sin)), mean(steps.map(Math.cos)));
  return centre + upperMedian(steps.map((step) => wrapped(step - centre)));
}

export function stepMap({ x, y, re, im }: ComplexMap): StepMap {
  const phases = re.map((row, r) => row.map((value, c) => Math.atan2(im[r]?.[c] ?? Number.NaN, value)));
  const raw = phases.map((row) => row.slice(1).map((phase, c) => phase - (row[c] ?? Number.NaN)));
  const delay = delayStep(raw);
  const spurs = spurColumns(x);
  const steps = raw.map((row) => {
    const sizes = row.map((step) => Math.abs(wrapped(step - delay)));
    const known = sizes.map((size, column) => {
      if (!spurs.includes(column) && Number.isFinite(size)) return size;
      let [left, right] = [column - 1, column + 1];
      while (spurs.includes(left) || Number.isNaN(sizes[left])) left -= 1;
      while (spurs.includes(right) || Number.isNaN(sizes[right])) right += 1;
      return ((sizes[left] ?? sizes[right] ?? 0) + (sizes[right] ?? sizes[left] ?? 0)) / 2;
    });
    return [...known, known.at(-1) ?? 0];
  });
  const spacing = ((x.at(-1) ?? 0) - (x[0] ?? 0)) / Math.max(1, x.length - 1);
  return { frequencies: x, powers: y, steps, delay: -delay / (2 * Math.PI * spacing) };
}

/** Phase change over a line width, in rad, of a resonator that leaks more than it loses. */
const PHASE_OVER_WIDTH = 4;

/** Initial line widths for a fit, starting with those that the steepest phase suggests. */
export function likelyKappas({ frequencies, steps }: StepMap, row: number, column: number): number[] {
  const spacing = ((frequencies.at(-1) ?? 0) - (frequencies[0] ?? 0)) / Math.max(1, frequencies.length - 1);
  const near = (steps[row] ?? []).slice(Math.max(0, column - 1), column + 2);
  const seen = (PHASE_OVER_WIDTH * spacing) / Math.max(...near, Number.MIN_VALUE);
  const off = (kappa: number) => Math.abs(Math.log(kappa / seen));
  return [USUAL_KAPPA_GHZ, ...OTHER_KAPPAS_GHZ].sort((a, b) => off(a) - off(b));
}

/** Column spacing for which the resonator search is designed, GHz; numbers of columns refer to it. */
export const USUAL_SPACING_GHZ = 2e-3;

/** The map in which the resonators of a finer sweep are searched, with columns at the usual spacing. */
export interface CoarseMap extends StepMap {
  /** Only the steps from one of these columns to the next, from which the strength of a row is determined. */
  thinned: number[][];
}

/**
 * Reduces a sweep that is finer than usual. A column gets the step to the next one, or the largest step in between if
 * that is larger: across a narrow line the phase makes a whole turn, which the step from far below to far above does not
 * show.
 */
export function coarseMap(signal: ComplexMap): CoarseMap {
  const { x, y } = signal;
  const spacing = ((x.at(-1) ?? 0) - (x[0] ?? 0)) / Math.max(1, x.length - 1);
  const columns = Math.round(USUAL_SPACING_GHZ / spacing);
  const fine = stepMap(signal);
  if (!(columns > 1)) return { ...fine, thinned: fine.steps };
  const kept = (values: readonly number[]) => values.filter((_, column) => column % columns === 0);
  const map = stepMap({ x: kept(x), y, re: signal.re.map(kept), im: signal.im.map(kept) });
  const steps = map.steps.map((row, index) =>
    row.map((step, column) => {
      const between = fine.steps[index]?.slice(column * columns, (column + 1) * columns) ?? [];
      return Math.max(step, ...between);
    }),
  );
  return { ...map, steps, thinned: map.steps, delay: fine.delay };
}

/** Mean magnitude of the upper half of a row's spectrum, which sharp peaks and noise increase. */
export function highFrequencyStrength(row: readonly number[]): number {
  const n = row.length;
  const cosines = Float64Array.from(row, (_, index) => Math.cos((2 * Math.PI * index) / n));
  const sines = Float64Array.from(row, (_, index) => Math.sin((2 * Math.PI * index) / n));
  let sum = 0;
  let bins = 0;
  for (let bin = FIRST_HIGH_BIN; bin <= n / 2; bin++) {
    let [re, im] = [0, 0];
    for (let index = 0, turn = 0; index < n; index++) {
      const value = row[index] ?? 0;
      re += value * (cosines[turn] ?? 0);
      im += value * (sines[turn] ?? 0);
      turn += turn + bin < n ? bin : bin - n;
    }
    sum += Math.hypot(re, im);
    bins += 1;
  }
  return sum / Math.max(1, bins);
}

/**
 * The highest row in which the resonators are in their dressed state. From low powers upwards the strength falls with the
 * noise to its first minimum, which must be below `limit`, and stays there until the resonators begin to jump.
 * @returns the row and that of the minimum, or the lowest strength if no minimum is below the limit
 */
export function dressedBoundary(
  strengths: readonly number[],
  limit: number,
): { row: number; first: number } | { lowest: number } {
  const at = (row: number) => strengths[row] ?? Number.POSITIVE_INFINITY;
  // If the signal is well above the noise even at the lowest power, the strength starts at its minimum.
  for (let row = 0; row < strengths.length - 1; row++) {
    if (!(at(row) < limit && at(row) <= at(row - 1) && at(row) <= at(row + 1))) continue;
    let top = row;
    while (top < strengths.length - 2 && at(top + 1) <= at(row) * (1 + FLAT)) top += 1;
    return { row: top, first: row };
  }
  return { lowest: Math.min(...strengths) };
}

/** The highest row from the `first` one to `row` that still resembles the first: wide lines shift without a jump. */
export function highestLike(
  steps: readonly number[][],
  { row, first }: { row: number; first: number },
  least: number,
): number {
  const isLike = (other: number) => correlation(steps[first] ?? [], steps[other] ?? []) >= least;
  let highest = first;
  while (highest < row && isLike(highest + 1)) highest += 1;
  return highest;
}

/** The lowest row that still resembles the one above it, going down from the boundary. */
export function lowestUsableRow(steps: readonly number[][], boundary: number, least: number): number {
  let row = boundary;
  while (row > 0 && correlation(steps[row - 1] ?? [], steps[row] ?? []) >= least) row -= 1;
  return row;
}

/**
 * For lines that never jump because they are too wide, or whose strength stays high because they are sharp: the rows in
 * which they are barely visible, the lowest of which resembles the one above it. The weaker the tone, the less it shifts
 * them.
 * @returns the row `above` dB over the lowest of them; undefined if no row resembles the next
 */
export function lowestClearRow(
  { powers, steps }: Pick<StepMap, 'powers' | 'steps'>,
  least: number,
  above: number,
): number | undefined {
  const clear = steps.findIndex((row, index) => correlation(row, steps[index + 1] ?? []) >= least);
  if (clear < 0) return undefined;
  const highest = (powers[clear] ?? 0) + above + 1e-9;
  return Math.max(clear, powers.filter((power) => power <= highest).length - 1);
}

/** A resonator traced from high to low power, as column indices. */
export interface Trace {
  /** Its column in each row, from the highest power down to the low row. */
  points: { row: number; column: number }[];
  /** Column in the low row. */
  low: number;
}

/**
 * Traces resonators from the high rows to the low row, where they are at higher frequencies.
 * @param high rows of high power, from the highest downwards
 */
export function followResonators(
  { frequencies, steps }: StepMap,
  high: readonly number[],
  low: number,
  wanted: number,
): Trace[] {
  const spacing = ((frequencies.at(-1) ?? 0) - (frequencies[0] ?? 0)) / Math.max(1, frequencies.length - 1);
  const [up, down] = [DRIFT_UP_GHZ / spacing, DRIFT_DOWN_GHZ / spacing];
  const reaches = (from: number, to: number, rows: number) =>
    to - from <= up * rows && from - to <= down * rows;
  const groups: { row: number; column: number }[][] = [];
  for (const row of high) {
    const smoothed = smooth(steps[row] ?? [], 1);
    // Across a wide line the phase changes slowly everywhere.
    const prominence = Math.min(0.35, Math.max(...smoothed) / 2);
    const peaks = findPeaks(smoothed, { distance: 10, prominence, atMost: 8 });
    for (const { index: column } of peaks) {
      const group = nearest(
        groups,
        column,
        (end) => end.row !== row && reaches(end.column, column, end.row - row),
      );
      if (group === undefined) groups.push([{ row, column }]);
      else group.push({ row, column });
    }
  }
  const lowPeaks = findPeaks(smooth(steps[low] ?? [], 1), { distance: 5, prominence: 0.05 });
  const strongest = [...lowPeaks].sort((a, b) => b.prominence - a.prominence).slice(0, 2 * wanted);
  const traces = strongest.flatMap(({ index, prominence }) => {
    const group = nearest(groups, index, (end) => reaches(end.column, index, Math.max(1, end.row - low)));
    if (group === undefined) return [];
    return [{ points: [...group, { row: low, column: index }], low: index, prominence }];
  });
  // If two end in the same trace, the more prominent one is kept.
  const distinct = traces.filter(
    (trace, index) => !traces.slice(0, index).some((other) => other.points[0] === trace.points[0]),
  );
  const score = (trace: (typeof distinct)[number]) =>
    trace.points.length / (high.length + 1) + Math.min(3, trace.prominence);
  return distinct
    .sort((a, b) => score(b) - score(a))
    .slice(0, wanted)
    .sort((a, b) => a.low - b.low);
}

function nearest(
  groups: { row: number; column: number }[][],
  column: number,
  allowed: (end: { row: number; column: number }) => boolean,
): { row: number; column: number }[] | undefined {
  let best: { group: { row: number; column: number }[]; distance: number } | undefined;
  for (const group of groups) {
    const end = group.at(-1);
    if (end === undefined || !allowed(end)) continue;
    const distance = Math.abs(end.column - column);
    if (distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { group, distance };
  }
  return best?.group;
}
