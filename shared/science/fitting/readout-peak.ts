import { rootAboveZero } from './bounded-estimate.ts';
import type { Estimate } from './estimate.ts';
import { type CurveModel, type Fit, fitCurve } from './least-squares.ts';

/**
 * Squared contrast of two states over the readout frequency. Two resonances of width κ at a distance of 2χ differ by 1
 * / (|κ/2 + i(x − χ)| |κ/2 + i(x + χ)|). The square of this is 1 / (x⁴ + b x² + c²) with b = κ²/2 − 2χ² and c = κ²/4 +
 * χ²: one peak, or two symmetric peaks if the distance is larger than the width. y = P / (1 + B u² + u⁴) with u = (f −
 * f0) / w. Parameters f0, w, B, P.
 */
const squaredContrast: CurveModel = {
  evaluate([middle = 0, width = 1, shape = 0, peak = 0], frequency) {
    const square = ((frequency - middle) / width) ** 2;
    return peak / (1 + shape * square + square ** 2);
  },
  gradient([middle = 0, width = 1, shape = 0, peak = 0], frequency) {
    const distance = (frequency - middle) / width;
    const square = distance ** 2;
    const denominator = 1 + shape * square + square ** 2;
    const bySquare = (-peak * (shape + 2 * square)) / denominator ** 2;
    return [
      (-2 * bySquare * distance) / width,
      (-2 * bySquare * square) / width,
      (-peak * square) / denominator ** 2,
      1 / denominator,
    ];
  },
};

/**
 * Noise of a measured distance d: that of the amplifier per quadrature, and in the direction of the distance an
 * additional variance of `projection` d².
 */
export interface ContrastNoise {
  amplifier: number;
  projection: number;
}

export interface ReadoutPeakFit {
  fit: Fit;
  /** Contrast, not its square. */
  evaluate(frequency: number): number;
}

/**
 * The frequency of the largest contrast: the middle, or either of two frequencies beside it. If the data do not
 * distinguish one peak from two, the error covers both cases.
 */
export function bestFrequencies({ fit }: ReadoutPeakFit): Estimate[] {
  if (!fit.ok) return [];
  const [middle = 0, width = 0, shape = 0] = fit.parameters;
  const [middleError = 0, , shapeError = 0] = fit.errors;
  // The frequencies of two peaks are the middle ± w √(−B/2).
  const beside = rootAboveZero({ value: -shape / 2, error: shapeError / 2 });
  const offset = width * beside.value;
  const error = Math.hypot(middleError, width * beside.error);
  const sides = offset > 0 ? [-1, 1] : [0];
  return sides.map((side) => ({ value: middle + side * offset, error }));
}

/** Start values of a fit for the shape and the width, the latter as fractions of the sweep. */
interface Starts {
  shapes: readonly number[];
  widths: readonly number[];
}

/** Shapes from one peak to two well separated peaks. */
const USUAL: Starts = { shapes: [1.5, 0.3, -1, -1.7], widths: [0.03, 0.06, 0.1, 0.15, 0.25, 0.4] };
/**
 * Further start values: peaks of few points, which may be noise, and pairs of peaks at a distance of 8 and 16 widths.
 */
const SHARP: readonly Starts[] = [
  { shapes: [...USUAL.shapes, -1.94, -1.984], widths: [0.007, 0.015] },
  { shapes: [-1.76, -1.94, -1.984], widths: USUAL.widths },
];
/** With at least this r², no further start values are tried. */
const GOOD = 0.97;

/**
 * Fits the middle of the contrast, measured as distances of two states. Squares of the distances are fitted: noise
 * increases all of them by the same 2 σ², which is subtracted, whereas the bias of distances depends on their size.
 */
export function fitReadoutPeak(
  frequencies: readonly number[],
  contrasts: readonly number[],
  { amplifier, projection }: ContrastNoise,
): ReadoutPeakFit {
  const refuse = (message: string): ReadoutPeakFit => ({
    fit: { ok: false, failure: 'too-little-data', message, r2: null },
    evaluate: () => Number.NaN,
  });
  if (frequencies.length < 7) return refuse(`${frequencies.length} frequencies are too few to fit a peak`);
  const centre = (Math.min(...frequencies) + Math.max(...frequencies)) / 2;
  const span = Math.max(...frequencies) - Math.min(...frequencies);
  const x = frequencies.map((frequency) => frequency - centre);
  const y = contrasts.map((contrast) => contrast ** 2 - 2 * amplifier ** 2);
  const total = y.reduce((sum, value) => sum + value, 0);
  if (!(total > 0)) return refuse('the data do not vary');
  const usual = bestStart(x, y, USUAL, span);
  if (usual === undefined) return refuse('the data do not vary');
  // The standard deviation of a square |d|² is 2 √(d² σ∥² + σ⁴).
  const deviation = (square: number) =>
    2 * Math.sqrt(square * (amplifier ** 2 + projection * square) + amplifier ** 4);
  const fitWith = (start: readonly number[], values: readonly number[]) => {
    const [, width = span, , peak = 1] = start;
    return fitCurve({
      x,
      y,
      model: squaredContrast,
      start,
      scale: [0.1 * width, 0.1 * width, 0.5, Math.abs(peak)],
      sigma: values.map((value) => deviation(Math.max(0, value))),
    });
  };
  const fitFrom = (start: readonly number[]) => {
    const first = fitWith(start, y);
    const smooth = first.ok ? first.parameters : start;
    const again = fitWith(
      smooth,
      x.map((value) => squaredContrast.evaluate(smooth, value)),
    );
    const fit = again.ok ? again : first;
    return { fit, used: fit.ok ? fit.parameters : start };
  };
  const quality = ({ fit }: { fit: Fit }) => (fit.ok ? fit.r2 : Number.NEGATIVE_INFINITY);
  let best = fitFrom(usual);
  for (const starts of SHARP) {
    if (quality(best) > GOOD) break;
    const sharp = bestStart(x, y, starts, span);
    const other = sharp === undefined ? best : fitFrom(sharp);
    if (quality(other) > quality(best)) best = other;
  }
  const { fit, used } = best;
  const evaluate = (frequency: number) =>
    Math.sqrt(Math.max(0, squaredContrast.evaluate(used, frequency - centre)));
  if (!fit.ok) return { fit, evaluate };
  const [middle = 0, ...rest] = fit.parameters;
  return { fit: { ...fit, parameters: [centre + middle, ...rest] }, evaluate };
}

/** The start curve that explains most of the data; undefined if none explains anything. */
function bestStart(
  x: readonly number[],
  y: readonly number[],
  { shapes, widths }: Starts,
  span: number,
): number[] | undefined {
  let best: { explained: number; start: number[] } | undefined;
  for (const part of widths) {
    for (const shape of shapes) {
      for (const middle of x) {
        const start = [middle, part * span, shape, 1];
        let norm = 0;
        let product = 0;
        for (let index = 0; index < x.length; index++) {
          const value = squaredContrast.evaluate(start, x[index] ?? 0);
          norm += value ** 2;
          product += value * (y[index] ?? 0);
        }
        const peak = product / norm;
        const explained = peak ** 2 * norm;
        if (peak > 0 && explained > (best?.explained ?? 0)) {
          best = { explained, start: [middle, part * span, shape, peak] };
        }
      }
    }
  }
  return best?.start;
}
