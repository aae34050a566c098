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

/** Two Gaussians of the same shape, because the noise of the amplifier does not depend on the state. */
export interface GaussianMixture {
  centres: readonly [PlanePoint, PlanePoint];
  /** Covariance of the first Gaussian, and of the second unless there is a `widening`. */
  covariance: PlaneCovariance;
  /** Ratio of the widths of the second Gaussian and the first; 1 if absent. */
  widening?: number;
  /** The same mixture with a widening that is larger by one standard error. */
  wider?: GaussianMixture;
  /** Fraction of the points that belong to the second. */
  weight: number;
}

/**
 * Maximum squared distance of a point from the nearer centre, in deviations. A Gaussian has only one in 3,000 points
 * beyond it. Points further away are ignored, because a few of them would shift the centres.
 */
const OF_NEITHER = 16;
const MAX_ITERATIONS = 500;
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
 * Fits two Gaussians with a common covariance to points by expectation–maximisation
 * (https://doi.org/10.1111/j.2517-6161.1977.tb01600.x).
 *
 * @param start centres to begin with
 * @param widening ratio of the second Gaussian's width to the first's
 * @returns null if the points do not determine such a mixture, or the fit does not converge
 */
export function fitGaussianMixture(
  { x, y }: PlanePoints,
  start: readonly [PlanePoint, PlanePoint],
  widening = 1,
): GaussianMixture | null {
  const count = x.length;
  // Far from the origin, sums of squares would lose the digits that contain the shape of the clouds.
  const origin = start[0];
  let first = { x: 0, y: 0 };
  let second = { x: start[1].x - origin.x, y: start[1].y - origin.y };
  let weight = 0.5;
  const ridge = ridgeOf({ x, y });
  let covariance = widened(spreadAround({ x, y }, start), ridge);
  let before = Number.NEGATIVE_INFINITY;
  const narrower = widening ** -2;
  for (let iteration = 1; iteration <= MAX_ITERATIONS; iteration++) {
    const precision = inverse(covariance);
    if (precision === null || !(weight > 0 && weight < 1)) return null;
    const logOdds = Math.log(weight / (1 - weight)) - directionsOf(covariance) * Math.log(widening);
    const logNorm =
      Math.log((1 - weight) / (2 * Math.PI)) + Math.log(precision.xx * precision.yy - precision.xy ** 2) / 2;
    let [logLikelihood, used, sum, sumX, sumY, otherX, otherY] = [0, 0, 0, 0, 0, 0, 0];
    let [xx, xy, yy] = [0, 0, 0];
    let [ofSecondXx, ofSecondXy, ofSecondYy] = [0, 0, 0];
    for (let index = 0; index < count; index++) {
      const [px, py] = [(x[index] ?? 0) - origin.x, (y[index] ?? 0) - origin.y];
      const toFirst = squaredDistance(precision, px - first.x, py - first.y);
      const toSecond = narrower * squaredDistance(precision, px - second.x, py - second.y);
      if (Math.min(toFirst, toSecond) > OF_NEITHER) {
        logLikelihood += logNorm - OF_NEITHER / 2;
        continue;
      }
      used += 1;
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
      ofSecondXx += responsibility * px * px;
      ofSecondXy += responsibility * px * py;
      ofSecondYy += responsibility * py * py;
    }
    const rest = used - sum;
    if (!(sum > 0) || !(rest > 0)) return null;
    first = { x: otherX / rest, y: otherY / rest };
    second = { x: sumX / sum, y: sumY / sum };
    weight = sum / used;
    // The scatter of the second Gaussian is scaled to the width of the first.
    const shared = (all: number, ofSecond: number, [one, other]: readonly [number, number]) =>
      (all - ofSecond - rest * one + narrower * (ofSecond - sum * other)) / used;
    const around = {
      xx: shared(xx, ofSecondXx, [first.x * first.x, second.x * second.x]),
      xy: shared(xy, ofSecondXy, [first.x * first.y, second.x * second.y]),
      yy: shared(yy, ofSecondYy, [first.y * first.y, second.y * second.y]),
    };
    covariance = widened(around, ridge);
    if (logLikelihood - before < CONVERGED * count) {
      const moved = ({ x: cx, y: cy }: PlanePoint) => ({ x: cx + origin.x, y: cy + origin.y });
      const found: GaussianMixture = { centres: [moved(first), moved(second)], covariance, weight };
      return widening === 1 ? found : { ...found, widening };
    }
    before = logLikelihood;
  }
  return null;
}

/** Points count as collinear if at most this fraction of their variance is across the line. This much is then added. */
const ON_A_LINE = 1e-9;

/** Addition to the variances of collinear points, such as weighted signals, which have no width across their line. */
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

/** Whether a point more likely belongs to the second Gaussian, given equal prior probabilities. */
export function belongsToSecond(
  { centres, covariance, widening = 1 }: GaussianMixture,
  point: PlanePoint,
): boolean {
  const precision = inverse(covariance) ?? { xx: 1, xy: 0, yy: 1 };
  const [first, second] = centres;
  // A wider Gaussian has a lower peak, by the widening in each direction.
  const lower = 2 * directionsOf(covariance) * Math.log(widening);
  return (
    squaredDistance(precision, point.x - second.x, point.y - second.y) / widening ** 2 + lower <
    squaredDistance(precision, point.x - first.x, point.y - first.y)
  );
}

/** The width added across the line of collinear points is below this fraction of their scatter. */
const NEARLY_A_LINE = 1e-6;

/** Number of directions in which points scatter: one if they are collinear. */
function directionsOf({ xx, xy, yy }: PlaneCovariance): 1 | 2 {
  return xx * yy - xy * xy <= NEARLY_A_LINE * (xx + yy) ** 2 ? 1 : 2;
}

/** Minimum difference of two widths: its significance in standard deviations, and its relative size. */
const CERTAINLY_WIDER = 5;
const MIN_WIDENING = 1.1;
/** Variance of the logarithm of a median distance, times the number of points. */
const MEDIAN_VARIANCE = 1.36;
/** Number of rounds in which widths and centres are estimated alternately, each from the other. */
const MAX_ROUNDS = 6;
/** Minimum number of points for a width. */
const MIN_OF_WIDTH = 50;

/**
 * The mixture with another width of the second Gaussian, if clouds of known origin show that the widths differ. The
 * widths are measured across the line between both centres, where no decay moves points; for collinear points, on the
 * far sides of the centres. The mixture is unchanged if the widths are equal.
 *
 * @param clouds points that mostly belong to the first, and to the second
 */
export function withOwnWidths(
  mixture: GaussianMixture,
  clouds: readonly [PlanePoints, PlanePoints],
  rounds = MAX_ROUNDS,
): GaussianMixture {
  const { centres, covariance } = mixture;
  const [first, second] = centres;
  const distance = Math.hypot(second.x - first.x, second.y - first.y);
  const [ux, uy] = [(second.x - first.x) / distance, (second.y - first.y) / distance];
  const isLine = directionsOf(covariance) === 1;
  const widths = clouds.map(({ x, y }, state) => {
    const centre = centres[state] ?? first;
    const outwards = state === 0 ? -1 : 1;
    const distances = x.flatMap((value, index) => {
      const [dx, dy] = [value - centre.x, (y[index] ?? 0) - centre.y];
      const along = outwards * (dx * ux + dy * uy);
      // Points beyond the middle belong to the other Gaussian.
      if (along < (isLine ? 0 : -distance / 2)) return [];
      return [isLine ? along : Math.abs(dy * ux - dx * uy)];
    });
    // A few outliers do not change the median.
    const middle = distances.sort((p, q) => p - q)[Math.floor(distances.length / 2)] ?? Number.NaN;
    return { count: distances.length, deviation: middle };
  });
  const [one, other] = widths;
  if (one === undefined || other === undefined || Math.min(one.count, other.count) < MIN_OF_WIDTH)
    return mixture;
  const widening = other.deviation / one.deviation;
  const size = Math.abs(Math.log(widening));
  const error = Math.sqrt(MEDIAN_VARIANCE / one.count + MEDIAN_VARIANCE / other.count);
  if (!(size > Math.max(CERTAINLY_WIDER * error, Math.log(MIN_WIDENING))) || !Number.isFinite(size))
    return mixture;
  const [ground, excited] = clouds;
  const all = { x: [...ground.x, ...excited.x], y: [...ground.y, ...excited.y] };
  const found = fitGaussianMixture(all, centres, widening);
  if (found === null) return mixture;
  const isSettled = Math.abs(Math.log(widening / (mixture.widening ?? 1))) < error;
  if (isSettled || rounds === 1) {
    // Another widening needs another common width and other centres.
    const wider = fitGaussianMixture(all, found.centres, widening * (1 + error));
    return wider === null ? found : { ...found, wider };
  }
  // The common width affects the centres, and the widths are estimated from the centres.
  return withOwnWidths(found, clouds, rounds - 1);
}

const HALVINGS = 40;

/** The point on the line between both centres at which both Gaussians are equally likely. */
export function boundaryOf(mixture: GaussianMixture): PlanePoint {
  const [first, second] = mixture.centres;
  const at = (part: number) => ({
    x: first.x + part * (second.x - first.x),
    y: first.y + part * (second.y - first.y),
  });
  if (mixture.widening === undefined) return at(0.5);
  let [from, to] = [0, 1];
  for (let step = 0; step < HALVINGS; step++) {
    const middle = (from + to) / 2;
    if (belongsToSecond(mixture, at(middle))) to = middle;
    else from = middle;
  }
  return at((from + to) / 2);
}
