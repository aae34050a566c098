import type { Estimate } from './estimate.ts';
import {
  type CurveModel,
  coefficientOfDetermination,
  type Fit,
  fitCurve,
  type SuccessfulFit,
} from './least-squares.ts';

/**
 * y = A p^m + C. Parameters in the order A, r, C with the rate r = −ln p, because small and large rates are equally
 * easy to fit. At m = Infinity the curve is C, so a known asymptote is an additional point.
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

/** The best of many rates. Amplitude and offset follow linearly for each. */
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

/** With fewer lengths, a fit of three parameters has no degree of freedom. */
const MIN_LENGTHS = 4;

function tooFew(m: readonly number[]): Fit {
  const message = `${m.length} lengths, up to ${Math.max(0, ...m)}, are too few to fit a decay`;
  return { ok: false, failure: 'too-little-data', message, r2: null };
}

function fitFrom(m: readonly number[], y: readonly number[], sigma: readonly number[]): Fit {
  const start = m.length <= MIN_LENGTHS ? undefined : powerDecayStart(m, y);
  if (start === undefined) {
    return { ok: false, failure: 'too-little-data', message: 'the data do not vary', r2: null };
  }
  const [amplitude = 1, rate = 1] = start;
  const scale = [Math.abs(amplitude) || 1, rate, Math.abs(amplitude) || 1];
  return fitCurve({ x: m, y, model: powerDecay, start, scale, sigma });
}

/** Points of a decay; `sigma` are their standard errors. */
export interface DecayPoints {
  m: readonly number[];
  y: readonly number[];
  sigma: readonly number[];
}

/** Minimum deviation. A deviation of zero, as of sequences that agree by chance, would outweigh all others. */
const MIN_DEVIATION = 1e-6;

function withDeviations({ m, y, sigma }: DecayPoints): DecayPoints {
  return { m, y, sigma: sigma.map((value) => Math.max(value, MIN_DEVIATION)) };
}

/** Decays of the same preparation and readout. */
export interface PowerDecayFits {
  each: PowerDecayFit[];
  /** Covariance of the rates of all decays; undefined if a fit failed. */
  rates?: number[][];
  /** Residuals of all points in units of their standard errors, curve by curve; null if a fit failed. */
  residuals: number[] | null;
}

/**
 * Fits A p^m + C to y(m), for several curves with the same A and C, which do not depend on the gates. An error of A or
 * C changes all rates in the same way. Errors follow from the deviations of the points, and are larger if the points
 * scatter more.
 *
 * @param asymptote C as known from another measurement. Without it, A and C are almost indistinguishable if the data do
 * not cover the decays to their end
 */
export function fitPowerDecays(given: readonly DecayPoints[], asymptote: Estimate): PowerDecayFits {
  const curves = given.map(withDeviations);
  const alone = curves.map(({ m, y, sigma }) =>
    fitFrom([...m, Number.POSITIVE_INFINITY], [...y, asymptote.value], [...sigma, asymptote.error]),
  );
  const starts = alone.flatMap((fit) => (fit.ok && fit.parameters.length > 0 ? [fit.parameters] : []));
  const failed = curves.some(({ m }) => m.length < MIN_LENGTHS) || starts.length < curves.length;
  if (failed) {
    const each = curves.map(({ m }, index) => ({
      fit: m.length < MIN_LENGTHS ? tooFew(m) : (alone[index] ?? tooFew(m)),
      evaluate: () => Number.NaN,
    }));
    return { each, residuals: null };
  }
  const mean = (parameter: number) =>
    starts.reduce((sum, parameters) => sum + (parameters[parameter] ?? 0), 0) / starts.length;
  const points = curves.flatMap(({ m, y, sigma }, curve) =>
    m.map((count, index) => ({ curve, count, y: y[index] ?? 0, sigma: sigma[index] ?? 1 })),
  );
  const end = { curve: 0, count: Number.POSITIVE_INFINITY, y: asymptote.value, sigma: asymptote.error };
  const all = [...points, end];
  const at = (index: number) => all[index] ?? end;
  const rateOf = (parameters: readonly number[], curve: number) => parameters[2 + curve] ?? 0;
  const model: CurveModel = {
    evaluate(parameters, index) {
      const [amplitude = 0, offset = 0] = parameters;
      const { curve, count } = at(index);
      return powerDecay.evaluate([amplitude, rateOf(parameters, curve), offset], count);
    },
    gradient(parameters, index) {
      const [amplitude = 0, offset = 0] = parameters;
      const { curve, count } = at(index);
      const [byAmplitude = 0, byRate = 0] = powerDecay.gradient(
        [amplitude, rateOf(parameters, curve), offset],
        count,
      );
      return [byAmplitude, 1, ...curves.map((_, other) => (other === curve ? byRate : 0))];
    },
  };
  const rates = starts.map(([, rate = 0]) => rate);
  const size = Math.abs(mean(0)) || 1;
  const fit = fitCurve({
    x: all.map((_, index) => index),
    y: all.map(({ y }) => y),
    model,
    start: [mean(0), mean(2), ...rates],
    scale: [size, size, ...rates.map((rate) => Math.abs(rate) || 1)],
    sigma: all.map(({ sigma }) => sigma),
  });
  if (!fit.ok) return { each: curves.map(() => ({ fit, evaluate: () => Number.NaN })), residuals: null };
  const { parameters } = fit;
  const residuals = all.map(({ y, sigma }, index) => (y - model.evaluate(parameters, index)) / sigma);
  const chiSquare = residuals.reduce((sum, value) => sum + value ** 2, 0) / (all.length - parameters.length);
  // The deviations are known, so a small scatter does not increase the weights. A large scatter decreases them.
  const factor = chiSquare > 0 && chiSquare < 1 ? 1 / chiSquare : 1;
  const covariance = fit.covariance.map((row) => row.map((value) => factor * value));
  return {
    each: curves.map((points, curve) => oneOf({ ...fit, covariance }, points, curve)),
    rates: curves.map((_, a) => curves.map((__, b) => covariance[2 + a]?.[2 + b] ?? Number.NaN)),
    residuals: residuals.slice(0, -1),
  };
}

/** The fit of one of several curves. r² refers to the measured points, without the asymptote. */
function oneOf(fit: SuccessfulFit, { m, y }: DecayPoints, curve: number): PowerDecayFit {
  const places = [0, 2 + curve, 1];
  const parameters = places.map((place) => fit.parameters[place] ?? Number.NaN);
  const covariance = places.map((a) => places.map((b) => fit.covariance[a]?.[b] ?? Number.NaN));
  const evaluate = (count: number) => powerDecay.evaluate(parameters, count);
  const r2 = coefficientOfDetermination(y, m.map(evaluate)) ?? fit.r2;
  const errors = covariance.map((row, index) => Math.sqrt(row[index] ?? Number.NaN));
  return { fit: { ...fit, parameters, covariance, errors, r2 }, evaluate };
}
