import { type CurveModel, type Fit, fitCurve } from './least-squares.ts';

/** y = A e^(−t/τ) + C, parameters in the order A, τ, C. */
const exponentialDecay: CurveModel = {
  evaluate([amplitude = 0, time = 1, offset = 0], t) {
    return amplitude * Math.exp(-t / time) + offset;
  },
  gradient([amplitude = 0, time = 1], t) {
    const decay = Math.exp(-t / time);
    return [decay, (amplitude * decay * t) / time ** 2, 1];
  },
};

export interface ExponentialFit {
  fit: Fit;
  evaluate(t: number): number;
}

/** Number of decay times tried as start values, evenly on a logarithmic scale over the data. */
const START_CANDIDATES = 40;

/** The best of many decay times; amplitude and offset follow linearly for each. */
function exponentialStart(t: readonly number[], y: readonly number[]): number[] | undefined {
  const positive = t.filter((time) => time > 0);
  const [shortest, longest] = [Math.min(...positive), Math.max(...positive)];
  const n = t.length;
  const meanY = y.reduce((sum, value) => sum + value, 0) / n;
  let best: { explained: number; values: number[] } | undefined;
  for (let candidate = 0; candidate < START_CANDIDATES; candidate++) {
    const time = shortest * (longest / shortest) ** (candidate / (START_CANDIDATES - 1));
    const decays = t.map((value) => Math.exp(-value / time));
    const meanDecay = decays.reduce((sum, value) => sum + value, 0) / n;
    const variance = decays.reduce((sum, value) => sum + (value - meanDecay) ** 2, 0);
    const covariance = decays.reduce(
      (sum, value, index) => sum + (value - meanDecay) * ((y[index] ?? 0) - meanY),
      0,
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

/**
 * Fits A e^(−t/τ) + C to y(t).
 *
 * @param t times ≥ 0 in any unit; τ comes in the same
 * @param sigma standard deviation of each point up to a common factor
 */
export function fitExponential(
  t: readonly number[],
  y: readonly number[],
  sigma?: readonly number[],
): ExponentialFit {
  const start = t.length < 5 ? undefined : exponentialStart(t, y);
  if (start === undefined) {
    const message = t.length < 5 ? `${t.length} points are too few to fit a decay` : 'the data do not vary';
    return { fit: { ok: false, failure: 'too-little-data', message, r2: null }, evaluate: () => Number.NaN };
  }
  const [amplitude = 1, time = 1] = start;
  const scale = [Math.abs(amplitude) || 1, time, Math.abs(amplitude) || 1];
  const fit = fitCurve({ x: t, y, model: exponentialDecay, start, scale, sigma });
  const parameters = fit.ok ? fit.parameters : start;
  return { fit, evaluate: (value) => exponentialDecay.evaluate(parameters, value) };
}
