import { type ComplexMap, readComplexMap } from '../../science/datasets/complex-map.ts';
import { fitCosine } from '../../science/fitting/cosine.ts';
import { rotateToPrincipalAxis } from '../../science/fitting/iq-rotation.ts';
import type { ContrastNoise } from '../../science/fitting/readout-peak.ts';
import { mean } from '../../science/fitting/statistics.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { analyseContrasts, type Contrasts } from '../common/analysis/readout-contrast.ts';
import { withoutFigures } from '../common/analysis/results.ts';

/**
 * Fits the contrast of Rabi oscillations `iq_re`, `iq_im` over pulse `time` and readout `frequency`. The best readout
 * frequency has the largest contrast.
 */
export function analyseReadoutFrequency(input: AnalysisInput): Analysis {
  const map = readComplexMap(input.dataset, 'time', 'frequency', 'iq');
  if (typeof map === 'string') return withoutFigures(map);
  const contrasts = rabiContrasts(map);
  return typeof contrasts === 'string' ? withoutFigures(contrasts) : analyseContrasts(input, contrasts);
}

/** Complex amplitude of the oscillation in each column, by linear regression on their common shape. */
function rabiContrasts({ x, y, re, im }: ComplexMap): Contrasts | string {
  if (x.length === 0 || y.length < 6) return `${y.length} pulse lengths are too few to see an oscillation`;
  const column = (part: readonly number[][], index: number) => part.map((row) => row[index] ?? Number.NaN);
  if ([...re, ...im].some((row) => !row.every(Number.isFinite))) return 'the map has points without a value';
  const spread = x.map((_, index) => {
    const [a, b] = [column(re, index), column(im, index)];
    const [meanA, meanB] = [mean(a), mean(b)];
    return a.reduce((sum, value, row) => sum + (value - meanA) ** 2 + ((b[row] ?? 0) - meanB) ** 2, 0);
  });
  const strongest = spread.indexOf(Math.max(...spread));
  const { along } = rotateToPrincipalAxis({ re: column(re, strongest), im: column(im, strongest) });
  const cosine = fitCosine(y, along);
  if (!cosine.fit.ok) return `no oscillation is seen at any readout frequency: ${cosine.fit.message}`;
  const shape = y.map(cosine.evaluate);
  const centre = mean(shape);
  const amplitude = Math.abs(cosine.fit.parameters[0] ?? 1);
  const pattern = shape.map((value) => (value - centre) / amplitude);
  const norm = pattern.reduce((sum, value) => sum + value ** 2, 0);
  const variances: number[] = [];
  const values = x.map((_, index) => {
    let residual = 0;
    const parts = [column(re, index), column(im, index)].map((values) => {
      const size = pattern.reduce((sum, value, row) => sum + value * (values[row] ?? 0), 0) / norm;
      const middle = mean(values);
      residual += values.reduce(
        (sum, value, row) => sum + (value - middle - size * (pattern[row] ?? 0)) ** 2,
        0,
      );
      return size;
    });
    variances.push(residual / (2 * (y.length - 2)) / norm);
    return Math.hypot(parts[0] ?? 0, parts[1] ?? 0);
  });
  const noise = splitNoise(values, variances);
  return { frequencies: x, values, noise, label: 'Amplitude of the oscillation (a.u.)' };
}

/**
 * Components of the noise per quadrature, from its growth with the contrast: without contrast there is only amplifier
 * noise. Projection noise is only in the direction of the distance, so it is twice the average of both quadratures
 * there.
 */
function splitNoise(values: readonly number[], variances: readonly number[]): ContrastNoise {
  const squares = values.map((value) => value ** 2);
  const [meanSquare, meanVariance] = [mean(squares), mean(variances)];
  const spread = squares.reduce((sum, square) => sum + (square - meanSquare) ** 2, 0);
  const common = squares.reduce(
    (sum, square, index) => sum + (square - meanSquare) * ((variances[index] ?? 0) - meanVariance),
    0,
  );
  const slope = spread > 0 ? Math.max(0, common / spread) : 0;
  const rest = meanVariance - slope * meanSquare;
  return { amplifier: Math.sqrt(Math.max(rest, 0.05 * meanVariance)), projection: 2 * slope };
}
