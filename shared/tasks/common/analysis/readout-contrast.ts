import { markerTrace } from '../../../science/figures/compose.ts';
import { composeFit } from '../../../science/figures/fit-figure.ts';
import type { Figure } from '../../../science/figures/model.ts';
import { type Estimate, estimateText, SIGNIFICANT } from '../../../science/fitting/estimate.ts';
import {
  bestFrequencies,
  type ContrastNoise,
  fitReadoutPeak,
  type ReadoutPeakFit,
} from '../../../science/fitting/readout-peak.ts';
import { mean } from '../../../science/fitting/statistics.ts';
import { sweepProblem } from '../../../science/fitting/sweep-problem.ts';
import type { NextPassSettings } from '../../next-pass.ts';
import { numberOf } from '../parameters.ts';
import { fitName, subjectOf } from './figure-text.ts';
import type { Analysis, AnalysisInput } from './model.ts';
import { withoutFigures } from './results.ts';

/** Number of points from which the height of a peak is determined. */
const AROUND = 3;

/** Distance between the states at each readout frequency, and its noise. */
export interface Contrasts {
  frequencies: number[];
  values: number[];
  noise: ContrastNoise;
  label: string;
}

/**
 * Fits the contrast. Its maximum is where the states are distinguished best: midway between both resonators, or beside
 * that if their distance is larger than their width.
 */
export function analyseContrasts(input: AnalysisInput, contrasts: Contrasts): Analysis {
  const { frequencies, values, noise } = contrasts;
  const unusable = sweepProblem({ x: frequencies, re: values, im: values });
  if (unusable !== null) return withoutFigures(unusable);
  const peak = fitReadoutPeak(frequencies, values, noise);
  const refused = refusal(frequencies, peak);
  const { fit } = peak;
  const frequency = refused === null ? highest(contrasts, bestFrequencies(peak)) : undefined;
  const figures = [contrastFigure(input, contrasts, peak, frequency)];
  // The requested settings apply if the fit is refused, either by the gate for its r2 or here.
  const again = finerRun(input, contrasts);
  if (frequency === undefined) {
    const why = refused ?? 'the fit gives no frequency';
    return { outputs: {}, r2: fit.r2, figures, refused: why, ...(again && { again }) };
  }
  return { outputs: { readout_frequency: frequency }, r2: fit.r2, figures, ...(again && { again }) };
}

/** Factor by which a next pass sweeps finer, and its margin around the peaks, in points of this one. */
const FINER = 4;
const MARGIN = 10;
/** Noise alone rarely makes a point deviate by this many standard deviations in a sweep of usual length. */
const STANDS_OUT = 5;

/** A peak with this many neighbouring points above half its height is resolved; finer steps would not improve its fit. */
const RESOLVED = 7;

/**
 * A sweep that shows peaks narrower than this one resolves; undefined if none exceeds the noise, or one is wide enough to
 * be resolved.
 */
function finerRun(
  { inputs }: AnalysisInput,
  { frequencies, values, noise }: Contrasts,
): NextPassSettings | undefined {
  const stored = numberOf(inputs.readout_frequency);
  const sorted = [...frequencies].sort((a, b) => a - b);
  const seen = sorted.flatMap((frequency, index) =>
    (values[frequencies.indexOf(frequency)] ?? 0) > STANDS_OUT * noise.amplifier ? [index] : [],
  );
  const [first, last] = [seen[0], seen.at(-1)];
  if (stored === undefined || first === undefined || last === undefined) return undefined;
  const at = (index: number) => sorted[Math.min(sorted.length - 1, Math.max(0, index))] ?? stored;
  const half = Math.max(...values) / 2;
  const high = seen.filter((index) => (values[frequencies.indexOf(at(index))] ?? 0) > half);
  if (high.some((index, place) => high[place + RESOLVED - 1] === index + RESOLVED - 1)) return undefined;
  const [from, to] = [at(first - MARGIN), at(last + MARGIN)];
  const spacing = (at(sorted.length - 1) - at(0)) / (sorted.length - 1);
  const points = Math.round((FINER * (to - from)) / spacing) + 1;
  const offsets = [from - stored, to - stored].map((offset) => Number(offset.toFixed(9)));
  return {
    run: { detuning_range: { value: [...offsets, points], value_type: 'np.linspace' } },
    reason: `a peak much narrower than the ${(1000 * spacing).toPrecision(2)} MHz between two points is not resolved`,
  };
}

/** The lower of two frequencies, unless the contrast is significantly larger at the other. */
function highest(
  { frequencies, values, noise }: Contrasts,
  [lower, upper]: readonly Estimate[],
): Estimate | undefined {
  if (lower === undefined || upper === undefined) return lower;
  const measuredAt = ({ value }: Estimate) => {
    const order = frequencies.map((_, index) => index);
    order.sort((a, b) => Math.abs((frequencies[a] ?? 0) - value) - Math.abs((frequencies[b] ?? 0) - value));
    return mean(order.slice(0, AROUND).map((index) => values[index] ?? 0));
  };
  const [ofLower, ofUpper] = [measuredAt(lower), measuredAt(upper)];
  const deviation = Math.hypot(noise.amplifier, Math.sqrt(noise.projection) * ofUpper);
  return ofUpper - ofLower > SIGNIFICANT * deviation * Math.sqrt(2 / AROUND) ? upper : lower;
}

/** The reason why the fit cannot be used, with numbers; null if it can. */
function refusal(frequencies: readonly number[], { fit }: ReadoutPeakFit): string | null {
  if (!fit.ok) return fit.message;
  if (![...fit.parameters, ...fit.errors].every(Number.isFinite)) return 'the fit gives no finite values';
  const [middle = 0, , , peak = 0] = fit.parameters;
  const [middleError = 0, , , peakError = 0] = fit.errors;
  if (peak < SIGNIFICANT * peakError) {
    const found = estimateText({ value: peak, error: peakError }, 'a.u.');
    return `no peak exceeds the noise: its squared height would be ${found}`;
  }
  const found = estimateText({ value: middle, error: middleError }, 'GHz');
  const [lowest, highest] = [Math.min(...frequencies), Math.max(...frequencies)];
  if (middle < lowest || middle > highest) {
    return `the peak is outside of the sweep: ${found}, and the sweep is from ${lowest} to ${highest} GHz`;
  }
  if (middleError > 0.1 * (highest - lowest)) return `the peak is not resolved: ${found}`;
  return null;
}

function contrastFigure(
  { task, qid }: AnalysisInput,
  { frequencies, values, noise, label }: Contrasts,
  peak: ReadoutPeakFit,
  frequency?: Estimate,
): Figure {
  const curve = peak.fit.ok ? { name: fitName(peak.fit.r2), at: peak.evaluate } : null;
  const expected = curve === null ? values : frequencies.map(curve.at);
  const sigma = expected.map((value) => Math.hypot(noise.amplifier, Math.sqrt(noise.projection) * value));
  const marks = frequency === undefined ? [] : [markerTrace('best', frequency.value, 0, Math.max(...values))];
  const found = frequency === undefined ? 'no usable fit' : `best at ${estimateText(frequency, 'GHz')}`;
  return composeFit(
    [{ name: 'data', x: frequencies, y: values, sigma, curve }],
    { title: `${subjectOf({ task, qid })} · ${found}`, x: 'Readout frequency (GHz)', y: label },
    marks,
  );
}
