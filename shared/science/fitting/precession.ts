import { Matrix, solve } from 'ml-matrix';
import { type CurveModel, type Fit, fitCurve } from './least-squares.ts';

/** A vector along x, y and z; here a precession by its frequency (GHz where times are in ns). */
export type Axes = readonly [number, number, number];

/** Expectation values along x, y and z at the same times. */
export type Trajectory = readonly [readonly number[], readonly number[], readonly number[]];

/** One component of where the pole (0, 0, 1) is after turning about `frequency` for a time (Rodrigues), and its slopes. */
function turnedPole(frequency: Axes, axis: number, time: number): { value: number; slopes: Axes } {
  const [fx, fy, fz] = frequency;
  // A frequency of zero has no direction; one far below any resolution stands for it.
  const rate = Math.max(Math.hypot(fx, fy, fz), Number.EPSILON / time || Number.EPSILON);
  const [x, y, z] = [fx / rate, fy / rate, fz / rate];
  const angle = 2 * Math.PI * rate * time;
  const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
  const rest = 1 - cosine;
  // Value, its derivative by the angle, and those by the direction.
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

/**
 * All points of x, then of y, then of z, over their index: a e^(−Γ t) R(t) (0, 0, 1) + c.
 * Parameters: the three frequencies, a, Γ, c.
 */
function precessionModel(times: readonly number[]): CurveModel {
  const placeOf = (index: number) => ({
    axis: Math.floor(index / times.length),
    time: times[index % times.length] ?? 0,
  });
  return {
    evaluate([fx = 0, fy = 0, fz = 0, size = 0, rate = 0, offset = 0], index) {
      const { axis, time } = placeOf(index);
      return size * Math.exp(-rate * time) * turnedPole([fx, fy, fz], axis, time).value + offset;
    },
    gradient([fx = 0, fy = 0, fz = 0, size = 0, rate = 0], index) {
      const { axis, time } = placeOf(index);
      const { value, slopes } = turnedPole([fx, fy, fz], axis, time);
      const decay = Math.exp(-rate * time);
      const scale = size * decay;
      return [...slopes.map((slope) => scale * slope), decay * value, -time * scale * value, 1];
    },
  };
}

/** Rates of turning tried as start values are this many for each turn over the data. */
const STARTS_PER_TURN = 6;

/**
 * The frequency vector from the best of many rates. At each of them every component is linear in 1, cos and sin:
 * r(t) = A + B cos + C sin with A + B = (0, 0, a) and C = n × (0, 0, a), which tells the axis n.
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

/** Least squares of all three components in 1, cos and sin of one rate, and how much of the data that explains. */
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

/**
 * Fits a decaying precession that begins at the pole. Parameters 0 to 2 of the fit are the frequency along x, y and z.
 *
 * @param weighted a first fit, and the deviations of all points of x, then y, then z, that it lets expect
 */
export function fitPrecession(
  times: readonly number[],
  points: Trajectory,
  weighted?: { first: readonly number[]; sigma: readonly number[] },
): PrecessionFit {
  const y = points.flat();
  const span = Math.max(...times);
  const model = precessionModel(times);
  const start = weighted?.first ?? [...precessionStart(times, points), 1, 0.05 / span, 0];
  const scale = [0.1 / span, 0.1 / span, 0.1 / span, 1, 1 / span, 1];
  const fit = fitCurve({ x: y.map((_, index) => index), y, model, start, scale, sigma: weighted?.sigma });
  const used = fit.ok ? fit.parameters : start;
  const [fx = 0, fy = 0, fz = 0, size = 0, rate = 0, offset = 0] = used;
  return {
    fit,
    fitted: y.map((_, index) => model.evaluate(used, index)),
    evaluate: (axis, time) =>
      size * Math.exp(-rate * time) * turnedPole([fx, fy, fz], axis, time).value + offset,
  };
}
