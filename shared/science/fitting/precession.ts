import { Matrix, pseudoInverse, solve } from 'ml-matrix';
import type { Estimate } from './estimate.ts';
import { type CurveModel, type Fit, fitCurve } from './least-squares.ts';

/** A vector along x, y and z, such as the frequency vector of a precession (GHz if times are in ns). */
export type Axes = readonly [number, number, number];

/** Expectation values along x, y and z at the same times. */
export type Trajectory = readonly [readonly number[], readonly number[], readonly number[]];

/** One component of the pole (0, 0, 1) after rotating about `frequency` for a time (Rodrigues), and its derivatives. */
function turnedPole(frequency: Axes, axis: number, time: number): { value: number; slopes: Axes } {
  const [fx, fy, fz] = frequency;
  // A frequency of zero has no direction; one far below any resolution replaces it.
  const rate = Math.max(Math.hypot(fx, fy, fz), Number.EPSILON / time || Number.EPSILON);
  const [x, y, z] = [fx / rate, fy / rate, fz / rate];
  const angle = 2 * Math.PI * rate * time;
  const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
  const rest = 1 - cosine;
  // The value, its derivative by the angle, and its derivatives by the direction.
  const [value, byAngle, byX, byY, byZ] =
    axis === 0
      ? [y * sine + x * z * rest, y * cosine + x * z * sine, z * rest, sine, x * rest]
      : axis === 1
        ? [-x * sine + y * z * rest, -x * cosine + y * z * sine, -sine, z * rest, y * rest]
        : [cosine + z * z * rest, (z * z - 1) * sine, 0, 0, 2 * z * rest];
  const along = x * byX + y * byY + z * byZ;
  const turning = 2 * Math.PI * time * byAngle;
  const slope = (direction: number, by: number) => turning * direction + (by - direction * along) / rate;
  return { value, slopes: [slope(x, byX), slope(y, byY), slope(z, byZ)] };
}

/** Squared splittings below this (GHz²) change no signal. Their derivative is computed at this value. */
const SMALLEST_SPLITTING = 1e-12;

/**
 * The same for a split frequency: along z, the frequency is higher by half the splitting in half of the shots, and
 * lower in the others. `squared` is the square of half the splitting (GHz²). Returns the mean of both, and its
 * derivatives by the frequencies and by the squared splitting. For a negative square, the mean deviates from the single
 * precession by the same amount to the other side, so a splitting of zero is inside the range of a fit.
 */
function beatingPole(
  [fx, fy, fz]: Axes,
  squared: number,
  axis: number,
  time: number,
): { value: number; slopes: readonly [number, number, number, number] } {
  const half = Math.sqrt(Math.max(Math.abs(squared), SMALLEST_SPLITTING));
  const above = turnedPole([fx, fy, fz + half], axis, time);
  const below = turnedPole([fx, fy, fz - half], axis, time);
  const between = (at: (of: typeof above) => number) => (at(above) + at(below)) / 2;
  const bySquare = (above.slopes[2] - below.slopes[2]) / (4 * half);
  const mean = {
    value: between(({ value }) => value),
    slopes: [
      between(({ slopes }) => slopes[0]),
      between(({ slopes }) => slopes[1]),
      between(({ slopes }) => slopes[2]),
    ] as const,
  };
  if (squared >= 0) return { value: mean.value, slopes: [...mean.slopes, bySquare] };
  const single = turnedPole([fx, fy, fz], axis, time);
  const mirrored = (of: number, about: number) => 2 * about - of;
  return {
    value: mirrored(mean.value, single.value),
    slopes: [
      mirrored(mean.slopes[0], single.slopes[0]),
      mirrored(mean.slopes[1], single.slopes[1]),
      mirrored(mean.slopes[2], single.slopes[2]),
      bySquare,
    ],
  };
}

/**
 * All points of x, then of y, then of z, over their index: a e^(−Γ t) R(t) (0, 0, 1) + c. Parameters: the three
 * frequencies, a, Γ, c, and the square of half a splitting along z unless that is given.
 */
function precessionModel(times: readonly number[], splitting?: number) {
  const poleAt = (parameters: readonly number[], axis: number, time: number) => {
    const [fx = 0, fy = 0, fz = 0, , , , fitted = 0] = parameters;
    const squared = splitting ?? fitted;
    return squared === 0 && splitting !== undefined
      ? turnedPole([fx, fy, fz], axis, time)
      : beatingPole([fx, fy, fz], squared, axis, time);
  };
  const valueAt = (parameters: readonly number[], axis: number, time: number) => {
    const [, , , size = 0, rate = 0, offset = 0] = parameters;
    return size * Math.exp(-rate * time) * poleAt(parameters, axis, time).value + offset;
  };
  const placeOf = (index: number) => ({
    axis: Math.floor(index / times.length),
    time: times[index % times.length] ?? 0,
  });
  const curve: CurveModel = {
    evaluate(parameters, index) {
      const { axis, time } = placeOf(index);
      return valueAt(parameters, axis, time);
    },
    gradient(parameters, index) {
      const [, , , size = 0, rate = 0] = parameters;
      const { axis, time } = placeOf(index);
      const { value, slopes } = poleAt(parameters, axis, time);
      const decay = Math.exp(-rate * time);
      const [x = 0, y = 0, z = 0, bySplitting = 0] = slopes.map((slope) => size * decay * slope);
      const all = [x, y, z, decay * value, -time * size * decay * value, 1, bySplitting];
      return splitting === undefined ? all : all.slice(0, -1);
    },
  };
  return { curve, valueAt };
}

