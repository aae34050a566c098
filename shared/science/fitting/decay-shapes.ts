import { byCentralDifferences } from './central-differences.ts';
import type { Estimate } from './estimate.ts';
import { type ExponentialFit, fitExponential, type KnownDecay } from './exponential.ts';
import { type CurveModel, coefficientOfDetermination } from './least-squares.ts';
import { fitWithOptionalMemory, predictedPoints } from './point-memory.ts';

/**
 * Shapes of non-exponential decays from A + C to C, with the time T after which 1/e of the amplitude remains:
 * - `stretched`: e^(−(t/T)^n) with n from 1 to 3, caused by noise that is slower than an echo
 *   (https://doi.org/10.1103/PhysRevB.72.134519);
 * - `twoRates`: e^(m (e^(−t/τ) − 1)) e^(−t/T₁), the mean over shots with a Poisson-distributed number of quasiparticles
 *   (mean m), each of which adds the rate 1/τ (https://doi.org/10.1038/ncomms12964). T₁ follows from T, m and τ.
 */
export type DecayShape = 'stretched' | 'twoRates';

export interface ShapedFit extends ExponentialFit {
  shape: DecayShape;
}

/** What is known about a decay in addition to its points. */
export interface KnownEnds extends KnownDecay {
  /** Its value at t = 0. */
  start?: Estimate | undefined;
}

/** The curve of a shape; parameters A, T, C, then n, or m and τ. At t = Infinity it is C. */
export function shapedDecay(shape: DecayShape): CurveModel {
  return {
    evaluate: (parameters, t) => evaluate(shape, parameters, t),
    gradient: (parameters, t) => gradient(shape, parameters, t),
  };
}

function evaluate(shape: DecayShape, parameters: readonly number[], t: number): number {
  const [amplitude = 0, time = 1, offset = 0, first = 1, second = 1] = parameters;
  if (t === Number.POSITIVE_INFINITY) return offset;
  if (shape === 'stretched') return amplitude * Math.exp(-((t / Math.abs(time)) ** first)) + offset;
  const kept = first * (Math.exp(-t / second) - 1) - t * residualRate(time, first, second);
  return amplitude * Math.exp(kept) + offset;
}

function gradient(shape: DecayShape, parameters: readonly number[], t: number): number[] {
  if (t === Number.POSITIVE_INFINITY) return parameters.map((_, index) => (index === 2 ? 1 : 0));
  const [amplitude = 0, time = 1, , first = 1, second = 1] = parameters;
  if (shape === 'stretched') {
    const progress = t / Math.abs(time);
    const power = progress ** first;
    const decay = Math.exp(-power);
    const slope = amplitude * decay * power;
    return [decay, (slope * first) / time, 1, power === 0 ? 0 : -slope * Math.log(progress)];
  }
  const rate = residualRate(time, first, second);
  const [free, freeAtTime] = [Math.exp(-t / second), Math.exp(-time / second)];
  const decay = Math.exp(first * (free - 1) - t * rate);
  const byTime = (t * (rate + (first * freeAtTime) / second)) / time;
  const byNumber = free - 1 - (t * (freeAtTime - 1)) / time;
  const bySecond = (first * t * (free - freeAtTime)) / second ** 2;
  const size = amplitude * decay;
  return [decay, size * byTime, 1, size * byNumber, size * bySecond];
}

/** 1/T₁, the decay rate without quasiparticles, from T, m and τ. */
function residualRate(time: number, quasiparticles: number, perQuasiparticle: number): number {
  return (1 - quasiparticles * (1 - Math.exp(-time / perQuasiparticle))) / time;
}

/** The time T₁ without quasiparticles, from a fit of the shape `twoRates`. */
export function residualTime({ fit }: ShapedFit): Estimate {
  if (!fit.ok) return { value: Number.NaN, error: Number.NaN };
  const { parameters, covariance } = fit;
  const timeOf = ([, time = 1, , m = 0, tau = 1]: readonly number[]) => 1 / residualRate(time, m, tau);
  const slopes = byCentralDifferences(
    (values) => timeOf(values),
    parameters.map((value) => 1e-5 * Math.abs(value) || 1e-9),
  ).gradient(parameters, 0);
  const variance = slopes.reduce(
    (sum, a, i) => sum + slopes.reduce((all, b, j) => all + a * b * (covariance[i]?.[j] ?? 0), 0),
    0,
  );
  return { value: timeOf(parameters), error: Math.sqrt(variance) };
}

/**
 * Start values: T as fractions of the exponential's time, with exponents or with numbers of quasiparticles and their
 * times as fractions of T. Values with a negative rate without quasiparticles are omitted.
 */
