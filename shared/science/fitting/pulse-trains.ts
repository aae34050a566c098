import type { CurveModel, Fit } from './least-squares.ts';
import { fitWithOptionalMemory, predictedPoints } from './point-memory.ts';

/** A train of pulses: only quarter turns, or half turns after one quarter turn. */
export interface TrainPoint {
  train: 'quarter' | 'half';
  pulses: number;
  /** Total duration of its pulses, ns. */
  durationNs: number;
  /** Polarisation: 1 in the ground state, −1 in the excited one. */
  z: number;
}

/**
 * Fitted trains. Parameters: relative over-rotation of a quarter turn and of a half turn, loss per ns, scale and offset
 * of the polarisation.
 */
export interface TrainFit {
  fit: Fit;
  fitted: number[];
  evaluate(point: Omit<TrainPoint, 'z'>): number;
}

/**
 * Largest relative over-rotation among the start values, and number of start values for each turn of the longest train.
 */
const LARGEST_START = 0.12;
const STARTS_PER_TURN = 12;

/** Total angle of the pulses of a train. */
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

/** Derivative of a fitted train by its initial angle, which is 0 in the ground state. */
export function slopeByPhase([quarter = 0, half = 0, loss = 0, scale = 1]: Parameters, point: TrainPoint) {
  return -scale * Math.exp(-point.durationNs * loss) * Math.sin(angleOf(point, quarter, half));
}

/**
 * Fits the trains of both pulses together. The error of a pulse adds up with the number of pulses, and on the equator
 * the signal shows its sign. The trains of quarter turns, which pass the poles, determine the loss and the amplitude of
 * the signal.
 *
 * @param sigma deviations of the points, up to a common factor
 * @param before the point before each point, if the points may retain a fraction of it; that fraction is then the last
 * parameter
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
  const fit = fitWithOptionalMemory({
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