/** Number of rotation rates tried as start values for each turn over the data. */
const STARTS_PER_TURN = 6;

/**
 * Start value of the frequency vector: the best of many rates. At each rate, every component is linear in 1, cos and
 * sin: r(t) = A + B cos + C sin with A + B = (0, 0, a) and C = n × (0, 0, a), which determines the axis n.
 */
function precessionStart(times: readonly number[], points: Trajectory): Axes {
  const span = Math.max(...times) - Math.min(...times);
  const highest = (times.length - 1) / (2 * span);
  const step = 1 / (STARTS_PER_TURN * span);
  let best: { explained: number; frequency: Axes } = { explained: 0, frequency: [0, 0, 0] };
  for (let rate = step; rate < highest; rate += step) {
    const { solution, explained } = solveAt(rate, times, points);
    if (!(explained > best.explained)) continue;
    const [constant, cosine, sine] = solution;
    const size = (constant[2] ?? 0) + (cosine[2] ?? 0) || 1;
    const [x, y] = [-(sine[1] ?? 0) / size, (sine[0] ?? 0) / size];
    const across = Math.max(x ** 2 + y ** 2, 1e-3);
    const z = ((constant[0] ?? 0) * x + (constant[1] ?? 0) * y) / (size * across);
    const length = Math.hypot(x, y, z) || 1;
    best = { explained, frequency: [(rate * x) / length, (rate * y) / length, (rate * z) / length] };
  }
  return best.frequency;
}

/** Least-squares fit of all three components by 1, cos and sin of one rate, and the variance that it explains. */
function solveAt(rate: number, times: readonly number[], points: Trajectory) {
  const normal = Matrix.zeros(3, 3).to2DArray();
  const right = Matrix.zeros(3, 3).to2DArray();
  for (const [index, time] of times.entries()) {
    const basis = [1, Math.cos(2 * Math.PI * rate * time), Math.sin(2 * Math.PI * rate * time)];
    for (const [row, value] of basis.entries()) {
      const [ofNormal, ofRight] = [normal[row] ?? [], right[row] ?? []];
      for (let column = 0; column < 3; column++) {
        ofNormal[column] = (ofNormal[column] ?? 0) + value * (basis[column] ?? 0);
        ofRight[column] = (ofRight[column] ?? 0) + value * (points[column]?.[index] ?? 0);
      }
    }
  }
  const wanted = new Matrix(right);
  const found = solve(new Matrix(normal), wanted);
  const [constant = [], cosine = [], sine = []] = found.to2DArray();
  return { solution: [constant, cosine, sine] as const, explained: found.dot(wanted) };
}

export interface PrecessionFit {
  fit: Fit;
  /** Values of the fit at the points: x, then y, then z. */
  fitted: number[];
  /** One component at any time: 0 is x, 1 y, 2 z. */
  evaluate(axis: number, time: number): number;
}

/** Weights and start values of a precession fit. */
interface Weighted {
  /** Parameters of a first fit. */
  first: readonly number[];
  /** The expected deviations of all points of x, then y, then z, from the first fit. */
  sigma: readonly number[];
  /** The square of half the splitting along z. */
  splitting: number;
}

/**
 * Fits a decaying precession that starts at the pole. Parameters 0 to 2 of the fit are the frequency along x, y and z.
 */
export function fitPrecession(
  times: readonly number[],
  points: Trajectory,
  weighted?: Weighted,
): PrecessionFit {
  const y = points.flat();
  const span = Math.max(...times);
  const { curve: model, valueAt } = precessionModel(times, weighted?.splitting ?? 0);
  const start = weighted?.first ?? [...precessionStart(times, points), 1, 0.05 / span, 0];
  const scale = [0.1 / span, 0.1 / span, 0.1 / span, 1, 1 / span, 1];
  const fit = fitCurve({ x: y.map((_, index) => index), y, model, start, scale, sigma: weighted?.sigma });
  const used = fit.ok ? fit.parameters : start;
  return {
    fit,
    fitted: y.map((_, index) => model.evaluate(used, index)),
    evaluate: (axis, time) => valueAt(used, axis, time),
  };
}

/**
 * Estimate of the square of half the splitting (GHz²) from the residuals of a fit, by one Gauss-Newton step. Noise may
 * make it negative.
 */
export function splittingOf(
  times: readonly number[],
  points: Trajectory,
  { first, sigma, splitting }: Weighted,
): Estimate {
  const y = points.flat();
  const at = [...first, splitting];
  const { curve } = precessionModel(times);
  const slopes = new Matrix(
    y.map((_, index) => curve.gradient(at, index).map((slope) => slope / (sigma[index] ?? 1))),
  );
  const residuals = Matrix.columnVector(
    y.map((value, index) => (value - curve.evaluate(at, index)) / (sigma[index] ?? 1)),
  );
  // Each derivative is scaled to unit size, because a splitting is many decades smaller than an amplitude.
  const sizes = at.map((_, column) => slopes.getColumnVector(column).norm() || 1);
  slopes.divRowVector(sizes);
  const covariance = pseudoInverse(slopes.transpose().mmul(slopes));
  const step = covariance.mmul(slopes.transpose().mmul(residuals));
  const left = Matrix.sub(residuals, slopes.mmul(step));
  const variance = left.dot(left) / (y.length - at.length);
  const last = at.length - 1;
  const size = sizes[last] ?? 1;
  return {
    value: splitting + step.get(last, 0) / size,
    error: Math.sqrt(variance * covariance.get(last, last)) / size,
  };
}
