import type { ComplexMap } from '../datasets/complex-map.ts';
import { rotateToPrincipalAxis } from './iq-rotation.ts';
import { type Fit, fitCurve } from './least-squares.ts';

/** A rectangle of a map: rows, and the columns within `reach` GHz of a frequency. */
export interface Window {
  rows: readonly number[];
  centre: number;
  reach: number;
}

interface Point {
  /** Distance from the window's centre, GHz. */
  offset: number;
  power: number;
  /** Index of the row in the window. */
  row: number;
  re: number;
  im: number;
}

function pointsIn(map: ComplexMap, { rows, centre, reach }: Window): Point[] {
  return rows.flatMap((row, place) =>
    map.x.flatMap((frequency, column) => {
      const [re = Number.NaN, im = Number.NaN] = [map.re[row]?.[column], map.im[row]?.[column]];
      const offset = frequency - centre;
      if (Math.abs(offset) > reach || Number.isNaN(re) || Number.isNaN(im)) return [];
      return [{ offset, power: map.y[row] ?? 0, row: place, re, im }];
    }),
  );
}

/** The fitted line of a driven two-level system. */
export interface SaturatedLine {
  fit: Fit;
  frequency: number;
  error: number;
  /** Rabi frequency at 0 dB, GHz, and the square of the half width without drive. */
  rabiFrequency: number;
  widthSquared: number;
}

/**
 * Fits the steady state of a driven two-level system, S = S₀ + D Ω² / 2 (Ω² + δ² + γ²) with Ω² = w 10^(P/10), to a
 * window of a complex map. Parameters: S₀, D (two parts each), f₀ − centre, w, γ².
 *
 * @param photons number of photons of the transition: Ω is proportional to the drive amplitude to this power, so Ω² = w
 * 10^(photons P/10)
 */
export function fitSaturatedLine(map: ComplexMap, window: Window, photons: 1 | 2 = 1): SaturatedLine {
  const points = pointsIn(map, window);
  const driveAt = (power: number) => 10 ** ((photons * power) / 10);
  const share = (offset: number, power: number, w: number, width: number) => {
    const squared = w * driveAt(power);
    return squared / (2 * (squared + offset ** 2 + width));
  };
  const highest = Math.max(...points.map(({ power }) => power));
  const usualWidth = 1.5e-3 ** 2;
  // The line is about one column wide at the lowest powers. Its true width is visible at the highest.
  const candidates = [1, 2, 4, 8, 16, 32, 64].map((width) => (width * 1e-3) ** 2 / driveAt(highest));
  let start: number[] = [];
  let smallest = Number.POSITIVE_INFINITY;
  for (const w of candidates) {
    for (const shift of [-2.5e-3, 0, 2.5e-3]) {
      const linear = solveLinear(points, ({ offset, power }) => share(offset - shift, power, w, usualWidth));
      if (!(linear.residual < smallest)) continue;
      smallest = linear.residual;
      start = [...linear.parameters, shift, w, usualWidth];
    }
  }
  const [, , dRe = 1, dIm = 1, , w = 1] = start;
  const size = Math.hypot(dRe, dIm) || 1;
  const point = (x: number) => points[x >> 1] ?? { offset: 0, power: 0 };
  const fit = fitCurve({
    x: points.flatMap((_, index) => [2 * index, 2 * index + 1]),
    y: points.flatMap(({ re, im }) => [re, im]),
    model: {
      evaluate([sRe = 0, sIm = 0, tRe = 0, tIm = 0, shift = 0, rate = 0, width = 0], x) {
        const { offset, power } = point(x);
        const value = share(offset - shift, power, rate, width);
        return x % 2 === 0 ? sRe + tRe * value : sIm + tIm * value;
      },
      gradient([, , tRe = 0, tIm = 0, shift = 0, rate = 0, width = 0], x) {
        const { offset, power } = point(x);
        const factor = driveAt(power);
        const detuning = offset - shift;
        const denominator = rate * factor + detuning ** 2 + width;
        const value = (rate * factor) / (2 * denominator);
        const part = x % 2 === 0 ? tRe : tIm;
        return [
          x % 2 === 0 ? 1 : 0,
          x % 2 === 0 ? 0 : 1,
          x % 2 === 0 ? value : 0,
          x % 2 === 0 ? 0 : value,
          (part * value * 2 * detuning) / denominator,
          (part * factor * (detuning ** 2 + width)) / (2 * denominator ** 2),
          (-part * value) / denominator,
        ];
      },
    },
    start,
    scale: [size, size, size, size, 2e-3, w, usualWidth],
  });
  const found = fit.ok ? fit.parameters : [];
  return {
    fit,
    frequency: window.centre + (found[4] ?? Number.NaN),
    error: fit.ok ? (fit.errors[4] ?? Number.NaN) : Number.NaN,
    rabiFrequency: Math.sqrt(Math.max(0, found[5] ?? 0)),
    widthSquared: Math.max(0, found[6] ?? 0),
  };
}

