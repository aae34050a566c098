import type { ComplexMap } from '../datasets/complex-map.ts';
import { linesText, SECOND_DISTANCE } from './line-search.ts';
import { mean, standardDeviation } from './statistics.ts';

/** Phase of the readout against its usual one, over drive power (rows, rising) and frequency; null if not measured. */
export interface PhaseMap {
  frequencies: number[];
  powers: number[];
  phases: (number | null)[][];
}

export interface MapRules {
  /** Standard deviations of the whole map beyond which a phase belongs to a line. */
  plus: number;
  minus: number;
  /** Power from which heights are counted, dB. */
  topPower: number;
  leastHeight: number;
}

/** A line of the map: it hangs from the highest power down to the lowest at which it is seen. */
export interface Line {
  column: number;
  /** Row of its lowest point. */
  tip: number;
  /** dB below the top power. */
  height: number;
}

export interface QubitLine extends Line {
  /** Columns of comparable lines that are the qubit's line of two photons. */
  twoPhoton: number[];
  /** Lowest row in which the line is at least two points wide. */
  representative: number;
  /** 0 to 5. */
  quality: number;
}

const QUALITY_THRESHOLDS = [0.1, 1750, 3600, 5000, 15_000];
const REPRESENTATIVE_WIDTH = 2;
/** Steps of the power by which two lines of equal strength may differ in height, and by which the mask falls between both. */
const RIVAL_STEPS = 2.01;
const VALLEY = 2.99;
/**
 * A line of a larger part of the phase may be another qubit's f01. A qubit shows f12 in such a part only where more than a
 * fifth of it is excited. Where f02/2 or f12 may lie and the growth of the line tells nothing, it must have nearly all of it.
 */
const COMPARABLE_PHASE = 1 / 3;
const SECOND_PHASE = 0.75;
const ROWS_ABOVE_TIP = 4;

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Variance of the noise of a quadrature: by how much neighbouring frequencies differ, of which lines take few. */
export function varianceOfMap({ re, im }: Pick<ComplexMap, 're' | 'im'>): number {
  const squares = re.flatMap((row, r) =>
    row
      .slice(1)
      .map((value, c) => (value - (row[c] ?? 0)) ** 2 + ((im[r]?.[c + 1] ?? 0) - (im[r]?.[c] ?? 0)) ** 2),
  );
  // A difference has twice the variance, and the median of the squared distance in a plane is 2 ln 2 times that.
  return median(squares.filter(Number.isFinite)) / (4 * Math.LN2);
}

/** Why the phase of a signal cannot show a line; null if it can. */
export function phaseProblem({ re, im }: Pick<ComplexMap, 're' | 'im'>): string | null {
  const isMissing = (rows: readonly number[][]) => rows.flat().every((value) => !(Math.abs(value) > 0));
  return isMissing(re) || isMissing(im)
    ? 'the line is seen in the phase of the readout, which takes both quadratures: one of them is zero everywhere'
    : null;
}

/** Phases against the median signal, with their own median taken off. */
export function phaseMap({ x, y, re, im }: ComplexMap): PhaseMap {
  const known = (rows: readonly number[][]) => rows.flat().filter(Number.isFinite);
  const usual = Math.atan2(median(known(im)), median(known(re)));
  const raw = re.map((row, r) =>
    row.map((value, c) => {
      const angle = Math.atan2(im[r]?.[c] ?? Number.NaN, value) - usual;
      return Math.atan2(Math.sin(angle), Math.cos(angle));
    }),
  );
  const middle = median(known(raw));
  const phases = raw.map((row) => row.map((phase) => (Number.isNaN(phase) ? null : phase - middle)));
  return { frequencies: x, powers: y, phases };
}

/**
 * A strongly shifted resonator turns the phase by up to half a turn where the drive is strong. Counted in full, few such
 * points would raise the map's deviation so far that the line of the qubit itself no longer stands out.
 */
const LARGEST_PHASE = 0.5;

function clipped(phase: number): number {
  return Math.min(LARGEST_PHASE, Math.max(-LARGEST_PHASE, phase));
}

/** Which points belong to lines: they stand out of the map and are connected with its highest power. */
export interface LineMask {
  /** Number of the connected component, 0 for none; a row for each power. */
  components: number[][];
  /** For each column the height in dB, 0 for none. */
  heights: number[];
  /** For each column the row of its lowest point. */
  tips: number[];
}

