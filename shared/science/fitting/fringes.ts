import { type CurveModel, type Fit, fitCurve } from './least-squares.ts';
import { mean } from './statistics.ts';

/**
 * Both axes of a decaying precession, X(t) = A e^(−t r) cos(2π f t + φ) + Cx and Y(t) = A e^(−t r) sin(2π f t + φ) + Cy,
 * as one curve over the index: first all points of X, then all of Y. The frequency carries the sense of rotation.
 * Parameters in the order A, f, φ, Cx, Cy, r.
 */
function precession(t: readonly number[]): CurveModel {
  const at = (index: number) => ({ onX: index < t.length, time: t[index % t.length] ?? 0 });
  return {
    evaluate([amplitude = 0, frequency = 0, phase = 0, offsetX = 0, offsetY = 0, rate = 0], index) {
      const { onX, time } = at(index);
      const angle = 2 * Math.PI * frequency * time + phase;
      const size = amplitude * Math.exp(-time * rate);
      return onX ? size * Math.cos(angle) + offsetX : size * Math.sin(angle) + offsetY;
    },
    gradient([amplitude = 0, frequency = 0, phase = 0, , , rate = 0], index) {
      const { onX, time } = at(index);
      const angle = 2 * Math.PI * frequency * time + phase;
      const decay = Math.exp(-time * rate);
      const value = decay * (onX ? Math.cos(angle) : Math.sin(angle));
      const slope = amplitude * decay * (onX ? -Math.sin(angle) : Math.cos(angle));
      return [value, 2 * Math.PI * time * slope, slope, onX ? 1 : 0, onX ? 0 : 1, -time * amplitude * value];
    },
  };
}

export interface FringesFit {
  fit: Fit;
  x(t: number): number;
  y(t: number): number;
  /** Values of the fit at the points, X and then Y. */
  fitted: number[];
}

/** Rates of decay tried as start values, per length of the data. */
const START_RATES = [0.3, 2, 6];
/** Frequencies tried are this many for each turn over the data. */
const STARTS_PER_TURN = 6;

/**
 * Start values from the best of many frequencies, of either sense, and rates. For each the complex X + iY =
 * Z e^(2πi f t − r t) + C is linear in Z and C.
 */
function fringesStart(
  t: readonly number[],
  x: readonly number[],
  y: readonly number[],
): number[] | undefined {
  const n = t.length;
  const span = Math.max(...t) - Math.min(...t);
  const highest = (n - 1) / (2 * span);
  const step = 1 / (STARTS_PER_TURN * span);
  const [meanX, meanY] = [mean(x), mean(y)];
  let best: { explained: number; values: number[] } | undefined;
  for (const perSpan of START_RATES) {
    const rate = perSpan / span;
    for (let count = -Math.floor(highest / step); count * step <= highest; count++) {
      const frequency = count * step;
      let [sumRe, sumIm, squares, re, im] = [0, 0, 0, 0, 0];
      for (const [index, time] of t.entries()) {
        const size = Math.exp(-rate * time);
        const angle = 2 * Math.PI * frequency * time;
        const [a, b] = [size * Math.cos(angle), size * Math.sin(angle)];
        const [dx, dy] = [(x[index] ?? 0) - meanX, (y[index] ?? 0) - meanY];
        sumRe += a;
        sumIm += b;
        squares += size * size;
        re += dx * a + dy * b;
        im += dy * a - dx * b;
      }
      const variance = squares - (sumRe ** 2 + sumIm ** 2) / n;
      if (!(variance > 1e-9 * n)) continue;
      const explained = (re ** 2 + im ** 2) / variance;
      if (explained <= (best?.explained ?? 0)) continue;
      const [zRe, zIm] = [re / variance, im / variance];
      const offsetX = meanX - (zRe * sumRe - zIm * sumIm) / n;
      const offsetY = meanY - (zRe * sumIm + zIm * sumRe) / n;
      const values = [Math.hypot(zRe, zIm), frequency, Math.atan2(zIm, zRe), offsetX, offsetY, rate];
      best = { explained, values };
    }
  }
  return best?.values;
}

/**
 * Fits a decaying precession to both of its axes at once, which tells its sense of rotation as well as its frequency.
 *
 * @param sigma deviations of X and then of Y, up to a common factor
 */
export function fitFringes(
  t: readonly number[],
  x: readonly number[],
  y: readonly number[],
  sigma?: readonly number[],
): FringesFit {
  const start = t.length < 6 ? undefined : fringesStart(t, x, y);
  if (start === undefined) {
    const message = t.length < 6 ? `${t.length} points are too few to fit fringes` : 'the data do not vary';
    const fit: Fit = { ok: false, failure: 'too-little-data', message, r2: null };
    return { fit, x: () => Number.NaN, y: () => Number.NaN, fitted: [] };
  }
  const [amplitude = 1] = start;
  const span = Math.max(...t) - Math.min(...t);
  const model = precession(t);
  const fit = fitCurve({
    x: [...t, ...t].map((_, index) => index),
    y: [...x, ...y],
    model,
    start,
    scale: [amplitude, 1 / (2 * Math.PI * span), 1, amplitude, amplitude, 1 / span],
    sigma,
  });
  const used = fit.ok ? fit.parameters : start;
  const curve = precession([0]);
  const along = (offset: number) => (time: number) => {
    const [a = 0, f = 0, phase = 0, cx = 0, cy = 0, rate = 0] = used;
    // The model reads its time from the points; a shift of the phase and the size does the same for any other.
    const moved = [a * Math.exp(-time * rate), f, phase + 2 * Math.PI * f * time, cx, cy, rate];
    return curve.evaluate(moved, offset);
  };
  return {
    fit,
    x: along(0),
    y: along(1),
    fitted: [...t, ...t].map((_, index) => model.evaluate(used, index)),
  };
}
