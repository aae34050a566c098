import type { ComplexMap } from '../datasets/complex-map.ts';
import { linesText, SECOND_DISTANCE } from './line-search.ts';
import { mean, standardDeviation, upperMedian } from './statistics.ts';

/**
 * Phase of the readout relative to its usual value, over drive power (rows, rising) and frequency; null if not
 * measured.
 */
export interface PhaseMap {
  frequencies: number[];
  powers: number[];
  phases: (number | null)[][];
}

export interface MapRules {
  /** Limits, in standard deviations of the whole map, beyond which a phase belongs to a line. */
  plus: number;
  minus: number;
  /** Power from which heights are measured downwards, dB. */
  topPower: number;
  leastHeight: number;
}

/** A line of the map. It extends from the highest power down to the lowest power at which it is visible. */
export interface Line {
  column: number;
  /** Row of its lowest point. */
  tip: number;
  /** dB below the top power. */
  height: number;
}

export interface QubitLine extends Line {
  /** Columns of comparable lines that are the qubit's two-photon line. */
  twoPhoton: number[];
  /** Lowest row in which the line is at least two points wide. */
  representative: number;
  /** 0 to 5. */
  quality: number;
}

const QUALITY_THRESHOLDS = [0.1, 1750, 3600, 5000, 15_000];
const REPRESENTATIVE_WIDTH = 2;
/**
 * Maximum difference in height of two lines of equal strength, and minimum depth of the valley between them, in power
 * steps.
 */
const RIVAL_STEPS = 2.01;
const VALLEY = 2.99;
/**
 * A line whose phase exceeds this fraction of the strongest line's phase may be another qubit's f01. The f12 of a qubit
 * is that strong only if more than a fifth of its population is excited. At a frequency where f02/2 or f12 is possible,
 * and if the growth of the line decides nothing, the higher fraction applies.
 */
const COMPARABLE_PHASE = 1 / 3;
const SECOND_PHASE = 0.75;
const ROWS_ABOVE_TIP = 4;

/** Variance of the noise of a quadrature, from differences of neighbouring frequencies. Lines affect few of these. */
export function varianceOfMap({ re, im }: Pick<ComplexMap, 're' | 'im'>): number {
  const squares = re.flatMap((row, r) =>
    row
      .slice(1)
      .map((value, c) => (value - (row[c] ?? 0)) ** 2 + ((im[r]?.[c + 1] ?? 0) - (im[r]?.[c] ?? 0)) ** 2),
  );
  // A difference has twice the variance, and the median squared distance in a plane is 2 ln 2 times that.
  return upperMedian(squares.filter(Number.isFinite)) / (4 * Math.LN2);
}

/** The reason why the phase of a signal cannot show a line; null if it can. */
export function phaseProblem({ re, im }: Pick<ComplexMap, 're' | 'im'>): string | null {
  const isMissing = (rows: readonly number[][]) => rows.flat().every((value) => !(Math.abs(value) > 0));
  return isMissing(re) || isMissing(im)
    ? 'the line is seen in the phase of the readout, which takes both quadratures: one of them is zero everywhere'
    : null;
}

/** Phases relative to the median signal, less their median. */
export function phaseMap({ x, y, re, im }: ComplexMap): PhaseMap {
  const known = (rows: readonly number[][]) => rows.flat().filter(Number.isFinite);
  const usual = Math.atan2(upperMedian(known(im)), upperMedian(known(re)));
  const raw = re.map((row, r) =>
    row.map((value, c) => {
      const angle = Math.atan2(im[r]?.[c] ?? Number.NaN, value) - usual;
      return Math.atan2(Math.sin(angle), Math.cos(angle));
    }),
  );
  const middle = upperMedian(known(raw));
  const phases = raw.map((row) => row.map((phase) => (Number.isNaN(phase) ? null : phase - middle)));
  return { frequencies: x, powers: y, phases };
}

/**
 * Limit at which phases are clipped for the statistics of the map. A strongly shifted resonator turns the phase by up
 * to half a turn at high drive power. A few such points would increase the map's deviation so much that the qubit's
 * line would no longer be significant.
 */
const LARGEST_PHASE = 0.5;

function clipped(phase: number): number {
  return Math.min(LARGEST_PHASE, Math.max(-LARGEST_PHASE, phase));
}

/** The points that belong to lines: significant points that are connected with the highest power. */
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

