import type { Estimate } from '../../../science/fitting/estimate.ts';
import {
  belongsToSecond,
  type GaussianMixture,
  type PlanePoints,
} from '../../../science/fitting/gaussian-mixture.ts';
import { LARGEST_NUMBER } from '../../../science/fitting/sweep-problem.ts';

/** Of fewer shots of a state nothing can be told. */
export const FEWEST_SHOTS = 50;
/** Below this the states are hardly told apart, and what is found depends more on chance than on the qubit. */
export const LOWEST_FIDELITY = 0.6;
/** Points of each cloud that a figure shows. */
export const SHOWN_SHOTS = 500;

/** Single shots in the IQ plane, without those that were not measured. */
export function cloudOf(re: readonly (number | null)[], im: readonly (number | null)[]): PlanePoints {
  const cloud: { x: number[]; y: number[] } = { x: [], y: [] };
  for (const [shot, x] of re.entries()) {
    const y = im[shot];
    if (typeof x !== 'number' || typeof y !== 'number') continue;
    if (!(Math.abs(x) < LARGEST_NUMBER && Math.abs(y) < LARGEST_NUMBER)) continue;
    cloud.x.push(x);
    cloud.y.push(y);
  }
  return cloud;
}

/** Half the width, in deviations of a shot, of the strip around the threshold in which shots are counted. */
const STRIP = 0.5;

/** Direction from the first centre to the second, their distance, and the deviation of a shot along it. */
function axisOf({ centres: [first, second], covariance }: GaussianMixture) {
  const [dx, dy] = [second.x - first.x, second.y - first.y];
  const distance = Math.hypot(dx, dy);
  const [ux, uy] = [dx / distance, dy / distance];
  const deviation = Math.sqrt(
    covariance.xx * ux ** 2 + 2 * covariance.xy * ux * uy + covariance.yy * uy ** 2,
  );
  return { ux, uy, distance, deviation };
}

/** How many shots lie where the mixture tells both states apart, and how well it knows that place. */
export interface Threshold {
  /** Standard error of the place, in deviations of a shot. */
  error: number;
  /** Part of a cloud's shots for each deviation, at the threshold. */
  density(cloud: PlanePoints): number;
}

/**
 * The threshold lies midway between both centres; each of them is known as its own shots scatter, the worse the more the
 * clouds overlap. Whatever moves it takes shots from one state and gives them to the other.
 */
export function thresholdOf(mixture: GaussianMixture, shots: number): Threshold {
  const [first, second] = mixture.centres;
  const { ux, uy, distance, deviation } = axisOf(mixture);
  const apart = distance / deviation;
  // What of each shot's place tells to which state it belongs: tanh² of half the distance, averaged near enough.
  const told = Math.tanh((apart / 2) ** 2 / 2);
  const [middleX, middleY] = [(first.x + second.x) / 2, (first.y + second.y) / 2];
  return {
    error: Math.sqrt(1 / (Math.max(told, 0.05) * shots)),
    density({ x, y }) {
      const near = x.filter(
        (value, index) =>
          Math.abs((value - middleX) * ux + ((y[index] ?? 0) - middleY) * uy) < STRIP * deviation,
      );
      return near.length / (2 * STRIP * x.length);
    },
  };
}

/**
 * By how much parts of shots change, each with its sign, as the threshold moves by its error along the axis of the states.
 * @param partsWith the parts as a mixture tells shots apart
 * @param step how far it is moved for that, in deviations of a shot: far enough for many shots to change sides, where
 * parts are counted
 */
export function movedByThreshold(
  mixture: GaussianMixture,
  { error }: Threshold,
  partsWith: (mixture: GaussianMixture) => readonly number[],
  step = STRIP,
): number[] {
  const { ux, uy, deviation } = axisOf(mixture);
  const moved = (by: number): GaussianMixture => {
    const [first, second] = mixture.centres;
    const [x, y] = [by * deviation * ux, by * deviation * uy];
    return {
      ...mixture,
      centres: [
        { x: first.x + x, y: first.y + y },
        { x: second.x + x, y: second.y + y },
      ],
    };
  };
  const [before, after] = [partsWith(moved(-step)), partsWith(moved(step))];
  return after.map((part, index) => ((part - (before[index] ?? part)) / (2 * step)) * error);
}

/**
 * A part of shots. The error is that of a binomial with one more success and failure, as where every part is as likely
 * before (Laplace's rule of succession): where none is wrong, that is not certain.
 */
export function partOfShots(successes: number, count: number): Estimate {
  const smoothed = (successes + 1) / (count + 2);
  const error = Math.sqrt((smoothed * (1 - smoothed)) / (count + 2));
  return { value: count > 0 ? successes / count : 0.5, error };
}

/** Part of a cloud that is told to be excited, or not. The threshold's own error comes on top of that of the shots. */
function partOfCloud(
  cloud: PlanePoints,
  mixture: GaussianMixture,
  { excited, threshold }: { excited: boolean; threshold: Threshold },
): Estimate {
  const right = cloud.x.filter(
    (x, index) => belongsToSecond(mixture, { x, y: cloud.y[index] ?? 0 }) === excited,
  ).length;
  const { value, error } = partOfShots(right, cloud.x.length);
  return { value, error: Math.hypot(error, threshold.density(cloud) * threshold.error) };
}

/** Parts of both states that are told right, and their mean: what a threshold that is off takes from the one it gives to the other. */
export function fidelitiesOf(
  [ground, excited]: readonly [PlanePoints, PlanePoints],
  mixture: GaussianMixture,
  threshold: Threshold,
): { ground: Estimate; excited: Estimate; average: Estimate } {
  const of = (cloud: PlanePoints, isExcited: boolean) =>
    partOfCloud(cloud, mixture, { excited: isExcited, threshold });
  const parts = { ground: of(ground, false), excited: of(excited, true) };
  const [first, second] = [threshold.density(ground), threshold.density(excited)];
  const shared = (first - second) ** 2 - first ** 2 - second ** 2;
  const variance = parts.ground.error ** 2 + parts.excited.error ** 2 + shared * threshold.error ** 2;
  return {
    ...parts,
    average: { value: (parts.ground.value + parts.excited.value) / 2, error: Math.sqrt(variance) / 2 },
  };
}
