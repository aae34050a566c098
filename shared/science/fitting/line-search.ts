import { findPeaks } from './peaks.ts';

/** Signals of one tone, over the frequency of another. */
export interface ToneSignal {
  x: readonly number[];
  re: readonly number[];
  im: readonly number[];
}

/** A line that stands out of the noise. */
export interface SeenLine {
  /** Place among the points. */
  index: number;
  frequency: number;
  /** How far the signal moves there, in deviations of the noise. */
  height: number;
  /** Half of its width at half of its height, and the distance of points, by which that is known. In the unit of the frequency. */
  width: number;
  spacing: number;
}

/** Among this many points, noise alone reaches this many standard deviations once in some hundred sweeps. */
const CERTAIN = 5;
/** A peak beside another one must rise over the valley between both by this, or it may be the noise of one. */
const PROMINENT = CERTAIN * Math.SQRT2;
/** A line with at least this fraction of the strongest one's height may be the wanted one. */
const COMPARABLE = 1 / 3;
/** How far below f01 of a transmon f02/2 and f12 lie, GHz. */
export const SECOND_DISTANCE = { from: 0.07, to: 0.45 };
/** The drive that shows the line of two photons widens the line of one photon at least by this. */
const WIDER = 1.5;

/** The lines of a sweep, and the deviation of a quadrature, by how far the signal moves from its usual place in the plane: excitation moves it in proportion. */
export function seenLines({ x, re, im }: ToneSignal): { lines: SeenLine[]; noise: number } {
  const [usualRe, usualIm] = [median(re), median(im)];
  const distances = x.map((_, index) => Math.hypot((re[index] ?? 0) - usualRe, (im[index] ?? 0) - usualIm));
  // The median of distances of normal deviations in the plane.
  const noise = median(distances) / Math.sqrt(2 * Math.log(2));
  if (!(noise > 0)) return { lines: [], noise: 0 };
  const sizes = distances.map((distance) => distance / noise);
  // Ends as low as can be, so that a line at the end of the sweep counts as one.
  const lines = findPeaks([0, ...sizes, 0], { distance: 2, prominence: PROMINENT }).map((peak) => {
    const index = peak.index - 1;
    return {
      index,
      frequency: x[index] ?? 0,
      height: peak.height,
      width: halfWidth(x, sizes, index),
      spacing: spacingAt(x, index),
    };
  });
  return { lines, noise };
}

function halfWidth(x: readonly number[], sizes: readonly number[], index: number): number {
  const half = (sizes[index] ?? 0) / 2;
  let [from, to] = [index, index];
  while (from > 0 && (sizes[from - 1] ?? 0) > half) from -= 1;
  while (to < sizes.length - 1 && (sizes[to + 1] ?? 0) > half) to += 1;
  return Math.abs((x[to] ?? 0) - (x[from] ?? 0)) / 2;
}

/** Distance between this point and the next one, or for the last point the one before. */
function spacingAt(x: readonly number[], index: number): number {
  const at = x[index] ?? 0;
  return Math.abs((x[index + 1] ?? x[index - 1] ?? at) - at);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** The lines of a sweep of which each may be the one that is searched for, where there are several. */
export function rivalLines(sweep: ToneSignal): SeenLine[] {
  const { lines } = seenLines(sweep);
  const highest = Math.max(0, ...lines.map(({ height }) => height));
  const rivals = lines.filter(({ height }) => height >= COMPARABLE * highest);
  return rivals.length > 1 ? rivals : [];
}

/** The line of f01 among several, and what was seen beside it. */
export interface ChosenLine {
  line: SeenLine;
  others: SeenLine[];
}

/**
 * Which line is that of f01. The strongest is, where no other reaches a third of it. Of two that are comparable the upper
 * one is, where the lower one may be f02/2 or f12: 70 to 450 MHz below, and narrower, since the drive that shows it saturates
 * and widens the line of f01. Anything else is left open.
 * @returns all comparable lines where nothing decides between them
 */
export function lineOfFirstTransition(lines: readonly SeenLine[]): ChosenLine | { undecided: SeenLine[] } {
  const strongest = lines.reduce<SeenLine | undefined>(
    (best, line) => (best === undefined || line.height > best.height ? line : best),
    undefined,
  );
  if (strongest === undefined) return { undecided: [] };
  const comparable = lines
    .filter(({ height }) => height >= COMPARABLE * strongest.height)
    .sort((a, b) => b.frequency - a.frequency);
  const [upper = strongest, ...lower] = comparable;
  const isFirst = lower.every(({ frequency, width, spacing }) => {
    const distance = upper.frequency - frequency;
    return (
      distance >= SECOND_DISTANCE.from &&
      distance <= SECOND_DISTANCE.to &&
      upper.width > WIDER * width + spacing
    );
  });
  if (!isFirst) return { undecided: comparable };
  return { line: upper, others: lines.filter((line) => line !== upper) };
}

/** Lines by their frequencies, as a message names them. */
export function linesText(lines: readonly Pick<SeenLine, 'frequency'>[]): string {
  const texts = [...lines]
    .sort((a, b) => a.frequency - b.frequency)
    .map(({ frequency }) => `${frequency.toFixed(3)} GHz`);
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;
}
