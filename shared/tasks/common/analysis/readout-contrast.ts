import { composeFigure, curveTrace, markerTrace, pointsTrace } from '../../../science/figures/compose.ts';
import type { Figure } from '../../../science/figures/model.ts';
import { type Estimate, estimateText, SIGNIFICANT } from '../../../science/fitting/estimate.ts';
import {
  type ContrastNoise,
  fitReadoutPeak,
  type ReadoutPeakFit,
} from '../../../science/fitting/readout-peak.ts';
import { sweepProblem } from '../../../science/fitting/sweep-problem.ts';
import { fitName, subjectOf } from './figure-text.ts';
import type { Analysis, AnalysisInput } from './model.ts';
import { withoutFigures } from './results.ts';

/** How far the states lie apart at each readout frequency, and the noise of that. */
export interface Contrasts {
  frequencies: number[];
  values: number[];
  noise: ContrastNoise;
  label: string;
}

/** Fits the peak of the contrast; where it is highest the states are told apart best. */
export function analyseContrasts(input: AnalysisInput, contrasts: Contrasts): Analysis {
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
    title: `${subjectOf({ task, qid })} · ${found}`,
    x: 'Readout frequency (GHz)',
    y: label,
  });
}