export function findLines({ powers, frequencies, phases }: PhaseMap, rules: MapRules): LineMask {
  const all = phases.flat().flatMap((phase) => (phase === null ? [] : [clipped(phase)]));
  const [centre, deviation] = [mean(all), standardDeviation(all)];
  const stands = (row: number, column: number) => {
    const phase = phases[row]?.[column] ?? null;
    if (phase === null || !(deviation > 0)) return false;
    const score = (clipped(phase) - centre) / deviation;
    return score > rules.plus || score < rules.minus;
  };
  const components = powers.map(() => new Array<number>(frequencies.length).fill(0));
  const top = powers.length - 1;
  let count = 0;
  for (let start = 0; start < frequencies.length; start++) {
    if (!stands(top, start) || components[top]?.[start] !== 0) continue;
    count += 1;
    const open: [number, number][] = [[top, start]];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [row, column] = next;
      const line = components[row];
      if (line === undefined || line[column] !== 0 || !stands(row, column)) continue;
      line[column] = count;
      open.push([row - 1, column], [row + 1, column], [row, column - 1], [row, column + 1]);
    }
  }
  const tips = frequencies.map((_, column) => {
    const row = components.findIndex((line) => (line[column] ?? 0) > 0);
    return row < 0 ? powers.length : row;
  });
  const heights = tips.map((tip) => (tip < powers.length ? rules.topPower - (powers[tip] ?? 0) : 0));
  return { components, heights, tips };
}

/** Number of photons of the line that hangs down to the tip of a column; undefined if unknown. */
type PhotonsAt = (line: { column: number; tip: number }) => 1 | 2 | undefined;

/**
 * The line of the qubit: the tallest, of equally tall columns that with the largest phase. A line of two photons is not it,
 * but shows that the line above it is. Or why there is none, or why it is not known which it is: where another line of
 * comparable phase is as tall to within two steps of the power.
 */
export function findQubitLine(
  map: PhaseMap,
  mask: LineMask,
  rules: MapRules,
  photonsAt: PhotonsAt,
): QubitLine | string {
  const tallest = Math.max(0, ...mask.heights);
  if (tallest < rules.leastHeight) {
    return tallest === 0
      ? 'no line stands out of the map'
      : `the tallest line is ${tallest.toFixed(1)} dB high, less than ${rules.leastHeight} dB`;
  }
  const phaseAt = (column: number) => Math.abs(map.phases[mask.tips[column] ?? 0]?.[column] ?? 0);
  const first = mask.heights
    .flatMap((each, index) => (each === tallest ? [index] : []))
    .reduce((best, index) => (phaseAt(index) > phaseAt(best) ? index : best));
  const chosen = chosenColumn(map, mask, first, photonsAt);
  if (typeof chosen === 'string') return chosen;
  const { column, twoPhoton } = chosen;
  const tip = mask.tips[column] ?? 0;
  const own = mask.components[tip]?.[column] ?? 0;
  let representative = tip;
  while (
    representative < map.powers.length - 1 &&
    lineWidth(mask, own, representative, column) < REPRESENTATIVE_WIDTH
  ) {
    representative += 1;
  }
  const height = mask.heights[column] ?? 0;
  return { column, tip, height, representative, quality: qualityOf(map, mask, own, rules), twoPhoton };
}

/** The column of f01 among those of comparable lines, or why it is not known which that is. */
function chosenColumn(
  map: PhaseMap,
  mask: LineMask,
  first: number,
  photonsAt: PhotonsAt,
): { column: number; twoPhoton: number[] } | string {
  const photons = (column: number) => photonsAt({ column, tip: mask.tips[column] ?? 0 });
  const { rivals, twoPhoton } = comparableColumns(map, mask, first, photons);
  const frequency = (column: number) => map.frequencies[column] ?? 0;
  const column = [first, ...rivals].reduce((a, b) => (frequency(b) > frequency(a) ? b : a));
  const lower = [first, ...rivals].filter((each) => each !== column);
  const isTwoPhoton = (each: number) => maySecond(frequency(column) - frequency(each)) && photons(each) === 2;
  if (!lower.every(isTwoPhoton)) {
    const lines = [column, ...lower].map((each) => ({ frequency: frequency(each) }));
    return `lines at ${linesText(lines)} are seen down to about the same power, and nothing tells which is the qubit's: sweep the neighbourhood of one of them`;
  }
  if (photons(column) === 2) {
    return `the line at ${frequency(column).toFixed(3)} GHz grows with the square of the drive's amplitude, as that of two photons does: f01 lies above it and is not seen`;
  }
  return { column, twoPhoton: [...twoPhoton, ...lower] };
}

/** Whether f02/2 or f12 may lie so far below f01, GHz. */
function maySecond(below: number): boolean {
  return below >= SECOND_DISTANCE.from && below <= SECOND_DISTANCE.to;
}

/**
 * Columns of other lines that reach down as far as this one, to within two steps of the power: a valley parts them from it.
 * Those that take two photons and lie where f02/2 may are not rivals.
 */
