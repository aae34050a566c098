import type { Estimate } from './estimate.ts';
import type { GaussianMixture, PlanePoints } from './gaussian-mixture.ts';

const STEPS = 200;
const CONVERGED = 1e-9;

/**
 * Fraction of points that belong to the second of two Gaussians with known centres and shape, by
 * expectation–maximisation. Overlap of the clouds increases the error, but causes no bias. The error is that of the
 * Fisher information, and at least that of a binomial distribution with two additional points on either side
 * (https://doi.org/10.1080/00031305.1998.10480550).
 */
export function weightOfSecond({ centres, covariance }: GaussianMixture, { x, y }: PlanePoints): Estimate {
  const { xx, xy, yy } = covariance;
  const determinant = xx * yy - xy ** 2;
  const [first, second] = centres;
  const [dx, dy] = [second.x - first.x, second.y - first.y];
  // The log-odds of two Gaussians of the same shape are linear in the position.
  const [ax, ay] = [(yy * dx - xy * dy) / determinant, (xx * dy - xy * dx) / determinant];
  const [middleX, middleY] = [(first.x + second.x) / 2, (first.y + second.y) / 2];
  const odds = x.map((px, index) => Math.exp(clip(ax * (px - middleX) + ay * ((y[index] ?? 0) - middleY))));
  const count = x.length;
  let weight = 0.5;
  for (let step = 0; step < STEPS; step++) {
    const before = weight;
    weight = odds.reduce((sum, each) => sum + (before * each) / (before * each + 1 - before), 0) / count;
    if (Math.abs(weight - before) < CONVERGED) break;
  }
  const information = odds.reduce((sum, each) => {
    const density = weight * each + 1 - weight;
    return sum + ((each - 1) / density) ** 2;
  }, 0);
  const smoothed = (weight * count + 2) / (count + 4);
  const binomial = Math.sqrt((smoothed * (1 - smoothed)) / (count + 4));
  return { value: weight, error: Math.max(1 / Math.sqrt(information), binomial) };
}

/** Limit of the log-odds. Larger ones are certain and would overflow. */
function clip(logOdds: number): number {
  return Math.max(-300, Math.min(300, logOdds));
}
