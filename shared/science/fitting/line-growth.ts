import type { ComplexMap } from '../datasets/complex-map.ts';
import { fitSaturatedLine, type SaturatedLine } from './line-fit.ts';
import { type LineMask, lineRows, varianceOfMap } from './qubit-map.ts';

/** How many photons of the drive a transition takes. */
export type Photons = 1 | 2;

/** Half the width of the window in which a line is fitted, GHz. */
const REACH = 0.04;
/** The better law leaves little more than noise, and the other one this much more, in variances of the noise. */
const MAX_LEFT = 2;
const DECISIVE = 25;

/**
 * How many photons a line takes, by how its height and width grow with the power: the Rabi frequency of one photon grows
 * with the amplitude of the drive, that of two with its square.
 * @returns undefined if the map does not show it
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

/** What a fitted line leaves, per degree of freedom, in variances of the noise. */
export function chiSquareOf(line: SaturatedLine, noise: number): number {
  const { fit } = line;
  return fit.ok ? sumOf(line, noise) / (fit.whitened.residuals.length - fit.parameters.length) : Number.NaN;
}
