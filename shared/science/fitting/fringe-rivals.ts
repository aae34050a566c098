import {
  envelopeAt,
  type FringePoint,
  type FringesFit,
  fitFrom,
  meansOf,
  STARTS_PER_TURN,
  scanFrequencies,
  startAt,
} from './fringes.ts';
import type { Fit } from './least-squares.ts';
import { fastestOscillation } from './sampling.ts';

/** Frequencies that explain this part of what the best does may describe the data as well once they are fitted. */
const NEARLY_AS_GOOD = 0.7;
/** Limit on the candidates that are fitted. */
const MOST_RIVALS = 8;

/** What limits the search for another frequency. */
export interface RivalSearch {
  /** Deviations of the points, up to a common factor. */
  sigma?: readonly number[] | undefined;
  /** The frequency that was expected, and how far from it the true one may lie. */
  expected: number;
  reach: number;
}

/**
 * A frequency that describes the points about as well as the one that was fitted; null where the data tell the two
 * apart. A sweep of equal steps shows a precession and its aliases alike, and a few points closer together tell only
 * those that turn them by more than their noise.
 * Searched are all frequencies that the closest points can show, and beyond them all within `reach` of what was expected;
 * what lies further from the expectation than that, and than the fitted one, counts for nothing.
 */
export function rivalFringe(
  points: readonly FringePoint[],
  { fit, envelope }: FringesFit,
  { sigma, expected, reach }: RivalSearch,
): number | null {
  if (!fit.ok) return null;
  const times = points.map(({ time }) => time);
  const span = Math.max(...times) - Math.min(...times);
  const [, frequency = 0, , , , rate = 0, q = 0] = fit.parameters;
  const step = 1 / (STARTS_PER_TURN * span);
  const allowed = Math.max(reach, Math.abs(frequency - expected));
  const highest = Math.max(fastestOscillation(times), Math.abs(expected) + reach);
  const size = (time: number) => Math.exp(-Math.max(0, rate) * time) * envelopeAt(envelope, q, time).value;
  const means = meansOf(points);
  const explainedAt = new Map<number, number>();
  scanFrequencies(
    points,
    means,
    { step, most: Math.floor(highest / step), sizes: [size] },
    (explained, at) => {
      explainedAt.set(Math.round(at / step), explained);
    },
  );
  const best = Math.max(...explainedAt.values());
  // Nearer than this two frequencies are one line, as wide as its decay.
  const oneLine = Math.max(1 / span, Math.max(0, rate) / Math.PI);
  const candidates = [...explainedAt]
    .filter(([index, explained]) => {
      const at = index * step;
      const isPeak =
        explained >= (explainedAt.get(index - 1) ?? 0) && explained >= (explainedAt.get(index + 1) ?? 0);
      return (
        isPeak &&
        explained > NEARLY_AS_GOOD * best &&
        Math.abs(at - frequency) > oneLine &&
        Math.abs(at - expected) <= allowed + step
      );
    })
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST_RIVALS);
  const found = weightedSquares(fit);
  const noise = Math.max(found / Math.max(1, points.length - fit.parameters.length), Number.MIN_VALUE);
  for (const [index] of candidates) {
    const start = startAt(points, means, {
      frequency: index * step,
      rate: Math.max(0, rate),
      factor: (time) => envelopeAt(envelope, q, time).value,
    });
    if (start === undefined) continue;
    const known = [...start.values, ...(envelope === 'exponential' ? [] : [q])];
    const rival = fitFrom(points, known, { sigma, envelope });
    if (!rival.ok || Math.abs((rival.parameters[1] ?? 0) - frequency) < oneLine) continue;
    if ((weightedSquares(rival) - found) / noise < TOLD_APART ** 2) return rival.parameters[1] ?? null;
  }
  return null;
}

/** Deviations by which the better of two frequencies must describe the data better: the wrong one hardly ever does. */
const TOLD_APART = 4.5;

function weightedSquares(fit: Extract<Fit, { ok: true }>): number {
  return fit.whitened.residuals.reduce((sum, value) => sum + value ** 2, 0);
}
