import type { Dataset } from '../../../science/datasets/model.ts';
import { readComplexSweep } from '../../../science/datasets/rules.ts';
import { composeFigure, curveTrace, pointsTrace } from '../../../science/figures/compose.ts';
import type { Figure } from '../../../science/figures/model.ts';
import { type Estimate, estimateText, SIGNIFICANT } from '../../../science/fitting/estimate.ts';
import { type ExponentialFit, fitExponential } from '../../../science/fitting/exponential.ts';
import { signalDeviations } from '../../../science/fitting/measurement-noise.ts';
import { sweepProblem } from '../../../science/fitting/sweep-problem.ts';
import { numberOf } from '../parameters.ts';
import { fitName, subjectOf } from './figure-text.ts';
import type { Analysis, AnalysisInput } from './model.ts';
import { withoutFigures } from './results.ts';
import { principal, type ScaledSignal, scaleSignal } from './state-scale.ts';

const LARGEST_RELATIVE_ERROR = 0.5;

/** What an exponential decay is called: its output, its symbol and the title of its time axis. */
export interface DecayName {
  output: string;
  symbol: string;
  axis: string;
}

/** One decay as measured, with its fit. */
export interface DecayFit {
  t: number[];
  signal: ScaledSignal;
  exponential?: ExponentialFit;
  /** Decay time in us; null where the fit is refused. */
  time: Estimate | null;
  r2: number | null;
  refused: string | null;
}

/**
 * Fits the decay A e^(−t/T) + C of `iq_re`, `iq_im` over `time` (ns), weighted by the measurement's noise. With
 * `reference_re`, `reference_im` over `state` (0 ground, 1 excited) the signal is scaled to population, otherwise the
 * principal axis of the points is taken as it is; T does not depend on that.
 * @returns a sentence where there is nothing to draw
 */
export function fitDecay(dataset: Dataset, shots: number | undefined): DecayFit | string {
  const sweep = readComplexSweep(dataset, 'time', 'iq');
  if (typeof sweep === 'string') return sweep;
  const unusable = sweepProblem(sweep);
  if (unusable !== null) {
    return { t: sweep.x, signal: principal(sweep), time: null, r2: null, refused: unusable };
  }
  const signal = scaleSignal(dataset, sweep);
  const exponential = fitWeighted(shots, sweep.x, signal);
  const refused = refusal(sweep.x, signal, exponential);
  const { fit } = exponential;
  const [time = 0, error = 0] = fit.ok ? [fit.parameters[1], fit.errors[1]] : [];
  return {
    t: sweep.x,
    signal,
    exponential,
    time: refused === null ? { value: time / 1000, error: error / 1000 } : null,
    r2: fit.r2,
    refused,
  };
}

/** Fits one decay; its time in us is the output. */
export function analyseDecay(input: AnalysisInput, name: DecayName): Analysis {
  const found = fitDecay(input.dataset, numberOf(input.runParameters.shots));
  if (typeof found === 'string') return withoutFigures(found);
  const figures = [decayFigure(input, name, found)];
  const { time, r2, refused } = found;
  if (time === null) return { outputs: {}, r2, figures, refused: refused ?? 'the fit gives no decay time' };
  return { outputs: { [name.output]: time }, r2, figures };
}

/** First all points alike, then weighted by the noise that the first fit lets expect. */
function fitWeighted(shots: number | undefined, t: readonly number[], decay: ScaledSignal): ExponentialFit {
  const first = fitExponential(t, decay.y);
  if (!first.fit.ok) return first;
  const [amplitude = 0, , offset = 0] = first.fit.parameters;
  const levels = decay.calibrated
    ? { ground: 0, excited: 1 }
    : { ground: offset, excited: offset + amplitude };
  const deviations = signalDeviations(t.map(first.evaluate), levels, decay.across, shots);
  return deviations === undefined ? first : fitExponential(t, decay.y, deviations);
}

/** Why the fit cannot be used, in numbers; null when it can. */
function refusal(t: readonly number[], decay: ScaledSignal, { fit }: ExponentialFit): string | null {
  if (!fit.ok) return fit.message;
  if (![...fit.parameters, ...fit.errors].every(Number.isFinite)) return 'the fit gives no finite values';
  const [amplitude = 0, time = 0] = fit.parameters;
  const [amplitudeError = 0, timeError = 0] = fit.errors;
  if (Math.abs(amplitude) < SIGNIFICANT * amplitudeError) {
    const found = estimateText({ value: amplitude, error: amplitudeError }, '');
    return `no decay stands out of the noise: its amplitude would be ${found}`;
  }
  if (decay.calibrated && amplitude < 0) {
    const found = estimateText({ value: amplitude, error: amplitudeError }, '');
    return `the population rises instead of decaying: its amplitude would be ${found}`;
  }
  const found = estimateText({ value: time / 1000, error: timeError / 1000 }, 'us');
  const [shortest, longest] = [Math.min(...t), Math.max(...t)];
  const resolved = time > shortest && time < longest && timeError < LARGEST_RELATIVE_ERROR * time;
  if (!resolved) {
    return `the decay is not resolved: ${found} in a sweep from ${shortest / 1000} to ${longest / 1000} us`;
  }
  return null;
}

/** The decay over a logarithmic axis of time; `part` names it among several of one measurement. */
export function decayFigure(
  { task, qid }: AnalysisInput,
  { symbol, axis }: DecayName,
  { t, signal, exponential, time }: DecayFit,
  part?: string,
): Figure {
  const inMicroseconds = t.map((value) => value / 1000);
  const data = [pointsTrace('data', inMicroseconds, signal.y)];
  if (exponential?.fit.ok) {
    const name = fitName(exponential.fit.r2);
    data.push(curveTrace(name, inMicroseconds, (value) => exponential.evaluate(value * 1000), 'log'));
  }
  const found = time === null ? 'no usable fit' : `${symbol} = ${estimateText(time, 'us')}`;
  return composeFigure(data, {
    title: `${subjectOf({ task, qid })}${part === undefined ? '' : ` · ${part}`} · ${found}`,
    x: axis,
    y: signal.label,
    xScale: 'log',
  });
}
