import { CholeskyDecomposition, Matrix } from 'ml-matrix';
import type { Estimate } from './estimate.ts';
import type { IqPoints } from './iq-rotation.ts';
import type { Fit } from './least-squares.ts';
import { averageEstimates } from './model-average.ts';

/** Amplifiers are used below the point at which 1 dB of their gain is lost: the deviation of the loss that is expected. */
const USUAL_LOSS = 1 - 10 ** (-1 / 20);

/** A fitted curve of populations, and the points in the IQ plane to which it was fitted. */
export interface CompressibleFit {
  fit: Fit;
  /** Values of the curve at the points. */
  populations: readonly number[];
  points: IqPoints;
  /** Places of the prepared states: ground, then excited. */
  prepared: IqPoints;
  /** Standard deviation of a point across the line between both, as a part of their distance. */
  across: number;
}

export interface Compression {
  /** The part of the gain that is lost at the larger one of both prepared states. */
  loss: Estimate;
  /** By how much a loss of 1 moves each parameter of the curve. */
  moves: number[];
}

/**
 * How much an amplifier compresses by whose gain falls with the square of the signal's size. Between two states, at s = g + p d,
 * it moves a signal by k p (1 − p) (3 Re(g* d) + |d|² (1 + p)) along the line between both, and by k p (1 − p) Im(d* g) across it,
 * as parts of |d|. The former changes the shape of a curve, the latter shows k, as what the curve leaves does.
 *
 * @returns null if the states are unknown, or the fit gives no parameters
 */
export function compressionOf({
  fit,
  populations,
  points,
  prepared,
  across,
}: CompressibleFit): Compression | null {
  const [g, e] = [0, 1].map((state) => ({ re: prepared.re[state], im: prepared.im[state] }));
  if (!fit.ok || g?.re === undefined || g.im === undefined || e?.re === undefined || e.im === undefined)
    return null;
  const d = { re: e.re - g.re, im: e.im - g.im };
  const size = d.re ** 2 + d.im ** 2;
  const largest = Math.max(g.re ** 2 + g.im ** 2, e.re ** 2 + e.im ** 2);
  if (!(size > 0 && across > 0)) return null;
  const [parallel, turned] = [g.re * d.re + g.im * d.im, d.re * g.im - d.im * g.re];
  const bend = populations.map((p) => (p * (1 - p)) / largest);
  const along = bend.map((each, index) => each * (3 * parallel + size * (1 + (populations[index] ?? 0))));
  const aside = populations.map((_, index) => {
    const [re, im] = [(points.re[index] ?? 0) - (g.re ?? 0), (points.im[index] ?? 0) - (g.im ?? 0)];
    return (d.re * im - d.im * re) / size;
  });
  const { residuals, slopes, sigma } = fit.whitened;
  // What is known besides the points, such as an asymptote, comes after them and is a state by itself.
  const seen = residuals.map((_, index) => (along[index] ?? 0) / (sigma[index] ?? 1));
  const inCurve = projected(slopes, seen, residuals);
  // References are noisy, so the line lies beside that of the points, in another direction.
  const line = populations.map((p) => [1, p]);
  const beside = projected(
    line,
    bend.map((each) => (each * turned) / across),
    aside.map((value) => value / across),
  );
  if (inCurve === null || beside === null) return null;
  const information = inCurve.information + beside.information + USUAL_LOSS ** -2;
  const loss = { value: (inCurve.score + beside.score) / information, error: 1 / Math.sqrt(information) };
  return { loss, moves: inCurve.followed.map((value) => -value) };
}

/**
 * A parameter's estimate if the amplifier may compress: the mean of that of a linear amplifier and of that of one which loses
 * gain, by how likely both make the points (Bayes factor; as many amplifiers compress as do not). Gain does not rise with the
 * signal, so that the loss is positive.
 */
export function allowingForCompression(
  found: Estimate,
  index: number,
  { loss, moves }: Compression,
): Estimate {
  const move = moves[index] ?? 0;
  const { evidence, value, error } = positivePart(loss);
  const factor = (2 * evidence) / (USUAL_LOSS * Math.sqrt(2 * Math.PI));
  const compressed = {
    value: found.value + move * value,
    error: Math.hypot(found.error, move * error),
  };
  return averageEstimates(found, compressed, 1 / (1 + 1 / factor));
}

const STEPS = 200;
/** Deviations beyond which a normal distribution has nothing. */
const REACH = 8;

/** Mean and deviation of what is positive of a normal distribution, and its integral in units of its density at 0. */
function positivePart({ value, error }: Estimate): Estimate & { evidence: number } {
  const likeliest = Math.max(0, value);
  const from = Math.max(0, likeliest - REACH * error);
  const step = (likeliest + REACH * error - from) / STEPS;
  const farthest = ((likeliest - value) / error) ** 2;
  let [mass, first, second] = [0, 0, 0];
  for (let index = 0; index <= STEPS; index++) {
    const at = from + index * step;
    // Simpson's rule.
    const part = index === 0 || index === STEPS ? 1 : index % 2 === 1 ? 4 : 2;
    const density = (step / 3) * part * Math.exp((farthest - ((at - value) / error) ** 2) / 2);
    mass += density;
    first += density * at;
    second += density * at ** 2;
  }
  const mean = first / mass;
  return {
    value: mean,
    error: Math.sqrt(Math.max(0, second / mass - mean ** 2)),
    evidence: mass * Math.exp(((value / error) ** 2 - farthest) / 2),
  };
}

/**
 * What a direction explains of values beyond what a model with these slopes explains.
 * @returns also by how much each parameter of the model follows the direction
 */
function projected(
  slopes: readonly (readonly number[])[],
  direction: readonly number[],
  values: readonly number[],
): { score: number; information: number; followed: number[] } | null {
  const columns = [...(slopes[0] ?? []).keys()];
  const sizes = columns.map((column) => Math.hypot(...slopes.map((row) => row[column] ?? 0)) || 1);
  const matrix = new Matrix(slopes.map((row) => row.map((slope, column) => slope / (sizes[column] ?? 1))));
  const normal = new CholeskyDecomposition(matrix.transpose().mmul(matrix));
  if (!normal.isPositiveDefinite()) return null;
  const solve = (vector: readonly number[]) =>
    normal.solve(matrix.transpose().mmul(Matrix.columnVector([...vector]))).to1DArray();
  const followed = solve(direction);
  const left = direction.map(
    (value, row) =>
      value - columns.reduce((sum, column) => sum + matrix.get(row, column) * (followed[column] ?? 0), 0),
  );
  return {
    score: left.reduce((sum, value, row) => sum + value * (values[row] ?? 0), 0),
    information: left.reduce((sum, value) => sum + value ** 2, 0),
    followed: followed.map((value, column) => value / (sizes[column] ?? 1)),
  };
}