function comparableColumns(
  map: PhaseMap,
  mask: LineMask,
  column: number,
  photons: (column: number) => 1 | 2 | undefined,
): { rivals: number[]; twoPhoton: number[] } {
  const { powers } = map;
  const { heights } = mask;
  const strength = phaseAboveTip(map, mask, column);
  const step = Math.abs((powers.at(-1) ?? 0) - (powers[0] ?? 0)) / Math.max(1, powers.length - 1);
  const height = heights[column] ?? 0;
  const found = { rivals: [] as number[], twoPhoton: [] as number[] };
  for (const direction of [-1, 1]) {
    let [valley, summit] = [height, height];
    for (let at = column + direction; at >= 0 && at < heights.length; at += direction) {
      const here = heights[at] ?? 0;
      // The same line goes on until it has fallen far enough.
      if (here < valley) [valley, summit] = [here, here];
      const isApart = valley <= height - VALLEY * step && here >= valley + VALLEY * step;
      if (!isApart || here < height - RIVAL_STEPS * step || here <= summit) continue;
      const mayBeSecond = maySecond((map.frequencies[column] ?? 0) - (map.frequencies[at] ?? 0));
      const taken = mayBeSecond ? photons(at) : 1;
      const part = taken === 1 ? COMPARABLE_PHASE : SECOND_PHASE;
      if (taken === 2) {
        // Another line may be on its flank, so the search goes on from the same valley.
        if (Math.abs(at - (found.twoPhoton.at(-1) ?? Number.POSITIVE_INFINITY)) > 2) found.twoPhoton.push(at);
        continue;
      }
      if (phaseAboveTip(map, mask, at) > part * strength) found.rivals.push(at);
      [valley, summit] = [here, here];
    }
  }
  return found;
}

/** Whether one line shows so much of the phase of another that it is not the f12 of a thermally excited qubit. */
export function isComparable(map: PhaseMap, mask: LineMask, line: number, column: number): boolean {
  return phaseAboveTip(map, mask, line) > COMPARABLE_PHASE * phaseAboveTip(map, mask, column);
}

/** The largest phase of a line just above its tip, where it is saturated and others are not yet wide enough to reach it. */
function phaseAboveTip({ phases }: PhaseMap, { tips }: LineMask, column: number): number {
  const tip = tips[column] ?? 0;
  const above = phases.slice(tip, tip + ROWS_ABOVE_TIP);
  return Math.max(...above.map((row) => Math.abs(row[column] ?? 0)));
}

/** Rows in which the line is wider than this many columns determine its middle badly, and contain other lines. */
const WIDEST = 8;

/** Rows that show a line well: from below its tip up to where it has become too wide. */
export function lineRows(mask: LineMask, { column, tip }: { column: number; tip: number }): number[] {
  const own = mask.components[tip]?.[column] ?? 0;
  const rows = tip > 0 ? [tip - 1] : [];
  for (let row = tip; row < mask.components.length; row++) {
    if (lineWidth(mask, own, row, column) > WIDEST) break;
    rows.push(row);
  }
  return rows;
}

/** Points of a component that lie side by side in a row, at this column or next to it. */
function lineWidth(mask: LineMask, component: number, row: number, column: number): number {
  const line = mask.components[row] ?? [];
  const start = [column, column - 1, column + 1].find((each) => line[each] === component);
  if (start === undefined) return 0;
  let [from, to] = [start, start];
  while (line[from - 1] === component) from -= 1;
  while (line[to + 1] === component) to += 1;
  return to - from + 1;
}

/** How many thresholds the line's phase exceeds, summed with the lever of its distance from the top. */
function qualityOf(map: PhaseMap, mask: LineMask, component: number, rules: MapRules): number {
  const { powers, phases } = map;
  const spacing = ((powers.at(-1) ?? 0) - (powers[0] ?? 0)) / Math.max(1, powers.length - 1);
  let sum = 0;
  for (const [row, line] of mask.components.entries()) {
    const lever = rules.topPower - (powers[row] ?? 0);
    for (const [column, each] of line.entries()) {
      if (each === component) sum += Math.abs(phases[row]?.[column] ?? 0) * lever * spacing;
    }
  }
  return QUALITY_THRESHOLDS.filter((threshold) => sum > threshold).length;
}

/** The tallest summit of the heights within a range of frequencies: higher than what lies on either side. */
export function findSecondLine(
  map: PhaseMap,
  mask: LineMask,
  range: { from: number; to: number; leastHeight: number },
): Line | undefined {
  const { heights, tips } = mask;
  let best: Line | undefined;
  for (let from = 1; from < heights.length - 1; from++) {
    const height = heights[from] ?? 0;
    if (height <= (heights[from - 1] ?? 0)) continue;
    let to = from;
    while (heights[to + 1] === height) to += 1;
    if ((heights[to + 1] ?? 0) > height) continue;
    const column = Math.round((from + to) / 2);
    const frequency = map.frequencies[column] ?? 0;
    if (frequency < range.from || frequency > range.to || height < range.leastHeight) continue;
    if (height > (best?.height ?? 0)) best = { column, height, tip: tips[column] ?? 0 };
  }
  return best;
}
