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

/**
 * Part of a cloud that is told to be excited, or not. The error is that of a binomial with one more success and failure
 * (https://doi.org/10.1080/00031305.1998.10480550): a cloud without any wrong shot is not without error.
 */
export function partOf(cloud: PlanePoints, mixture: GaussianMixture, excited: boolean): Estimate {
  const count = cloud.x.length;
  const right = cloud.x.filter(
    (x, index) => belongsToSecond(mixture, { x, y: cloud.y[index] ?? 0 }) === excited,
  ).length;
  const smoothed = (right + 1) / (count + 2);
  return { value: right / count, error: Math.sqrt((smoothed * (1 - smoothed)) / (count + 2)) };
}
