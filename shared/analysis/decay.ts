import { readComplexSweep } from '../datasets/rules.ts';
import { composeFigure, curveTrace, pointsTrace } from '../figures/compose.ts';
import type { Figure } from '../figures/model.ts';
import { estimateText } from './estimate-text.ts';
import { type ExponentialFit, fitExponential } from './exponential.ts';
import { signalDeviations } from './measurement-noise.ts';
import type { Analysis, AnalysisInput, Estimate } from './model.ts';
import { fitName, numberOf, sweepProblem, withoutFigures } from './parts.ts';
import { principal, type ScaledSignal, scaleSignal } from './state-scale.ts';

/** A decay counts as seen when its amplitude is this many standard errors. */
const SIGNIFICANT = 5;
const LARGEST_RELATIVE_ERROR = 0.5;

/** What an exponential decay is called: its output, its symbol and the title of its time axis. */
export interface DecayName {
  output: string;
  symbol: string;
  axis: string;
}

/**
 * Fits the decay A e^(−t/T) + C of `iq_re`, `iq_im` over `time` (ns), weighted by the measurement's noise; T is the
 * output, in us. With `reference_re`, `reference_im` over `state` (0 ground, 1 excited) the signal is scaled to
 * population, otherwise the principal axis of the points is taken as it is; T does not depend on that.
 */
export function analyseDecay(input: AnalysisInput, name: DecayName): Analysis {
  const sweep = readComplexSweep(input.dataset, 'time', 'iq');
  if (typeof sweep === 'string') return withoutFigures(sweep);
  const unusable = sweepProblem(sweep);
  if (unusable !== null) {
    return {
      outputs: {},
      r2: null,
      figures: [decayFigure(input, name, sweep.x, principal(sweep))],
      refused: unusable,
    };
  }
  const decay = scaleSignal(input.dataset, sweep);
  const exponential = fitWeighted(input, sweep.x, decay);
  const refused = refusal(sweep.x, decay, exponential);
  const { fit } = exponential;
  const time = {
    value: (fit.ok ? (fit.parameters[1] ?? 0) : 0) / 1000,
    error: (fit.ok ? (fit.errors[1] ?? 0) : 0) / 1000,
  };
  const found = refused === null ? time : undefined;
  const figures = [decayFigure(input, name, sweep.x, decay, exponential, found)];
  if (refused !== null) return { outputs: {}, r2: fit.r2, figures, refused };
  return { outputs: { [name.output]: time }, r2: fit.r2, figures };
}

/** First all points alike, then weighted by the noise that the first fit lets expect. */
function fitWeighted(input: AnalysisInput, t: readonly number[], decay: ScaledSignal): ExponentialFit {
  const first = fitExponential(t, decay.y);
  if (!first.fit.ok) return first;
  const [amplitude = 0, , offset = 0] = first.fit.parameters;
  const levels = decay.calibrated
    ? { ground: 0, excited: 1 }
    : { ground: offset, excited: offset + amplitude };
  const deviations = signalDeviations(
    t.map(first.evaluate),
    levels,
    decay.across,
    numberOf(input.runParameters.shots),
  );
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

function decayFigure(
  { task, qid }: AnalysisInput,
  { symbol, axis }: DecayName,
  t: readonly number[],
  decay: ScaledSignal,
  exponential?: ExponentialFit,
  time?: Estimate,
): Figure {
  const inMicroseconds = t.map((value) => value / 1000);
  const data = [pointsTrace('data', inMicroseconds, decay.y)];
  if (exponential?.fit.ok) {
    const name = fitName(exponential.fit.r2);
    data.push(curveTrace(name, inMicroseconds, (value) => exponential.evaluate(value * 1000), 'log'));
  }
  const found = time === undefined ? 'no usable fit' : `${symbol} = ${estimateText(time, 'us')}`;
  return composeFigure(data, {
    title: `${task.name} · qubit ${qid} · ${found}`,
    x: axis,
    y: decay.label,
    xScale: 'log',
  });
}
