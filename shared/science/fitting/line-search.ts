import { findPeaks } from './peaks.ts';
import { upperMedian } from './statistics.ts';

/** Signals of one tone, over the frequency of another. */
export interface ToneSignal {
  x: readonly number[];
  re: readonly number[];
  im: readonly number[];
}

/** A line that stands out of the noise. */
export interface SeenLine {
  /** Index of the point. */
  index: number;
  frequency: number;
  /** Shift of the signal at this point, in deviations of the noise. */
  height: number;
  /** Half width at half height, and the distance of points, which is its error. In the unit of the frequency. */
  width: number;
  spacing: number;
}

/**
 * Minimum height of a line in standard deviations. Noise alone reaches it once in a few hundred sweeps of this number
 * of points.
 */
const CERTAIN = 5;
/** Minimum height of a peak above the valley to a neighbouring peak. A lower peak may be noise on the other one. */
const PROMINENT = CERTAIN * Math.SQRT2;
/** A line with at least this fraction of the strongest one's height may be f01. */
const COMPARABLE = 1 / 3;
/** Range of the distance of f02/2 and f12 below f01 of a transmon, GHz. */
export const SECOND_DISTANCE = { from: 0.07, to: 0.45 };
/** Minimum factor by which a drive that shows the two-photon line widens the one-photon line. */
const WIDER = 1.5;

/**
 * The lines of a sweep, and the standard deviation of a quadrature. Lines are found by the distance of the signal from
 * its median in the plane, which is proportional to the excitation.
 */
export function seenLines({ x, re, im }: ToneSignal): { lines: SeenLine[]; noise: number } {
  const [usualRe, usualIm] = [upperMedian(re), upperMedian(im)];
  const distances = x.map((_, index) => Math.hypot((re[index] ?? 0) - usualRe, (im[index] ?? 0) - usualIm));
  // The median distance of normal deviations in a plane.
  const noise = upperMedian(distances) / Math.sqrt(2 * Math.log(2));
  if (!(noise > 0)) return { lines: [], noise: 0 };
  const sizes = distances.map((distance) => distance / noise);
  // Infinitely low ends, so that a line at the end of the sweep counts as a peak.
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

/** Distance from this point to the next one, or from the last point to the previous one. */
function spacingAt(x: readonly number[], index: number): number {
  const at = x[index] ?? 0;
  return Math.abs((x[index + 1] ?? x[index - 1] ?? at) - at);
}

/** The comparable lines of a sweep, if several may be the searched one. */
export function rivalLines(sweep: ToneSignal): SeenLine[] {
  const { lines } = seenLines(sweep);
  const highest = Math.max(0, ...lines.map(({ height }) => height));
  const rivals = lines.filter(({ height }) => height >= COMPARABLE * highest);
  return rivals.length > 1 ? rivals : [];
}

/** The line of f01 among several, and the line that was seen beside it. */
export interface ChosenLine {
  line: SeenLine;
  others: SeenLine[];
}

/**
 * Chooses the line of f01. It is the strongest line if no other reaches a third of its height. Of two comparable lines,
 * it is the upper one if the lower one may be f02/2 or f12: 70 to 450 MHz below, and narrower, because the drive that
 * shows it saturates and widens the line of f01. All other cases are undecided.
 * @returns all comparable lines if the case is undecided
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

/** The frequencies of lines, as text for a message. */
export function linesText(lines: readonly Pick<SeenLine, 'frequency'>[]): string {
  const texts = [...lines]
    .sort((a, b) => a.frequency - b.frequency)
    .map(({ frequency }) => `${frequency.toFixed(3)} GHz`);
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;
}
