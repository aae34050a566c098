import { mean } from './statistics.ts';

/** Points of a plane. */
export interface PlanePoints {
  x: readonly number[];
  y: readonly number[];
}

export interface PlanePoint {
  x: number;
  y: number;
}

/** Symmetric 2×2 matrix. */
export interface PlaneCovariance {
  xx: number;
  xy: number;
  yy: number;
}

/** Two Gaussians of the same shape: noise belongs to the amplifier, not to the state that it reads. */
export interface GaussianMixture {
  centres: readonly [PlanePoint, PlanePoint];
  covariance: PlaneCovariance;
  /** Part of the points that belong to the second. */
  weight: number;
}

const MOST_ITERATIONS = 500;
/** Largest change of the log-likelihood per point in the last iteration. */
const CONVERGED = 1e-7;

function inverse({ xx, xy, yy }: PlaneCovariance): PlaneCovariance | null {
  const determinant = xx * yy - xy * xy;
  if (!(determinant > 0) || !Number.isFinite(1 / determinant)) return null;
  return { xx: yy / determinant, xy: -xy / determinant, yy: xx / determinant };
}

function squaredDistance(precision: PlaneCovariance, dx: number, dy: number): number {
  return precision.xx * dx * dx + 2 * precision.xy * dx * dy + precision.yy * dy * dy;
}

/**
 * Fits two Gaussians with a common covariance to points by expectation and maximisation
 * (https://doi.org/10.1111/j.2517-6161.1977.tb01600.x).
 *
 * @param start centres to begin with
 * @returns null where the points determine no such mixture, or it does not settle
 */
export function fitGaussianMixture(
  { x, y }: PlanePoints,
  start: readonly [PlanePoint, PlanePoint],
): GaussianMixture | null {
  const count = x.length;
  // Sums of squares far from the origin would lose the digits that the shape of the clouds lies in.
  const origin = start[0];
  let first = { x: 0, y: 0 };
  let second = { x: start[1].x - origin.x, y: start[1].y - origin.y };
  let weight = 0.5;
  const ridge = ridgeOf({ x, y });
  let covariance = widened(spreadAround({ x, y }, start), ridge);
  let before = Number.NEGATIVE_INFINITY;
  for (let iteration = 1; iteration <= MOST_ITERATIONS; iteration++) {
    const precision = inverse(covariance);
    if (precision === null || !(weight > 0 && weight < 1)) return null;
    const logOdds = Math.log(weight / (1 - weight));
    const logNorm =
      Math.log((1 - weight) / (2 * Math.PI)) + Math.log(precision.xx * precision.yy - precision.xy ** 2) / 2;
    let [logLikelihood, sum, sumX, sumY, otherX, otherY] = [0, 0, 0, 0, 0, 0];
    let [xx, xy, yy] = [0, 0, 0];
    for (let index = 0; index < count; index++) {
      const [px, py] = [(x[index] ?? 0) - origin.x, (y[index] ?? 0) - origin.y];
      const toFirst = squaredDistance(precision, px - first.x, py - first.y);
      const toSecond = squaredDistance(precision, px - second.x, py - second.y);
      const odds = logOdds + (toFirst - toSecond) / 2;
      const responsibility = 1 / (1 + Math.exp(-odds));
      // log(1 + e^odds) without overflow.
      logLikelihood += logNorm - toFirst / 2 + Math.max(0, odds) + Math.log1p(Math.exp(-Math.abs(odds)));
      sum += responsibility;
      sumX += responsibility * px;
      sumY += responsibility * py;
      otherX += (1 - responsibility) * px;
      otherY += (1 - responsibility) * py;
      xx += px * px;
      xy += px * py;
      yy += py * py;
    }
    const rest = count - sum;
    if (!(sum > 0) || !(rest > 0)) return null;
    first = { x: otherX / rest, y: otherY / rest };
    second = { x: sumX / sum, y: sumY / sum };
    weight = sum / count;
    const around = {
      xx: (xx - rest * first.x * first.x - sum * second.x * second.x) / count,
      xy: (xy - rest * first.x * first.y - sum * second.x * second.y) / count,
      yy: (yy - rest * first.y * first.y - sum * second.y * second.y) / count,
    };
    covariance = widened(around, ridge);
    if (logLikelihood - before < CONVERGED * count) {
      const moved = ({ x: cx, y: cy }: PlanePoint) => ({ x: cx + origin.x, y: cy + origin.y });
      return { centres: [moved(first), moved(second)], covariance, weight };
    }
    before = logLikelihood;
  }
  return null;
}

/** Points on a line have this part of their variance across it at most, and get as much. */
const ON_A_LINE = 1e-9;

/** What is added to the variances of points that lie on one line, as weighted signals do: across it they have no width. */
function ridgeOf({ x, y }: PlanePoints): number {
  const centre = { x: mean(x), y: mean(y) };
  const { xx, xy, yy } = spreadAround({ x, y }, [centre, centre]);
  return xx * yy - xy * xy <= ON_A_LINE * (xx + yy) ** 2 ? ON_A_LINE * (xx + yy) : 0;
}

function widened({ xx, xy, yy }: PlaneCovariance, ridge: number): PlaneCovariance {
  return ridge === 0 ? { xx, xy, yy } : { xx: xx + ridge, xy, yy: yy + ridge };
}

/** Covariance of the points around the nearer of two centres. */
function spreadAround(
  { x, y }: PlanePoints,
  [first, second]: readonly [PlanePoint, PlanePoint],
): PlaneCovariance {
  let [xx, xy, yy] = [0, 0, 0];
  for (const [index, px] of x.entries()) {
    const py = y[index] ?? 0;
    const nearer =
      Math.hypot(px - first.x, py - first.y) < Math.hypot(px - second.x, py - second.y) ? first : second;
    xx += (px - nearer.x) ** 2;
    xy += (px - nearer.x) * (py - nearer.y);
    yy += (py - nearer.y) ** 2;
  }
  return { xx: xx / x.length, xy: xy / x.length, yy: yy / x.length };
}

/** Whether a point belongs rather to the second Gaussian, both being as likely before. */
export function belongsToSecond({ centres, covariance }: GaussianMixture, point: PlanePoint): boolean {
  const precision = inverse(covariance) ?? { xx: 1, xy: 0, yy: 1 };
  const [first, second] = centres;
  return (
    squaredDistance(precision, point.x - second.x, point.y - second.y) <
    squaredDistance(precision, point.x - first.x, point.y - first.y)
  );
}