const STARTS: Record<DecayShape, readonly (readonly number[])[]> = {
  stretched: [1.3, 2, 3].map((exponent) => [1, exponent]),
  twoRates: [0.1, 0.4, 1].flatMap((time) =>
    [0.4, 1, 2].flatMap((m) =>
      [0.2, 0.6, 2].flatMap((part) => (residualRate(1, m, part) > 0 ? [[time, m, part]] : [])),
    ),
  ),
};

/**
 * Fits a decay of a non-exponential shape to y(t).
 *
 * @param t times ≥ 0 in any unit; T has the same unit
 */
export function fitShapedDecay(
  shape: DecayShape,
  t: readonly number[],
  y: readonly number[],
  { start: begin, ...known }: KnownEnds,
): ShapedFit {
  const { sigma, asymptote, before } = known;
  const exponential = fitExponential(t, y, known);
  if (!exponential.fit.ok) return { ...exponential, shape };
  const [amplitude = 1, time = 1] = exponential.fit.parameters;
  const ends = [
    ...(asymptote === undefined ? [] : [{ at: Number.POSITIVE_INFINITY, known: asymptote }]),
    ...(begin === undefined ? [] : [{ at: 0, known: begin }]),
  ];
  const x = [...t, ...ends.map(({ at }) => at)];
  const values = [...y, ...ends.map(({ known }) => known.value)];
  const deviations = [
    ...(sigma ?? t.map(() => asymptote?.error ?? 1)),
    ...ends.map(({ known }) => known.error),
  ];
  const size = Math.abs(amplitude) || 1;
  const scale = [size, time, size, ...(shape === 'stretched' ? [1] : [1, 0.3 * time])];
  const model = shapedDecay(shape);
  let best: ShapedFit = {
    fit: { ok: false, failure: 'not-converged', message: 'the fit does not converge', r2: null },
    evaluate: () => Number.NaN,
    shape,
  };
  let least = Number.POSITIVE_INFINITY;
  const starts = STARTS[shape].map(([of = 1, first = 1, part = 1]) => {
    const further = shape === 'stretched' ? [] : [part * of * time];
    const basis = x.map((at) => evaluate(shape, [1, of * time, 0, first, ...further], at));
    const line = weightedLine(basis, values, deviations);
    return { squares: line.squares, start: [line.slope, of * time, line.offset, first, ...further] };
  });
  starts.sort((one, other) => one.squares - other.squares);
  for (const { start } of starts.slice(0, MAX_FITTED)) {
    const fit = fitWithOptionalMemory({ x, y: values, model, start, scale, sigma: deviations, before });
    if (!fit.ok || !isPhysical(shape, fit.parameters)) continue;
    const squares = fit.whitened.residuals.reduce((sum, value) => sum + value ** 2, 0);
    if (squares >= least) continue;
    least = squares;
    const at = (value: number) => evaluate(shape, fit.parameters, value);
    const r2 = coefficientOfDetermination(y, predictedPoints(t.map(at), { before, fit })) ?? fit.r2;
    best = { fit: { ...fit, r2 }, evaluate: at, shape };
  }
  return best;
}

/** Number of start values that are fitted: the best ones, each with its best amplitude and offset. */
const MAX_FITTED = 4;

/** Linear regression of values on a basis, by weighted least squares, and the sum of its squared residuals. */
function weightedLine(
  basis: readonly number[],
  values: readonly number[],
  deviations: readonly number[],
): { slope: number; offset: number; squares: number } {
  let [w, b, v, bb, bv] = [0, 0, 0, 0, 0];
  for (const [index, at] of basis.entries()) {
    const weight = 1 / (deviations[index] ?? 1) ** 2;
    const value = values[index] ?? 0;
    w += weight;
    b += weight * at;
    v += weight * value;
    bb += weight * at * at;
    bv += weight * at * value;
  }
  const variance = w * bb - b * b;
  const slope = variance > 0 ? (w * bv - b * v) / variance : 0;
  const offset = (v - slope * b) / w;
  const squares = basis.reduce(
    (sum, at, index) => sum + (((values[index] ?? 0) - slope * at - offset) / (deviations[index] ?? 1)) ** 2,
    0,
  );
  return { slope, offset, squares };
}

/** Maximum exponent, above that of the slowest noise. White noise gives 1. */
const MAX_EXPONENT = 4;

function isPhysical(
  shape: DecayShape,
  [amplitude = 0, time = 0, , first = 0, second = 0]: readonly number[],
): boolean {
  if (!(time > 0 && amplitude > 0)) return false;
  return shape === 'stretched'
    ? first >= 1 && first <= MAX_EXPONENT
    : first > 0 && second > 0 && residualRate(time, first, second) > 0;
}
