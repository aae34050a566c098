import type { CurveModel, Fit } from './least-squares.ts';
import { fitMaybeRemembering, predictedPoints } from './point-memory.ts';

/** A train of pulses: of the quarter turn alone, or of half turns after one quarter turn. */
export interface TrainPoint {
  train: 'quarter' | 'half';
  pulses: number;
  /** How long all of its pulses take, ns. */
  durationNs: number;
  /** Polarisation: 1 in the ground state, −1 in the excited one. */
  z: number;
}

/**
 * Trains as fitted. Parameters: part by which a quarter turn and a half turn turn too far, loss per ns, scale and offset
 * of the polarisation.
 */
export interface TrainFit {
  fit: Fit;
  fitted: number[];
  evaluate(point: Omit<TrainPoint, 'z'>): number;
}

/** Parts of their angle that are tried to begin with, and how finely, in turns of the longest train. */
const LARGEST_START = 0.12;
const STARTS_PER_TURN = 12;

/** Angle of all pulses of a train. */
function angleOf({ train, pulses }: Pick<TrainPoint, 'train' | 'pulses'>, quarter: number, half: number) {
  return train === 'quarter'
    ? (pulses * Math.PI * (1 + quarter)) / 2
    : (Math.PI * (1 + quarter)) / 2 + pulses * Math.PI * (1 + half);
}

type Parameters = readonly number[];

/** z = A e^(−t γ) cos(angle) + C. */
function valueAt(
  [quarter = 0, half = 0, loss = 0, scale = 1, offset = 0]: Parameters,
  point: Omit<TrainPoint, 'z'>,
) {
  return scale * Math.exp(-point.durationNs * loss) * Math.cos(angleOf(point, quarter, half)) + offset;
}

function slopesAt([quarter = 0, half = 0, loss = 0, scale = 1]: Parameters, point: Omit<TrainPoint, 'z'>) {
  const angle = angleOf(point, quarter, half);
  const kept = Math.exp(-point.durationNs * loss);
  const byAngle = -scale * kept * Math.sin(angle);
  const quarters = point.train === 'quarter' ? point.pulses : 1;
  return [
    (byAngle * quarters * Math.PI) / 2,
    point.train === 'quarter' ? 0 : byAngle * point.pulses * Math.PI,
    -point.durationNs * scale * kept * Math.cos(angle),
    kept * Math.cos(angle),
    1,
  ];
}

/** Slope of a fitted train by the angle that it begins with, which is 0 in the ground state. */
export function slopeByPhase([quarter = 0, half = 0, loss = 0, scale = 1]: Parameters, point: TrainPoint) {
  return -scale * Math.exp(-point.durationNs * loss) * Math.sin(angleOf(point, quarter, half));
}

/**
 * Fits trains of both pulses together: an error of a pulse adds up with their number, and on the equator it shows with
 * its sign. The quarter turns through the poles determine the loss and the size of the signal.
 *
 * @param sigma deviations of the points, up to a common factor
 * @param before the point before each of them, if the points may keep a part of it; then the last parameter is that part
 */
export function fitPulseTrains(
  points: readonly TrainPoint[],
  { sigma, before }: { sigma?: readonly number[] | undefined; before?: readonly number[] | undefined } = {},
): TrainFit {
  const longest = Math.max(1, ...points.map(({ pulses }) => pulses));
  const step = 2 / (STARTS_PER_TURN * longest);
  const best = (train: TrainPoint['train'], parametersOf: (error: number) => Parameters) => {
    const own = points.filter((point) => point.train === train);
    let found = { residual: Number.POSITIVE_INFINITY, error: 0 };
    for (let error = -LARGEST_START; error <= LARGEST_START; error += step) {
      const parameters = parametersOf(error);
      const residual = own.reduce((sum, point) => sum + (point.z - valueAt(parameters, point)) ** 2, 0);
      if (residual < found.residual) found = { residual, error };
    }
    return found.error;
  };
  const quarter = best('quarter', (error) => [error, 0, 0, 1, 0]);
  const half = best('half', (error) => [quarter, error, 0, 1, 0]);
  const start = [quarter, half, 0, 1, 0];
  const place = (index: number) =>
    points[index] ?? { train: 'quarter' as const, pulses: 0, durationNs: 0, z: 0 };
  const model: CurveModel = {
    evaluate: (parameters, index) => valueAt(parameters, place(index)),
    gradient: (parameters, index) => slopesAt(parameters, place(index)),
  };
  const longestNs = Math.max(1, ...points.map(({ durationNs }) => durationNs));
  const fit = fitMaybeRemembering({
    x: points.map((_, index) => index),
    y: points.map(({ z }) => z),
    model,
    start,
    scale: [1 / longest, 1 / longest, 1 / longestNs, 0.1, 0.1],
    sigma,
    before,
  });
  const used = fit.ok ? fit.parameters : start;
  return {
    fit,
    fitted: predictedPoints(
      points.map((point) => valueAt(used, point)),
      { before, fit },
    ),
    evaluate: (point) => valueAt(used, point),
  };
}
