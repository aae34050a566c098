import type { Estimate } from '../../science/fitting/estimate.ts';
import {
  type Envelope,
  type FringePoint,
  type FringesFit,
  fitFringePoints,
  fringesStart,
} from '../../science/fitting/fringes.ts';
import { averageEstimates } from '../../science/fitting/model-average.ts';
import type { JudgedFit } from '../common/analysis/judged-fit.ts';
import {
  averageMemory,
  fitKeepingMemory,
  fitWithoutMemory,
  type PointsWithMemory,
} from '../common/analysis/points-with-memory.ts';

export interface FringeNoise {
  /** Standard deviation of a point across the axis of the signal. */
  across: number;
  /** Standard deviations of points with the given fitted values; undefined if the noise is unknown. */
  deviations(found: FringesFit): number[] | undefined;
}

/** Fringes with their envelope, and the time after which 1/e of their amplitude remains. */
export interface FringeDecay extends JudgedFit<FringesFit> {
  time: Estimate;
  /** The fraction of the previous point that each point retains; null if there is no evidence of one. */
  memory: Estimate | null;
}

type PlainDecay = Omit<FringeDecay, 'memory'>;

/** Minimum advantage in Akaike's criterion for choosing a model alone. */
const EVIDENCE = 10;

/**
 * Fits fringes with an exponential decay, and with a partly Gaussian decay by slow noise. If the data do not decide
 * between them, the time is their mean with Akaike's weights, and its error covers their difference (K. P. Burnham and
 * D. R. Anderson, Model Selection and Multimodel Inference, 2002). If the exponential does not describe the data, two
 * frequencies are tried, because charge parity makes the fringes of a transmon beat. Points that seem to retain a
 * fraction of the previous one are fitted with a memory.
 */
export function fitFringeDecay(points: readonly FringePoint[], noise: FringeNoise): FringeDecay {
  const start = fringesStart(points);
  const decayBy = (fitAll: typeof fitKeepingMemory) =>
    likeliestDecay(points, (envelope, known = start) =>
      fitAll(judgedFringes(points, noise, { envelope, known })),
    );
  const [plain, keeping] = [decayBy(fitWithoutMemory), decayBy(fitKeepingMemory)];
  const judged = averageMemory<FringesFit, PlainDecay>(plain, keeping);
  return { ...judged, time: averageEstimates(plain.time, keeping.time, judged.weight) };
}

function judgedFringes(
  points: readonly FringePoint[],
  noise: FringeNoise,
  { envelope, known }: { envelope: FringesFit['envelope']; known: readonly number[] | undefined },
): PointsWithMemory<FringesFit> {
  return {
    y: points.map(({ value }) => value),
    across: noise.across,
    isFirst: (index) => points[index]?.axis !== points[index - 1]?.axis,
    fitTo: (indices, sigma, before) =>
      fitFringePoints(
        indices.flatMap((index, place) => {
          const point = points[index];
          if (point === undefined) return [];
          return before === undefined ? [point] : [{ ...point, before: before[place] ?? 0 }];
        }),
        sigma,
        { envelope, known },
      ),
    deviations: noise.deviations,
  };
}

/**
 * The decay whose envelope describes the points.
 * @param fitWith fits a decay with an envelope, starting from the parameters of an exponential decay if they are known
 */
function likeliestDecay(
  points: readonly FringePoint[],
  fitWith: (envelope: FringesFit['envelope'], known?: readonly number[]) => JudgedFit<FringesFit>,
): PlainDecay {
  const exponential = fitWith('exponential');
  const { fit } = exponential.found;
  if (!fit.ok) return { ...exponential, time: { value: Number.NaN, error: Number.NaN } };
  const alone = { ...exponential, time: timeOf(exponential.found) };
  if (exponential.judgement === null) return alone;
  const gaussian = fitWith('gaussian', fit.parameters);
  const isGaussian = gaussian.found.fit.ok && (gaussian.found.fit.parameters[6] ?? 0) > 0;
  const mixed = isGaussian ? combined(alone, { ...gaussian, time: timeOf(gaussian.found) }) : alone;
  const isPlain = criterion(exponential) < criterion(gaussian) + EVIDENCE;
  if (isPlain && mixed.judgement?.problem === null) return mixed;
  const beating = fitWith('beating', fit.parameters);
  const isBetter = criterion(beating) + EVIDENCE < criterion(mixed);
  return isBetter && areFringes(points, beating.found) ? { ...beating, time: timeOf(beating.found) } : mixed;
}

/**
 * Whether both beating frequencies differ from zero. A component of zero frequency is a decaying offset, which does not
 * come from a qubit.
 */
function areFringes(points: readonly FringePoint[], { fit }: FringesFit): boolean {
  if (!fit.ok) return false;
  const [, centre = 0, , , , , beat = 0] = fit.parameters;
  const times = points.map(({ time }) => time);
  const slowest = 1 / (Math.max(...times) - Math.min(...times));
  return [-beat / 2, beat / 2].every((offset) => Math.abs(centre + offset) > slowest);
}

/** Akaike's criterion of a fit with known noise. */
function criterion({ judgement, found }: JudgedFit<FringesFit>): number {
  if (judgement === null || !found.fit.ok) return Number.POSITIVE_INFINITY;
  const parameters = found.fit.parameters.length;
  return judgement.chiSquare * (judgement.points - parameters) + 2 * parameters;
}

function combined(first: PlainDecay, second: PlainDecay): PlainDecay {
  const difference = criterion(second) - criterion(first);
  if (!(Math.abs(difference) < EVIDENCE)) return difference < 0 ? second : first;
  const share = 1 / (1 + Math.exp(difference / 2));
  return { ...(share > 0.5 ? second : first), time: averageEstimates(first.time, second.time, share) };
}

/** The time at which r t + q t² = 1; for two frequencies, the time of their common decay. */
export function decayTime(
  [, , , , , rate = Number.NaN, ownQ = 0]: readonly number[],
  envelope: Envelope,
): number {
  const q = envelope === 'gaussian' ? ownQ : 0;
  // This form of the root stays exact as q approaches zero.
  return 2 / (rate + Math.sqrt(rate ** 2 + 4 * q));
}

function timeOf({ fit, envelope }: FringesFit): Estimate {
  if (!fit.ok) return { value: Number.NaN, error: Number.NaN };
  const { parameters, covariance } = fit;
  const time = decayTime(parameters, envelope);
  const [rate = Number.NaN, q = 0] = [parameters[5], envelope === 'gaussian' ? parameters[6] : 0];
  const slope = rate + 2 * q * time;
  const [byRate, byQ] = [-time / slope, envelope === 'gaussian' ? -(time ** 2) / slope : 0];
  const between = (a: number, b: number) => covariance[a]?.[b] ?? 0;
  const variance = byRate ** 2 * between(5, 5) + byQ ** 2 * between(6, 6) + 2 * byRate * byQ * between(5, 6);
  return { value: time, error: Math.sqrt(variance) };
}
