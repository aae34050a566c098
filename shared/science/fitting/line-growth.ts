import type { ComplexMap } from '../datasets/complex-map.ts';
import { fitSaturatedLine, type SaturatedLine } from './line-fit.ts';
import { type LineMask, lineRows, varianceOfMap } from './qubit-map.ts';

/** Number of drive photons of a transition. */
export type Photons = 1 | 2;

/** Half width of the window in which a line is fitted, GHz. */
const REACH = 0.04;
/**
 * Limits of residual variances, in variances of the noise: the better law must leave little more than noise, and the
 * other law this much more.
 */
const MAX_LEFT = 2;
const DECISIVE = 25;

/**
 * Number of photons of a line, from the growth of its height and width with the power: the Rabi frequency of a
 * one-photon transition grows with the amplitude of the drive, that of a two-photon transition with its square.
 * @returns undefined if the map does not decide it
 */
export function photonsOf(
  signal: ComplexMap,
  mask: LineMask,
  { column, tip }: { column: number; tip: number },
): Photons | undefined {
  const noise = varianceOfMap(signal);
  const window = {
    rows: lineRows(mask, { column, tip }),
    centre: signal.x[column] ?? 0,
    reach: REACH,
  };
  if (!(noise > 0) || window.rows.length < 2) return undefined;
  const left = ([1, 2] as const).map((photons) => {
    const line = fitSaturatedLine(signal, window, photons);
    return { photons, perPoint: chiSquareOf(line, noise), sum: sumOf(line, noise) };
  });
  const [better, worse] = left.sort((a, b) => a.sum - b.sum);
  if (better === undefined || worse === undefined || !(better.perPoint < MAX_LEFT)) return undefined;
  return worse.sum - better.sum > DECISIVE * Math.max(1, better.perPoint) ? better.photons : undefined;
}

function sumOf({ fit }: SaturatedLine, noise: number): number {
  return fit.ok ? fit.residualSumOfSquares / noise : Number.POSITIVE_INFINITY;
}

/** Residual variance of a fitted line per degree of freedom, in variances of the noise. */
export function chiSquareOf(line: SaturatedLine, noise: number): number {
  const { fit } = line;
  return fit.ok ? sumOf(line, noise) / (fit.whitened.residuals.length - fit.parameters.length) : Number.NaN;
}
