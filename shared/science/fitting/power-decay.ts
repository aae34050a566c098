import type { Estimate } from './estimate.ts';
import { type CurveModel, coefficientOfDetermination, type Fit, fitCurve } from './least-squares.ts';

/**
 * y = A p^m + C. Parameters in the order A, r, C with the rate r = −ln p, of which small values are as easy to fit as
 * large ones. At m = Infinity the curve is C, so that a known asymptote is one more point.
 */
const powerDecay: CurveModel = {
  evaluate([amplitude = 0, rate = 0, offset = 0], m) {
    return m === Number.POSITIVE_INFINITY ? offset : amplitude * Math.exp(-rate * m) + offset;
  },
  gradient([amplitude = 0, rate = 0], m) {
    if (m === Number.POSITIVE_INFINITY) return [0, 0, 1];
    const decay = Math.exp(-rate * m);
    return [decay, -m * amplitude * decay, 1];
  },
};

export interface PowerDecayFit {
  /** Parameters A, r = −ln p, C. */
  fit: Fit;
  evaluate(m: number): number;
}

const START_CANDIDATES = 60;

/** The best of many rates; amplitude and offset follow linearly for each. */
function powerDecayStart(m: readonly number[], y: readonly number[]): number[] | undefined {
  const positive = m.filter((count) => count > 0 && Number.isFinite(count));
  const [slowest, fastest] = [0.01 / Math.max(...positive), 3 / Math.min(...positive)];
  const meanY = y.reduce((sum, value) => sum + value, 0) / y.length;
  let best: { explained: number; values: number[] } | undefined;
  for (let candidate = 0; candidate < START_CANDIDATES; candidate++) {
    const rate = slowest * (fastest / slowest) ** (candidate / (START_CANDIDATES - 1));
    const decays = m.map((count) => Math.exp(-rate * count));
    const meanDecay = decays.reduce((sum, value) => sum + value, 0) / m.length;
    const variance = decays.reduce((sum, value) => sum + (value - meanDecay) ** 2, 0);
    const covariance = decays.reduce(
      (sum, value, index) => sum + (value - meanDecay) * ((y[index] ?? 0) - meanY),
      0,
    );
    if (!(variance > 0)) continue;
    const amplitude = covariance / variance;
    if (amplitude * covariance > (best?.explained ?? 0)) {
      best = {
        explained: amplitude * covariance,
        values: [amplitude, rate, meanY - amplitude * meanDecay],
      };
    }
  }
  return best?.values;
}

function fitFrom(m: readonly number[], y: readonly number[], sigma: readonly number[]): Fit {
  const start = m.length < 4 ? undefined : powerDecayStart(m, y);
  if (start === undefined) {
    const message =
      m.length < 4
        ? `${m.length} lengths, up to ${Math.max(0, ...m)}, are too few to fit a decay`
        : 'the data do not vary';
    return { ok: false, failure: 'too-little-data', message, r2: null };
  }
  const [amplitude = 1, rate = 1] = start;
  const scale = [Math.abs(amplitude) || 1, rate, Math.abs(amplitude) || 1];
  return fitCurve({ x: m, y, model: powerDecay, start, scale, sigma });
}

/**
 * Fits A p^m + C to y(m).
 *
 * @param m numbers of gates, 0 or more
 * @param sigma standard error of each point
 * @param asymptote what C is known to be from elsewhere. A decay that the data follow to its end tells C better itself;
 * for one that they do not, A and C can hardly be told apart without.
 */
export function fitPowerDecay(
  m: readonly number[],
  y: readonly number[],
  sigma: readonly number[],
  asymptote: Estimate,
): PowerDecayFit {
  const free = fitFrom(m, y, sigma);
  const alone = free.ok && (free.errors[2] ?? Number.POSITIVE_INFINITY) < asymptote.error;
  const fit = alone
    ? free
    : fitFrom([...m, Number.POSITIVE_INFINITY], [...y, asymptote.value], [...sigma, asymptote.error]);
  if (!fit.ok) return { fit, evaluate: () => Number.NaN };
  const evaluate = (count: number) => powerDecay.evaluate(fit.parameters, count);
  // The quality is that of the measured points; the known asymptote is none.
  const r2 = coefficientOfDetermination(y, m.map(evaluate)) ?? fit.r2;
  return { fit: { ...fit, r2 }, evaluate };
}
