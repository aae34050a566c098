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
import { weightedSquares } from './least-squares.ts';
import { fastestOscillation } from './sampling.ts';

/** Fringes that explain at least this fraction of the best one's variance are also fitted. */
const NEARLY_AS_GOOD = 0.7;
/** Limit on the candidates of each decay that are fitted. */
const MAX_RIVALS = 8;
/**
 * Significance, in deviations, with which one fringe must describe the data better than another. The wrong one almost
 * never does.
 */
const DISTINGUISHED = 4.5;

/** Limits of the search for other fringes. */
export interface RivalSearch {
  /** Deviations of the points, up to a common factor. */
  sigma?: readonly number[] | undefined;
  /** The expected frequency, and the maximum distance of the true one from it. */
  expected: number;
  reach: number;
  /** The estimated decay rate; by default that of the fit. */
  decay?: Estimate;
}

/** Other fringes that the data allow: their frequency and rate of decay. */
export interface RivalFringe {
  frequency: number;
  rate: number;
}

/** A search for fringes near a frequency, with a given decay. */
interface Candidate {
  frequency: number;
  rate: number;
  explained: number;
  factor(time: number): number;
  envelope: Envelope;
  q: readonly number[];
}

/**
 * Fringes that describe the points about as well as the fitted ones, but whose frequency or decay differs by more than
 * the errors of the fit allow; null if the data exclude all others. With equal steps, a precession is identical to its
 * aliases, and a few closer points exclude only aliases whose phase there differs by more than the noise. If the steps
 * are whole turns, slow fringes also look like fast ones that decay before the second point, plus an offset. The search
 * covers all frequencies that the closest points resolve, and beyond them all within `reach` of the expected frequency.
 * Frequencies further from the expectation than `reach` and than the fitted frequency are ignored.
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
  // Frequencies closer than this are one line, broadened by its decay.
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
    if (!rival.ok || (weightedSquares(rival) - found) / noise >= DISTINGUISHED ** 2) continue;
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

/** Whether an equally good value differs from an estimate by more than the estimate's error allows. */
function isBeyond(value: number, { value: estimate, error }: Estimate): boolean {
  return Math.abs(value - estimate) > DISTINGUISHED * error;
}

/** Peaks of the variance that fringes explain over frequency, the best ones for each of the given decays. */
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
