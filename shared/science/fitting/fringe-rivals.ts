import type { Estimate } from './estimate.ts';
import {
  type Envelope,
  envelopeAt,
  type FringePoint,
  type FringesFit,
  fitFrom,
  meansOf,
  START_RATES,
  STARTS_PER_TURN,
  scanFrequencies,
  startAt,
} from './fringes.ts';
import type { Fit } from './least-squares.ts';
import { fastestOscillation } from './sampling.ts';

/** Fringes that explain at least this fraction of the best one's variance are fitted too. */
const NEARLY_AS_GOOD = 0.7;
/** Limit on the candidates of each decay that are fitted. */
const MAX_RIVALS = 8;
/** Deviations by which the better of two fringes must describe the data better. The wrong one hardly ever does so. */
const TOLD_APART = 4.5;

/** What limits the search for other fringes. */
export interface RivalSearch {
  /** Deviations of the points, up to a common factor. */
  sigma?: readonly number[] | undefined;
  /** The frequency that was expected, and how far from it the true one may lie. */
  expected: number;
  reach: number;
  /** The rate of decay that is claimed; by default that of the fit. */
  decay?: Estimate;
}

/** Other fringes that the data allow: their frequency and rate of decay. */
export interface RivalFringe {
  frequency: number;
  rate: number;
}

/** Fringes that are searched for near a frequency, with a given decay. */
interface Candidate {
  frequency: number;
  rate: number;
  explained: number;
  factor(time: number): number;
  envelope: Envelope;
  q: readonly number[];
}

/**
 * Fringes that describe the points about as well as those that were fitted, but have another frequency, or another decay
 * than the errors of the fit allow; null if the data distinguish them. A sweep of equal steps shows a precession and its
 * aliases alike, and a few closer points exclude only those that turn them by more than their noise. Where the steps
 * take whole turns, slow fringes also look like fast ones that are over before the second point, beside an offset.
 * The search covers all frequencies that the closest points can show, and beyond them all within `reach` of the expected one.
 * Frequencies further from the expectation than that, and than the fitted one, are ignored.
 */
export function rivalFringe(
  points: readonly FringePoint[],
  { fit, envelope }: FringesFit,
  search: RivalSearch,
): RivalFringe | null {
  if (!fit.ok) return null;
  const times = points.map(({ time }) => time);
  const span = Math.max(...times) - Math.min(...times);
  const [, frequency = 0, , , , rate = 0, q = 0] = fit.parameters;
  const decay = search.decay ?? { value: rate, error: fit.errors[5] ?? Number.NaN };
  const alike: Omit<Candidate, 'frequency' | 'explained'> = {
    rate: Math.max(0, rate),
    factor: (time) => envelopeAt(envelope, q, time).value,
    envelope,
    q: envelope === 'exponential' ? [] : [q],
  };
  const others = START_RATES.map((perSpan) => ({
    rate: perSpan / span,
    factor: () => 1,
    envelope: 'exponential' as const,
    q: [],
  }));
  // Two frequencies closer than this are one line, as wide as its decay.
  const oneLine = Math.max(1 / span, alike.rate / Math.PI);
  const allowed = Math.max(search.reach, Math.abs(frequency - search.expected));
  const candidates = candidatesOf(points, [alike, ...others], {
    ...search,
    allowed,
    isSame: (at, which) => which === 0 && Math.abs(at - frequency) <= oneLine,
  });
  const means = meansOf(points);
  const found = weightedSquares(fit);
  const noise = Math.max(found / Math.max(1, points.length - fit.parameters.length), Number.MIN_VALUE);
  for (const candidate of candidates) {
    const start = startAt(points, means, candidate);
    if (start === undefined) continue;
    const known = [...start.values, ...candidate.q];
    const rival = fitFrom(points, known, { sigma: search.sigma, envelope: candidate.envelope });
    if (!rival.ok || (weightedSquares(rival) - found) / noise >= TOLD_APART ** 2) continue;
    const [, at = 0, , , , itsRate = 0] = rival.parameters;
    if (Math.abs(at - search.expected) > allowed + oneLine) continue;
    const isOther =
      candidate.rate === alike.rate
        ? Math.abs(at - frequency) >= oneLine
        : isBeyond(at, { value: frequency, error: fit.errors[1] ?? 0 }) ||
          isBeyond(itsRate, decay) ||
          isBeyond(1 / Math.max(0, itsRate), {
            value: 1 / decay.value,
            error: decay.error / decay.value ** 2,
          });
    if (isOther) return { frequency: at, rate: itsRate };
  }
  return null;
}

/** Whether an equally good value is further from an estimate than the estimate's error allows. */
function isBeyond(value: number, { value: estimate, error }: Estimate): boolean {
  return Math.abs(value - estimate) > TOLD_APART * error;
}

/** Peaks of what fringes of the given decays explain, of each decay the best. */
function candidatesOf(
  points: readonly FringePoint[],
  decays: readonly Omit<Candidate, 'frequency' | 'explained'>[],
  {
    expected,
    reach,
    allowed,
    isSame,
  }: RivalSearch & { allowed: number; isSame(frequency: number, which: number): boolean },
): Candidate[] {
  const times = points.map(({ time }) => time);
  const span = Math.max(...times) - Math.min(...times);
  const step = 1 / (STARTS_PER_TURN * span);
  const highest = Math.max(fastestOscillation(times), Math.abs(expected) + reach);
  const sizes = decays.map(
    ({ rate, factor }) =>
      (time: number) =>
        Math.exp(-rate * time) * factor(time),
  );
  const explainedAt = decays.map(() => new Map<number, number>());
  const means = meansOf(points);
  scanFrequencies(
    points,
    means,
    { step, most: Math.floor(highest / step), sizes },
    (explained, at, which) => {
      explainedAt[which]?.set(Math.round(at / step), explained);
    },
  );
  let best = 0;
  for (const ofDecay of explainedAt)
    for (const explained of ofDecay.values()) best = Math.max(best, explained);
  return decays.flatMap((decay, which) => {
    const ofDecay = explainedAt[which] ?? new Map<number, number>();
    return [...ofDecay]
      .filter(([index, explained]) => {
        const isPeak =
          explained >= (ofDecay.get(index - 1) ?? 0) && explained >= (ofDecay.get(index + 1) ?? 0);
        return (
          isPeak &&
          explained > NEARLY_AS_GOOD * best &&
          !isSame(index * step, which) &&
          Math.abs(index * step - expected) <= allowed + step
        );
      })
      .sort(([, a], [, b]) => b - a)
      .slice(0, MAX_RIVALS)
      .map(([index, explained]) => ({ ...decay, frequency: index * step, explained }));
  });
}

function weightedSquares(fit: Extract<Fit, { ok: true }>): number {
  return fit.whitened.residuals.reduce((sum, value) => sum + value ** 2, 0);
}
