import { cosineStart } from './cosine.ts';
import { type CurveModel, type Fit, fitCurve } from './least-squares.ts';

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

/** Power of the complex signal X + iY at a frequency, after its mean is taken away. */
function power(t: readonly number[], x: readonly number[], y: readonly number[], frequency: number): number {
  let [re, im] = [0, 0];
  for (const [index, time] of t.entries()) {
    const [cosine, sine] = [
      Math.cos(2 * Math.PI * frequency * time),
      Math.sin(2 * Math.PI * frequency * time),
    ];
    re += (x[index] ?? 0) * cosine + (y[index] ?? 0) * sine;
    im += (y[index] ?? 0) * cosine - (x[index] ?? 0) * sine;
  }
  return re ** 2 + im ** 2;
}

/** The strongest of the two senses of rotation at each frequency of a periodogram of X + iY. */
function frequencyStart(t: readonly number[], x: readonly number[], y: readonly number[]): number {
  const span = Math.max(...t) - Math.min(...t);
  const highest = (t.length - 1) / (2 * span);
  const step = 1 / (8 * span);
  let best = { frequency: 0, power: Number.NEGATIVE_INFINITY };
  for (let count = -Math.floor(highest / step); count * step <= highest; count++) {
    const found = power(t, x, y, count * step);
    if (found > best.power) best = { frequency: count * step, power: found };
  }
  return best.frequency;
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
  const alongX = t.length < 6 ? undefined : cosineStart(t, x);
  const alongY = t.length < 6 ? undefined : cosineStart(t, y);
  if (alongX === undefined || alongY === undefined) {
    const message = t.length < 6 ? `${t.length} points are too few to fit fringes` : 'the data do not vary';
    const fit: Fit = { ok: false, failure: 'too-little-data', message, r2: null };
    return { fit, x: () => Number.NaN, y: () => Number.NaN, fitted: [] };
  }
  const [, , , offsetX = 0] = alongX;
  const [, , , offsetY = 0] = alongY;
  const centredX = x.map((value) => value - offsetX);
  const centredY = y.map((value) => value - offsetY);
  const frequency = frequencyStart(t, centredX, centredY);
  let [re, im] = [0, 0];
  for (const [index, time] of t.entries()) {
    const angle = -2 * Math.PI * frequency * time;
    const [a, b] = [centredX[index] ?? 0, centredY[index] ?? 0];
    re += (a * Math.cos(angle) - b * Math.sin(angle)) / t.length;
    im += (a * Math.sin(angle) + b * Math.cos(angle)) / t.length;
  }
  const span = Math.max(...t) - Math.min(...t);
  const amplitude = Math.hypot(re, im) || 1;
  const model = precession(t);
  const fit = fitCurve({
    x: [...t, ...t].map((_, index) => index),
    y: [...x, ...y],
    model,
    start: [amplitude, frequency, Math.atan2(im, re), offsetX, offsetY, 0.3 / span],
    scale: [amplitude, 1 / (2 * Math.PI * span), 1, amplitude, amplitude, 1 / span],
    sigma,
  });
  const used = fit.ok ? fit.parameters : [amplitude, frequency, Math.atan2(im, re), offsetX, offsetY, 0];
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
