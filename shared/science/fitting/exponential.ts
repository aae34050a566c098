import type { Estimate } from './estimate.ts';
import { type CurveModel, coefficientOfDetermination, type Fit } from './least-squares.ts';
import { fitWithOptionalMemory, predictedPoints } from './point-memory.ts';

/**
 * y = A e^(−t/τ) + C, parameters in the order A, τ, C. At t = Infinity the curve is C, so a known asymptote is an
 * additional point.
 */
export const exponentialDecay: CurveModel = {
  evaluate([amplitude = 0, time = 1, offset = 0], t) {
    return amplitude * Math.exp(-t / time) + offset;
  },
  gradient([amplitude = 0, time = 1], t) {
    if (t === Number.POSITIVE_INFINITY) return [0, 0, 1];
    const decay = Math.exp(-t / time);
    return [decay, (amplitude * decay * t) / time ** 2, 1];
  },
};

export interface ExponentialFit {
  /** Parameters A, τ, C and, if points may retain a fraction of the previous one, that fraction. */
  fit: Fit;
  evaluate(t: number): number;
}

/** Decay times tried as start values: their number for each factor of ten, and their range beyond the data. */
const STARTS_PER_DECADE = 12;
const START_REACH = 30;

/** The best of many decay times. Amplitude and offset follow linearly for each. */
function exponentialStart(
  t: readonly number[],
  y: readonly number[],
  weights: readonly number[],
): number[] | undefined {
  const positive = t.filter((time) => time > 0 && Number.isFinite(time));
  const [shortest, longest] = [Math.min(...positive), Math.max(...positive) * START_REACH];
  const candidates = Math.ceil(STARTS_PER_DECADE * Math.log10(longest / shortest)) + 1;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const weighted = (values: readonly number[]) =>
    values.reduce((sum, value, index) => sum + (weights[index] ?? 0) * value, 0) / total;
  const meanY = weighted(y);
  let best: { explained: number; values: number[] } | undefined;
  for (let candidate = 0; candidate < candidates; candidate++) {
    const time = shortest * (longest / shortest) ** (candidate / Math.max(1, candidates - 1));
    const decays = t.map((value) => Math.exp(-value / time));
    const meanDecay = weighted(decays);
    const variance = weighted(decays.map((value) => (value - meanDecay) ** 2));
    const covariance = weighted(
      decays.map((value, index) => (value - meanDecay) * ((y[index] ?? 0) - meanY)),
    );
    if (!(variance > 0)) continue;
    const amplitude = covariance / variance;
    const explained = amplitude * covariance;
    if (explained > (best?.explained ?? 0)) {
      best = { explained, values: [amplitude, time, meanY - amplitude * meanDecay] };
    }
  }
  return best?.values;
}

/** What is known about a decay in addition to its points. */
export interface KnownDecay {
  /** Standard deviation of each point up to a common factor. */
  sigma?: readonly number[] | undefined;
  /**
   * Its asymptote, known from another measurement. Without it, a decay that the sweep does not cover to its end looks
   * smaller and faster.
   */
  asymptote?: Estimate | undefined;
  /** The point before each point, if the points may retain a fraction of it. */
  before?: readonly number[] | undefined;
}

/**
 * Fits A e^(−t/τ) + C to y(t).
 *
 * @param t times ≥ 0 in any unit; τ has the same unit
 */
export function fitExponential(
  t: readonly number[],
  y: readonly number[],
  { sigma, asymptote, before }: KnownDecay = {},
): ExponentialFit {
  const further = asymptote === undefined ? [] : [asymptote];
  const x = [...t, ...further.map(() => Number.POSITIVE_INFINITY)];
  const values = [...y, ...further.map(({ value }) => value)];
  const usual = sigma ?? t.map(() => further[0]?.error ?? 1);
  const deviations = [...usual, ...further.map(({ error }) => error)];
  const weights = deviations.map((deviation) => 1 / deviation ** 2);
  const start = t.length < 5 ? undefined : exponentialStart(x, values, weights);
  if (start === undefined) {
    const message = t.length < 5 ? `${t.length} points are too few to fit a decay` : 'the data do not vary';
    return { fit: { ok: false, failure: 'too-little-data', message, r2: null }, evaluate: () => Number.NaN };
  }
  const [amplitude = 1, time = 1] = start;
  const scale = [Math.abs(amplitude) || 1, time, Math.abs(amplitude) || 1];
  const problem = { x, y: values, model: exponentialDecay, start, scale, sigma: deviations };
  const fit = fitWithOptionalMemory({ ...problem, before });
  const parameters = fit.ok ? fit.parameters : start;
  const evaluate = (value: number) => exponentialDecay.evaluate(parameters, value);
  // r² refers to the measured points, without the known asymptote.
  const r2 = coefficientOfDetermination(y, predictedPoints(t.map(evaluate), { before, fit })) ?? fit.r2;
  return { fit: fit.ok ? { ...fit, r2: r2 ?? fit.r2 } : { ...fit, r2 }, evaluate };
}
