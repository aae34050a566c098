import type { Estimate } from '../../../science/fitting/estimate.ts';
import {
  belongsToSecond,
  boundaryOf,
  type GaussianMixture,
  type PlanePoints,
} from '../../../science/fitting/gaussian-mixture.ts';
import { LARGEST_NUMBER } from '../../../science/fitting/sweep-problem.ts';

/** Minimum number of shots of a state for any conclusion. */
export const MIN_SHOTS = 50;
/** Below this fidelity the states are barely distinguishable, and the result depends more on chance than on the qubit. */
export const LOWEST_FIDELITY = 0.6;
/** Number of points of each cloud in a figure. */
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

/** Half the width of the strip around the threshold in which shots are counted, in standard deviations of a shot. */
const STRIP = 0.5;

/** Direction from the first centre to the second, their distance, and the standard deviation of a shot along it. */
function axisOf({ centres: [first, second], covariance }: GaussianMixture) {
  const [dx, dy] = [second.x - first.x, second.y - first.y];
  const distance = Math.hypot(dx, dy);
  const [ux, uy] = [dx / distance, dy / distance];
  const deviation = Math.sqrt(
    covariance.xx * ux ** 2 + 2 * covariance.xy * ux * uy + covariance.yy * uy ** 2,
  );
  return { ux, uy, distance, deviation };
}

/** Uncertainty of the threshold, and the density of shots at it. */
export interface Threshold {
  /** Standard error of its position, in standard deviations of a shot. */
  error: number;
  /** Fraction of a cloud's shots per standard deviation, at the threshold. */
  density(cloud: PlanePoints): number;
}

/**
 * The threshold is between both centres, midway if both states scatter equally. The error of each centre follows from
 * the scatter of its shots, and grows as the clouds overlap more. A shift of the threshold moves shots from one state
 * to the other.
 */
export function thresholdOf(mixture: GaussianMixture, shots: number): Threshold {
  const { ux, uy, distance, deviation } = axisOf(mixture);
  const apart = distance / deviation;
  // Information of a shot's position about its state: tanh² of half the distance, averaged approximately.
  const information = Math.tanh((apart / 2) ** 2 / 2);
  const { x: placeX, y: placeY } = boundaryOf(mixture);
  const perCentre = deviation / Math.sqrt((Math.max(information, 0.05) * shots) / 2);
  const moved = ([0, 1] as const).map((state) => {
    const by = perCentre * (state === 0 ? 1 : (mixture.widening ?? 1));
    const { x, y } = boundaryOf(withMovedCentre(mixture, state, { x: by * ux, y: by * uy }));
    return Math.hypot(x - placeX, y - placeY);
  });
  return {
    error: Math.hypot(...moved) / deviation,
    density({ x, y }) {
      const near = x.filter(
        (value, index) =>
          Math.abs((value - placeX) * ux + ((y[index] ?? 0) - placeY) * uy) < STRIP * deviation,
      );
      return near.length / (2 * STRIP * x.length);
    },
  };
}

function withMovedCentre(
  mixture: GaussianMixture,
  state: 0 | 1,
  by: { x: number; y: number },
): GaussianMixture {
  const [first, second] = mixture.centres;
  const moved = (centre: { x: number; y: number }) => ({ x: centre.x + by.x, y: centre.y + by.y });
  return { ...mixture, centres: state === 0 ? [moved(first), second] : [first, moved(second)] };
}

/**
 * Changes of fractions of shots, with their signs, if the threshold moves by its error along the axis of the states.
 * @param partsWith the fractions as a function of the mixture
 * @param step trial shift in standard deviations of a shot: large enough for many shots to change sides if shots are
 *   counted
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
 * A fraction of shots. Its error is that of a binomial with one more success and failure, as for a uniform prior
 * (Laplace's rule of succession), so that a fraction without errors is not certain.
 */
export function partOfShots(successes: number, count: number): Estimate {
  const smoothed = (successes + 1) / (count + 2);
  const error = Math.sqrt((smoothed * (1 - smoothed)) / (count + 2));
  return { value: count > 0 ? successes / count : 0.5, error };
}

/** Fraction of a cloud that is classified as its state, and its change with the widening of the second state. */
function partOfCloud(cloud: PlanePoints, mixture: GaussianMixture, isExcited: boolean) {
  const rightWith = (of: GaussianMixture) =>
    cloud.x.filter((x, index) => belongsToSecond(of, { x, y: cloud.y[index] ?? 0 }) === isExcited).length;
  const right = rightWith(mixture);
  const { wider } = mixture;
  const changed = wider === undefined ? 0 : (rightWith(wider) - right) / Math.max(1, cloud.x.length);
  return { ...partOfShots(right, cloud.x.length), changed };
}

/**
 * Fractions of both states classified correctly, and their mean. The error of the threshold, and of the widening of the
 * second state, which bends it around the first, are added to that of the shots. Each changes the two in opposite directions.
 */
export function fidelitiesOf(
  [ground, excited]: readonly [PlanePoints, PlanePoints],
  mixture: GaussianMixture,
  { density, error }: Threshold,
): { ground: Estimate; excited: Estimate; average: Estimate } {
  const parts = [partOfCloud(ground, mixture, false), partOfCloud(excited, mixture, true)] as const;
  const [first, second] = parts;
  const [ofGround, ofExcited] = [density(ground) * error, density(excited) * error];
  return {
    ground: { value: first.value, error: Math.hypot(first.error, ofGround, first.changed) },
    excited: { value: second.value, error: Math.hypot(second.error, ofExcited, second.changed) },
    average: {
      value: (first.value + second.value) / 2,
      error: Math.hypot(first.error, second.error, ofGround - ofExcited, first.changed + second.changed) / 2,
    },
  };
}
