import { type ComplexMap, readComplexMap } from '../../science/datasets/complex-map.ts';
import { composeFigure, curveTrace, markerTrace, pointsTrace } from '../../science/figures/compose.ts';
import type { Figure } from '../../science/figures/model.ts';
import { fitCosine } from '../../science/fitting/cosine.ts';
import { type Estimate, estimateText, SIGNIFICANT } from '../../science/fitting/estimate.ts';
import { rotateToPrincipalAxis } from '../../science/fitting/iq-rotation.ts';
import { type ContrastNoise, fitReadoutPeak, type ReadoutPeakFit } from '../../science/fitting/readout-peak.ts';
import { mean } from '../../science/fitting/statistics.ts';
import { sweepProblem } from '../../science/fitting/sweep-problem.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { fitName, withoutFigures } from '../common/analysis/parts.ts';

/** How far the states lie apart at each readout frequency, and the noise of that. */
interface Contrasts {
  frequencies: number[];
  values: number[];
  noise: ContrastNoise;
  label: string;
}

/**
 * Rabi oscillations `iq_re`, `iq_im` over (`time`, `frequency`), the latter the readout's: where their contrast is
 * largest the states are read out best.
 */
export function analyseReadoutFrequency(input: AnalysisInput): Analysis {
  const map = readComplexMap(input.dataset, 'time', 'frequency', 'iq');
  if (typeof map === 'string') return withoutFigures(map);
  const contrasts = rabiContrasts(map);
  return typeof contrasts === 'string' ? withoutFigures(contrasts) : analyseContrasts(input, contrasts);
}

/** Averaged signals `iq_re`, `iq_im` over (`state`, `frequency`): where both prepared states lie furthest apart. */
export function analyseOptimalReadoutFrequency(input: AnalysisInput): Analysis {
  const map = readComplexMap(input.dataset, 'state', 'frequency', 'iq');
  if (typeof map === 'string') return withoutFigures(map);
  const contrasts = stateDistances(map);
  return typeof contrasts === 'string' ? withoutFigures(contrasts) : analyseContrasts(input, contrasts);
}

function analyseContrasts(input: AnalysisInput, contrasts: Contrasts): Analysis {
  const { frequencies, values, noise } = contrasts;
  const unusable = sweepProblem({ x: frequencies, re: values, im: values });
  if (unusable !== null) return withoutFigures(unusable);
  const peak = fitReadoutPeak(frequencies, values, noise);
  const refused = refusal(frequencies, peak);
  const { fit } = peak;
  const found = fit.ok ? { value: fit.parameters[0] ?? 0, error: fit.errors[0] ?? 0 } : undefined;
  const frequency = refused === null ? found : undefined;
  const figures = [contrastFigure(input, contrasts, peak, frequency)];
  if (frequency === undefined) {
    return { outputs: {}, r2: fit.r2, figures, refused: refused ?? 'the fit gives no frequency' };
  }
  return { outputs: { readout_frequency: frequency }, r2: fit.r2, figures };
}

/** Complex size of the oscillation that all columns share, by linear regression on its shape. */
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
 * Parts of the noise per quadrature, from its growth with the contrast: only the amplifier's is there without contrast.
 * Projection noise lies along the distance alone, so there it is twice what both quadratures have on average.
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

function stateDistances({ x, y, re, im }: ComplexMap): Contrasts | string {
  const [ground, excited] = [y.indexOf(0), y.indexOf(1)];
  if (ground < 0 || excited < 0) return 'the dataset lacks the signals of the states 0 and 1';
  const distances = x.map((_, index) => ({
    re: (re[excited]?.[index] ?? Number.NaN) - (re[ground]?.[index] ?? Number.NaN),
    im: (im[excited]?.[index] ?? Number.NaN) - (im[ground]?.[index] ?? Number.NaN),
  }));
  if (distances.some((each) => !Number.isFinite(each.re + each.im)))
    return 'there are points without a value';
  // Second differences of a smooth curve are its noise, √6 times as large.
  const seconds = distances.slice(1, -1).flatMap((middle, index) => {
    const [before, after] = [distances[index], distances[index + 2]];
    if (before === undefined || after === undefined) return [];
    return [before.re - 2 * middle.re + after.re, before.im - 2 * middle.im + after.im];
  });
  const sorted = seconds.map(Math.abs).sort((a, b) => a - b);
  // The median, so that a sharp peak does not count as noise; 0.6745 is that of a standard normal.
  const noise = (sorted[Math.floor(sorted.length / 2)] ?? 0) / 0.6745 / Math.sqrt(6);
  return {
    frequencies: x,
    values: distances.map((each) => Math.hypot(each.re, each.im)),
    noise: { amplifier: noise || Number.MIN_VALUE, projection: 0 },
    label: 'Distance of the states (a.u.)',
  };
}

/** Why the fit cannot be used, in numbers; null when it can. */
function refusal(frequencies: readonly number[], { fit }: ReadoutPeakFit): string | null {
  if (!fit.ok) return fit.message;
  if (![...fit.parameters, ...fit.errors].every(Number.isFinite)) return 'the fit gives no finite values';
  const [middle = 0, , , peak = 0] = fit.parameters;
  const [middleError = 0, , , peakError = 0] = fit.errors;
  if (peak < SIGNIFICANT * peakError) {
    const found = estimateText({ value: peak, error: peakError }, 'a.u.');
    return `no peak stands out of the noise: its squared height would be ${found}`;
  }
  const found = estimateText({ value: middle, error: middleError }, 'GHz');
  const [lowest, highest] = [Math.min(...frequencies), Math.max(...frequencies)];
  if (middle < lowest || middle > highest) {
    return `the peak lies outside of the sweep: ${found} where it goes from ${lowest} to ${highest} GHz`;
  }
  if (middleError > 0.1 * (highest - lowest)) return `the peak is not resolved: ${found}`;
  return null;
}

function contrastFigure(
  { task, qid }: AnalysisInput,
  { frequencies, values, label }: Contrasts,
  peak: ReadoutPeakFit,
  frequency?: Estimate,
): Figure {
  const data = [pointsTrace('data', frequencies, values)];
  if (peak.fit.ok) data.push(curveTrace(fitName(peak.fit.r2), frequencies, peak.evaluate));
  if (frequency !== undefined) data.push(markerTrace('best', frequency.value, 0, Math.max(...values)));
  const found = frequency === undefined ? 'no usable fit' : `best at ${estimateText(frequency, 'GHz')}`;
  return composeFigure(data, {
    title: `${task.name} · qubit ${qid} · ${found}`,
    x: 'Readout frequency (GHz)',
    y: label,
  });
}