/** Number of photons of the line in a column; undefined if unknown. */
type PhotonsAt = (line: { column: number; tip: number }) => 1 | 2 | undefined;

/**
 * The line of the qubit: the tallest one; among equally tall columns, the one with the largest phase. A two-photon line
 * is excluded, but confirms the line above it. Returns a reason instead if there is no line, or if it is ambiguous:
 * another line of comparable phase has the same height within two power steps.
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
      ? 'no line of the map exceeds the noise'
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

/** The column of f01 among comparable lines, or the reason why it is ambiguous. */
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
    return `lines at ${linesText(lines)} are visible down to about the same power, and it is unknown which is the qubit's: sweep the neighbourhood of one of them`;
  }
  if (photons(column) === 2) {
    return `the line at ${frequency(column).toFixed(3)} GHz grows with the square of the drive's amplitude, like a two-photon line: f01 is above it and not visible`;
  }
  return { column, twoPhoton: [...twoPhoton, ...lower] };
}

/** Whether f02/2 or f12 can be this far below f01, GHz. */
function maySecond(below: number): boolean {
  return below >= SECOND_DISTANCE.from && below <= SECOND_DISTANCE.to;
}

/**
 * Columns of other lines with the same height within two power steps, separated by a valley. Two-photon lines at a
 * possible frequency of f02/2 are not rivals.
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
      // Until the height has fallen far enough, the column belongs to the same line.
      if (here < valley) [valley, summit] = [here, here];
      const isApart = valley <= height - VALLEY * step && here >= valley + VALLEY * step;
      if (!isApart || here < height - RIVAL_STEPS * step || here <= summit) continue;
      const mayBeSecond = maySecond((map.frequencies[column] ?? 0) - (map.frequencies[at] ?? 0));
      const taken = mayBeSecond ? photons(at) : 1;
      const part = taken === 1 ? COMPARABLE_PHASE : SECOND_PHASE;
      if (taken === 2) {
        // Another line may be on its flank, so the search continues from the same valley.
        if (Math.abs(at - (found.twoPhoton.at(-1) ?? Number.POSITIVE_INFINITY)) > 2) found.twoPhoton.push(at);
        continue;
      }
      if (phaseAboveTip(map, mask, at) > part * strength) found.rivals.push(at);
      [valley, summit] = [here, here];
    }
  }
  return found;
}

/** Whether the phase of one line is too large, compared with another, for the f12 of a thermally excited qubit. */
export function isComparable(map: PhaseMap, mask: LineMask, line: number, column: number): boolean {
  return phaseAboveTip(map, mask, line) > COMPARABLE_PHASE * phaseAboveTip(map, mask, column);
}

/**
 * The largest phase of a line just above its tip, where it is saturated and other lines are too narrow to overlap it.
 */
function phaseAboveTip({ phases }: PhaseMap, { tips }: LineMask, column: number): number {
  const tip = tips[column] ?? 0;
  const above = phases.slice(tip, tip + ROWS_ABOVE_TIP);
  return Math.max(...above.map((row) => Math.abs(row[column] ?? 0)));
}

/** Maximum width of a line in columns. Wider rows determine its middle poorly, and contain other lines. */
const WIDEST = 8;

/** Rows that show a line well: from the row below its tip to the row where it becomes too wide. */
export function lineRows(mask: LineMask, { column, tip }: { column: number; tip: number }): number[] {
  const own = mask.components[tip]?.[column] ?? 0;
  const rows = tip > 0 ? [tip - 1] : [];
  for (let row = tip; row < mask.components.length; row++) {
    if (lineWidth(mask, own, row, column) > WIDEST) break;
    rows.push(row);
  }
  return rows;
}

/** Number of adjacent points of a component in a row, at this column or next to it. */
function lineWidth(mask: LineMask, component: number, row: number, column: number): number {
  const line = mask.components[row] ?? [];
  const start = [column, column - 1, column + 1].find((each) => line[each] === component);
  if (start === undefined) return 0;
  let [from, to] = [start, start];
  while (line[from - 1] === component) from -= 1;
  while (line[to + 1] === component) to += 1;
  return to - from + 1;
}

/**
 * Number of thresholds that a sum over the line exceeds: its phases, each weighted by the distance from the top power.
 */
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

/** The tallest local maximum of the heights within a range of frequencies. */
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