/** S₀ and D for a known shape, by linear least squares. */
function solveLinear(points: readonly Point[], shape: (point: Point) => number) {
  const n = points.length;
  let [s, ss, re, im, sRe, sIm, size] = [0, 0, 0, 0, 0, 0, 0];
  for (const point of points) {
    const value = shape(point);
    s += value;
    ss += value * value;
    re += point.re;
    im += point.im;
    sRe += value * point.re;
    sIm += value * point.im;
    size += point.re ** 2 + point.im ** 2;
  }
  const variance = ss - (s * s) / n;
  const [dRe, dIm] = [(sRe - (s * re) / n) / variance, (sIm - (s * im) / n) / variance];
  const residual = size - (re ** 2 + im ** 2) / n - (dRe ** 2 + dIm ** 2) * variance;
  return { residual, parameters: [(re - dRe * s) / n, (im - dIm * s) / n, dRe, dIm] };
}

export interface WeakLine {
  fit: Fit;
  frequency: number;
  error: number;
  /** Largest height of the line in a row, in standard errors. */
  significance: number;
}

/**
 * Fits a line on the flank of a stronger one, along the principal axis of the window: in each row A γ² / (δ² + γ²) on a
 * linear background, with the same frequency in all rows.
 *
 * @param widthSquared square of the line's half width at a power. If `free`, a factor on it is fitted.
 */
export function fitWeakLine(
  map: ComplexMap,
  window: Window,
  widthSquared: (power: number) => number,
  free: boolean,
): WeakLine {
  const points = pointsIn(map, window);
  const y = rotateToPrincipalAxis({ re: points.map(({ re }) => re), im: points.map(({ im }) => im) }).along;
  const rows = window.rows.length;
  const at = (x: number) => points[x] ?? { offset: 0, power: 0, row: 0 };
  const spread = Math.max(...y) - Math.min(...y) || 1;
  const parameters = 1 + 3 * rows + (free ? 1 : 0);
  const shapeAt = (offset: number, power: number, factor: number) => {
    const width = Math.max(1e-8, factor) * widthSquared(power);
    return width / (offset ** 2 + width);
  };
  const fit = fitCurve({
    x: points.map((_, index) => index),
    y,
    model: {
      evaluate(values, x) {
        const { offset, power, row } = at(x);
        const [shift = 0] = values;
        const [height = 0, level = 0, slope = 0] = values.slice(1 + 3 * row, 4 + 3 * row);
        const shape = shapeAt(offset - shift, power, free ? (values[1 + 3 * rows] ?? 1) : 1);
        return level + slope * offset + height * shape;
      },
      gradient(values, x) {
        const { offset, power, row } = at(x);
        const [shift = 0] = values;
        const factor = free ? Math.max(1e-8, values[1 + 3 * rows] ?? 1) : 1;
        const height = values[1 + 3 * row] ?? 0;
        const detuning = offset - shift;
        const width = factor * widthSquared(power);
        const denominator = detuning ** 2 + width;
        const gradient = new Array<number>(parameters).fill(0);
        gradient[0] = (height * width * 2 * detuning) / denominator ** 2;
        gradient[1 + 3 * row] = width / denominator;
        gradient[2 + 3 * row] = 1;
        gradient[3 + 3 * row] = offset;
        if (free) gradient[1 + 3 * rows] = (height * widthSquared(power) * detuning ** 2) / denominator ** 2;
        return gradient;
      },
    },
    start: weakStart(points, y, { rows, free, shapeAt }),
    scale: [
      2e-3,
      ...Array.from({ length: rows }, () => [spread, spread, spread / window.reach]).flat(),
      ...(free ? [1] : []),
    ],
  });
  const found = fit.ok ? fit.parameters : [];
  const heights = window.rows.map((_, row) => {
    const error = fit.ok ? (fit.errors[1 + 3 * row] ?? Number.NaN) : Number.NaN;
    return Math.abs(found[1 + 3 * row] ?? 0) / error;
  });
  return {
    fit,
    frequency: window.centre + (found[0] ?? Number.NaN),
    error: fit.ok ? (fit.errors[0] ?? Number.NaN) : Number.NaN,
    significance: Math.max(...heights),
  };
}

/** Height and background of each row from its middle and its ends. */
function weakStart(
  points: readonly Point[],
  y: readonly number[],
  model: {
    rows: number;
    free: boolean;
    shapeAt(offset: number, power: number, factor: number): number;
  },
): number[] {
  const { rows, free, shapeAt } = model;
  const starts = Array.from({ length: rows }, (_, row) => {
    const own = points.flatMap((point, index) => (point.row === row ? [{ ...point, y: y[index] ?? 0 }] : []));
    const [first, last] = [own[0], own.at(-1)];
    if (first === undefined || last === undefined) return [0, 0, 0];
    const slope = (last.y - first.y) / (last.offset - first.offset || 1);
    const level = first.y - slope * first.offset;
    let [ss, sy] = [0, 0];
    for (const { offset, power, y: value } of own) {
      const shape = shapeAt(offset, power, 1);
      ss += shape ** 2;
      sy += shape * (value - level - slope * offset);
    }
    return [sy / (ss || 1), level, slope];
  });
  return [0, ...starts.flat(), ...(free ? [1] : [])];
}
