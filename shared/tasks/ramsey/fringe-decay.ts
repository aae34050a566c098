import type { Estimate } from '../../science/fitting/estimate.ts';
import {
  type FringePoint,
  type FringesFit,
  fitFringePoints,
  fringesStart,
} from '../../science/fitting/fringes.ts';
import { fitJudged, type JudgedFit } from '../common/analysis/judged-fit.ts';
import { memoryOf } from '../common/analysis/remembered-points.ts';

export interface FringeNoise {
  /** Deviation of a point across the axis of the signal. */
  across: number;
  /** Deviations of points whose fitted values are given; undefined where the noise is not known. */
  deviations(found: FringesFit): number[] | undefined;
}

/** Fringes with the envelope that describes them, and the time after which a part of 1/e of them is left. */
export interface FringeDecay extends JudgedFit<FringesFit> {
  time: Estimate;
  /** The part of the point before that each point keeps; null if nothing indicates one. */
  memory: Estimate | null;
}

type PlainDecay = Omit<FringeDecay, 'memory'>;

/** A model must be better by so much in Akaike's criterion to be taken alone. */
const EVIDENCE = 10;

/**
 * Fits fringes with an exponential decay and with one that slow noise makes partly Gaussian. Where the data do not
 * decide between both, the time is their mean with Akaike's weights, and its error covers how far they lie
 * apart (K. P. Burnham and D. R. Anderson, Model Selection and Multimodel Inference, 2002). Where the exponential does
 * not describe the data, two frequencies may: charge parity makes a transmon's beat. Points that seem to keep a part of
 * the ones before are fitted with that.
 */
export function fitFringeDecay(points: readonly FringePoint[], noise: FringeNoise): FringeDecay {
  const plain = fitPlainDecay(points, noise);
  const { fit, envelope } = plain.found;
  if (!fit.ok) return { ...plain, memory: null };
  // What the first point of an axis may have kept is not known.
  const later = points.flatMap((point, index) => {
    const before = points[index - 1];
    return before === undefined || before.axis !== point.axis ? [] : [index];
  });
  const remembering = judgedFringes(
    later.flatMap((index) => {
      const [point, before] = [points[index], points[index - 1]];
      return point === undefined || before === undefined ? [] : [{ ...point, before: before.value }];
    }),
    noise,
    { envelope, start: fit.parameters },
  );
  const placed = { ...remembering, kept: remembering.kept.flatMap((place) => later[place] ?? []) };
  const memory = memoryOf(placed, plain);
  return memory === null ? { ...plain, memory } : { ...placed, time: decayTime(placed.found), memory };
}

function judgedFringes(
  points: readonly FringePoint[],
  noise: FringeNoise,
  { envelope, start }: { envelope: FringesFit['envelope']; start: readonly number[] | undefined },
): JudgedFit<FringesFit> {
  return fitJudged<FringesFit>({
    y: points.map(({ value }) => value),
    across: noise.across,
    fitTo: (indices, sigma) =>
      fitFringePoints(
        indices.flatMap((index) => points[index] ?? []),
        sigma,
        { envelope, known: start },
      ),
    deviations: noise.deviations,
  });
}

/** The same of points that keep nothing of the ones before. */
function fitPlainDecay(points: readonly FringePoint[], noise: FringeNoise): PlainDecay {
  const fitWith = (envelope: FringesFit['envelope'], start?: readonly number[]) =>
    judgedFringes(points, noise, { envelope, start });
  const exponential = fitWith('exponential', fringesStart(points));
  const { fit } = exponential.found;
  if (!fit.ok) return { ...exponential, time: { value: Number.NaN, error: Number.NaN } };
  const alone = { ...exponential, time: decayTime(exponential.found) };
  if (exponential.judgement === null) return alone;
  const gaussian = fitWith('gaussian', fit.parameters);
  const isGaussian = gaussian.found.fit.ok && (gaussian.found.fit.parameters[6] ?? 0) > 0;
  const mixed = isGaussian ? combined(alone, { ...gaussian, time: decayTime(gaussian.found) }) : alone;
  const isPlain = criterion(exponential) < criterion(gaussian) + EVIDENCE;
  if (isPlain && mixed.judgement?.problem === null) return mixed;
  const beating = fitWith('beating', fit.parameters);
  const isBetter = criterion(beating) + EVIDENCE < criterion(mixed);
  return isBetter && areFringes(points, beating.found)
    ? { ...beating, time: decayTime(beating.found) }
    : mixed;
}

/** Whether both frequencies that beat are seen to turn: one that stands still is an offset that decays, and no qubit's. */
function areFringes(points: readonly FringePoint[], { fit }: FringesFit): boolean {
  if (!fit.ok) return false;
  const [, centre = 0, , , , , beat = 0] = fit.parameters;
  const times = points.map(({ time }) => time);
  const slowest = 1 / (Math.max(...times) - Math.min(...times));
  return [-beat / 2, beat / 2].every((offset) => Math.abs(centre + offset) > slowest);
}

/** Akaike's criterion of a fit whose noise is known. */
function criterion({ judgement, found }: JudgedFit<FringesFit>): number {
  if (judgement === null || !found.fit.ok) return Number.POSITIVE_INFINITY;
  const parameters = found.fit.parameters.length;
  return judgement.chiSquare * (judgement.points - parameters) + 2 * parameters;
}

function combined(first: PlainDecay, second: PlainDecay): PlainDecay {
  const difference = criterion(second) - criterion(first);
  if (!(Math.abs(difference) < EVIDENCE)) return difference < 0 ? second : first;
  const share = 1 / (1 + Math.exp(difference / 2));
  const value = (1 - share) * first.time.value + share * second.time.value;
  const variance = [
    { part: 1 - share, time: first.time },
    { part: share, time: second.time },
  ].reduce((sum, { part, time }) => sum + part * (time.error ** 2 + (time.value - value) ** 2), 0);
  return { ...(share > 0.5 ? second : first), time: { value, error: Math.sqrt(variance) } };
}

/** When r t + q t² = 1; of two frequencies the time of their common decay. */
function decayTime({ fit, envelope }: FringesFit): Estimate {
  if (!fit.ok) return { value: Number.NaN, error: Number.NaN };
  const { parameters, covariance } = fit;
  const [rate = Number.NaN, q = 0] = [parameters[5], envelope === 'gaussian' ? parameters[6] : 0];
  // The smaller of both forms of the root, which stays exact for a vanishing q.
  const time = 2 / (rate + Math.sqrt(rate ** 2 + 4 * q));
  const slope = rate + 2 * q * time;
  const [byRate, byQ] = [-time / slope, envelope === 'gaussian' ? -(time ** 2) / slope : 0];
  const between = (a: number, b: number) => covariance[a]?.[b] ?? 0;
  const variance = byRate ** 2 * between(5, 5) + byQ ** 2 * between(6, 6) + 2 * byRate * byQ * between(5, 6);
  return { value: time, error: Math.sqrt(variance) };
}
