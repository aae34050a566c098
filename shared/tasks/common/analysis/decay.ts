import type { Dataset } from '../../../science/datasets/model.ts';
import { readComplexSweep } from '../../../science/datasets/rules.ts';
import { pointsTrace } from '../../../science/figures/compose.ts';
import { composeFit } from '../../../science/figures/fit-figure.ts';
import type { Figure } from '../../../science/figures/model.ts';
import { ROUNDING } from '../../../science/fitting/axis-departure.ts';
import type { DecayShape } from '../../../science/fitting/decay-shapes.ts';
import { type Estimate, estimateText, SIGNIFICANT } from '../../../science/fitting/estimate.ts';
import { type ExponentialFit, fitExponential } from '../../../science/fitting/exponential.ts';
import { signalDeviations } from '../../../science/fitting/measurement-noise.ts';
import { sweepFault } from '../../../science/fitting/residuals.ts';
import { mean, standardDeviation } from '../../../science/fitting/statistics.ts';
import { sweepProblem } from '../../../science/fitting/sweep-problem.ts';
import { setWildPointsApart } from '../../../science/fitting/wild-points.ts';
import type { Again } from '../../measuring-again.ts';
import { numberOf } from '../parameters.ts';
import { fitName, subjectOf } from './figure-text.ts';
import { fitJudged, type JudgedFit, parameterEstimate } from './judged-fit.ts';
import type { Analysis, AnalysisInput } from './model.ts';
import { withoutFigures } from './results.ts';
import { chosenDecay, type FittedDecay, fitShape, shapeOf } from './shaped-decay.ts';
import { principal, type ScaledSignal, scaleSignal } from './state-scale.ts';

const LARGEST_RELATIVE_ERROR = 0.5;
/** Points at either end of a sweep that tell whether it rises. */
const FEWEST_AT_AN_END = 4;

/** Where a decay ends, in population, and by how much imperfect pulses may move that. */
export interface DecayEnd extends Estimate {
  /** The decay may come from either side, by the phase of the last pulse; otherwise it comes from above. */
  eitherSide?: boolean;
}

/** What an exponential decay is called: its output, its symbol and the title of its time axis. */
export interface DecayName {
  output: string;
  symbol: string;
  axis: string;
  /** Where the decay ends, in population, and by how much imperfect pulses may move that; see {@link fitDecay}. */
  end: DecayEnd;
  /** How it may go where it is no exponential. */
  shapes: readonly DecayShape[];
}

/** One decay as measured, with its fit. */
export interface DecayFit {
  t: number[];
  signal: ScaledSignal;
  /** Of each point, where the noise is known. */
  sigma?: readonly number[] | undefined;
  /** Points that lie beyond all noise and do not count. */
  wild: { t: number[]; y: number[] };
  exponential?: ExponentialFit;
  /** Decay time in us; null where the fit is refused. */
  time: Estimate | null;
  r2: number | null;
  refused: string | null;
  again: Again | null;
}

/**
 * Fits the decay A e^(−t/T) + C of `iq_re`, `iq_im` over `time` (ns), weighted by the measurement's noise. With
 * `reference_re`, `reference_im` over `state` (0 ground, 1 excited) the signal is scaled to population, otherwise the
 * principal axis of the points is taken as it is; T does not depend on that. The prepared states tell as well where the
 * decay ends, so that a sweep which does not come there determines T. Single wild points do not count.
 * Where it is no exponential, one of the shapes given describes it, and T is the time at which 1/e of it is left.
 * @param end population at which the decay ends, and by how much that is uncertain beside the noise
 * @returns a sentence where there is nothing to draw
 */
export function fitDecay(
  dataset: Dataset,
  shots: number | undefined,
  { end, shapes }: Pick<DecayName, 'end' | 'shapes'>,
): DecayFit | string {
  const read = readComplexSweep(dataset, 'time', 'iq');
  if (typeof read === 'string') return read;
  const unusable = sweepProblem(read);
  if (unusable !== null) {
    const none = { t: [], y: [] };
    return {
      t: read.x,
      signal: principal(read),
      wild: none,
      time: null,
      r2: null,
      refused: unusable,
      again: null,
    };
  }
  const { kept: sweep, wild } = setWildPointsApart(read);
  const signal = scaleSignal(dataset, sweep);
  const fitWith = (shape?: DecayShape) => fitWeighted(shots, sweep.x, { signal, end, shape });
  // Without prepared states, what the decay begins and ends with is not known, and many shapes are alike.
  const others = signal.calibrated ? shapes.map((shape) => () => fitWith(shape)) : [];
  const { found, kept, sigma, judgement } = chosenDecay(fitWith(), others);
  const fault = sweepFault(sweep, signal.aside, signal.prepared);
  const wrongSign = fault === null ? signProblem(signal, end) : null;
  const unresolved = fault === null ? (wrongSign ?? refusal(sweep.x, found)) : null;
  const refused = fault ?? unresolved ?? judgement?.problem ?? null;
  const time = parameterEstimate(found.fit, 1);
  const leftOut = sweep.x.flatMap((t, index) =>
    kept.includes(index) ? [] : [{ t, y: signal.y[index] ?? 0 }],
  );
  const far = wild.x.map((t, index) => ({
    t,
    y: signal.at(wild.re[index] ?? 0, wild.im[index] ?? 0),
  }));
  const apart = [...leftOut, ...far];
  return {
    t: kept.map((index) => sweep.x[index] ?? 0),
    signal: { ...signal, y: kept.map((index) => signal.y[index] ?? 0) },
    sigma,
    wild: { t: apart.map(({ t }) => t), y: apart.map(({ y }) => y) },
    exponential: found,
    time: refused === null ? { value: time.value / 1000, error: time.error / 1000 } : null,
    r2: found.fit.r2,
    refused,
    again:
      wrongSign !== null || (unresolved === null && (found.fit.r2 ?? 0) > WELL_SEEN)
        ? null
        : resolvingRun(read.x, signal, { found, end, shots }),
  };
}

/** Fits one decay; its time in us is the output. */
export function analyseDecay(input: AnalysisInput, name: DecayName): Analysis {
  const found = fitDecay(input.dataset, numberOf(input.runParameters.shots), name);
  if (typeof found === 'string') return withoutFigures(found);
  const figures = [decayFigure(input, name, found)];
  const { time, r2, refused, again } = found;
  if (time === null) {
    const analysis = { outputs: {}, r2, figures, refused: refused ?? 'the fit gives no decay time' };
    return again === null ? analysis : { ...analysis, again };
  }
  const own = found.exponential === undefined ? null : shapeOf(found.exponential, name);
  const analysis = {
    outputs: { [name.output]: time, ...own?.outputs },
    r2,
    figures,
    ...(own !== null && { notes: [own.note] }),
  };
  return again === null ? analysis : { ...analysis, again };
}

function fitWeighted(
  shots: number | undefined,
  t: readonly number[],
  { signal: decay, end, shape }: { signal: ScaledSignal; end: Estimate; shape: DecayShape | undefined },
): JudgedFit<FittedDecay> {
  // The ground state that was prepared has the noise of the quietest point, as far as the deviations are known.
  const seen = decay.across > ROUNDING ? decay.across : undefined;
  const asymptoteOf = (noise: number | undefined) =>
    decay.calibrated && noise !== undefined
      ? { value: end.value, error: Math.hypot(end.error, noise) }
      : undefined;
  return fitJudged<FittedDecay>({
    y: decay.y,
    across: decay.across,
    fitTo(indices, sigma) {
      const times = indices.map((index) => t[index] ?? 0);
      const values = indices.map((index) => decay.y[index] ?? 0);
      const least = sigma === undefined ? undefined : Math.min(...sigma);
      const asymptote = asymptoteOf(least ?? seen);
      if (shape !== undefined) return fitShape(shape, times, values, { sigma, asymptote });
      const found = fitExponential(times, values, sigma, asymptote);
      return { ...found, fitted: times.map(found.evaluate) };
    },
    deviations({ fit, fitted }) {
      const [amplitude, offset] = [parameterEstimate(fit, 0).value, parameterEstimate(fit, 2).value];
      const levels = decay.calibrated
        ? { ground: 0, excited: Math.max(1, offset + amplitude) }
        : { ground: offset, excited: offset + amplitude };
      return signalDeviations(fitted, levels, decay.across, shots);
    },
  });
}

/** Why a population that rises over the sweep is no decay; null for one that may be. */
function signProblem({ calibrated, y }: ScaledSignal, { eitherSide }: DecayEnd): string | null {
  if (!calibrated || eitherSide) return null;
  const few = Math.max(FEWEST_AT_AN_END, Math.floor(y.length / 10));
  const [early, late] = [y.slice(0, few), y.slice(-few)];
  if (y.length < 2 * few) return null;
  const rise = mean(late) - mean(early);
  const error = Math.hypot(standardDeviation(early), standardDeviation(late)) / Math.sqrt(few);
  if (!(rise > SIGNIFICANT * error)) return null;
  const found = estimateText({ value: rise, error }, '');
  return `the population rises instead of decaying, by ${found}: the references of the states 0 and 1 may be swapped, or the qubit was not excited`;
}

/** Why the fit cannot be used, in numbers; null when it can. */
function refusal(t: readonly number[], { fit }: ExponentialFit): string | null {
  if (!fit.ok) return fit.message;
  if (![...fit.parameters, ...fit.errors].every(Number.isFinite)) return 'the fit gives no finite values';
  const [amplitude = 0, time = 0] = fit.parameters;
  const [amplitudeError = 0, timeError = 0] = fit.errors;
  if (Math.abs(amplitude) < SIGNIFICANT * amplitudeError) {
    const found = estimateText({ value: amplitude, error: amplitudeError }, '');
    return `no decay stands out of the noise: its amplitude would be ${found}`;
  }
  const found = estimateText({ value: time / 1000, error: timeError / 1000 }, 'us');
  const [shortest, longest] = [Math.min(...t), Math.max(...t)];
  const resolved = time > shortest && timeError < LARGEST_RELATIVE_ERROR * time;
  if (!resolved) {
    return `the decay is not resolved: ${found} in a sweep from ${shortest / 1000} to ${longest / 1000} us`;
  }
  return null;
}

/** Of this r2 a decay stands well out of the noise. */
const WELL_SEEN = 0.8;
/** How much further a sweep goes again, how much earlier it begins, and how many more shots it takes. */
const LONGER = 10;
const EARLIER = 30;
const MORE_SHOTS = 8;
/** Settings that a second pass stays within: ns, and shots. */
const EARLIEST_NS = 20;
const LATEST_NS = 1e8;
const MOST_SHOTS = 100_000;

/** The sweep that would resolve a decay which this one did not: longer, earlier, or with more shots. */
function resolvingRun(
  t: readonly number[],
  { y, calibrated }: ScaledSignal,
  { found, end, shots }: { found: ExponentialFit; end: DecayEnd; shots: number | undefined },
): Again {
  const positive = t.filter((time) => time > 0);
  const [shortest, longest] = [Math.min(...positive), Math.max(...positive)];
  const range = (from: number, to: number) => ({
    time_range: {
      value: [Math.log10(Math.max(EARLIEST_NS, from)), Math.log10(Math.min(LATEST_NS, to)), t.length],
      value_type: 'np.logspace',
    },
  });
  const few = Math.max(1, Math.floor(t.length / 10));
  const side = end.eitherSide && mean(y.slice(0, few)) < end.value ? -1 : 1;
  const atEnd = side * (mean(y.slice(-few)) - end.value);
  const atStart = side * (mean(y.slice(0, few)) - end.value);
  const time = parameterEstimate(found.fit, 1);
  const isLate = time.value > longest || (calibrated && atEnd > atStart / 2);
  if (isLate && atStart > 0) {
    return {
      run: range(shortest, LONGER * longest),
      reason: `the decay is longer than the sweep of ${longest / 1000} us`,
    };
  }
  if (time.value < shortest * EARLIER && longest > shortest * EARLIER) {
    return {
      run: range(shortest / EARLIER, longest / EARLIER),
      reason: `the decay is over soon after the first ${shortest / 1000} us of the sweep`,
    };
  }
  const more = Math.min(MOST_SHOTS, MORE_SHOTS * (shots ?? MOST_SHOTS));
  return { run: { shots: { value: more, value_type: 'int' } }, reason: 'the decay is lost in noise' };
}

/** The decay over a logarithmic axis of time; `part` names it among several of one measurement. */
export function decayFigure(
  { task, qid }: AnalysisInput,
  { symbol, axis }: DecayName,
  { t, signal, sigma, wild, exponential, time }: DecayFit,
  part?: string,
): Figure {
  const leftOut = pointsTrace(
    'left out',
    wild.t.map((value) => value / 1000),
    wild.y,
  );
  const curve = exponential?.fit.ok
    ? { name: fitName(exponential.fit.r2), at: (value: number) => exponential.evaluate(value * 1000) }
    : null;
  const found = time === null ? 'no usable fit' : `${symbol} = ${estimateText(time, 'µs')}`;
  return composeFit(
    [{ name: 'data', x: t.map((value) => value / 1000), y: signal.y, sigma, curve }],
    {
      title: `${subjectOf({ task, qid })}${part === undefined ? '' : ` · ${part}`} · ${found}`,
      x: axis,
      y: signal.label,
      xScale: 'log',
    },
    wild.t.length > 0 ? [leftOut] : [],
  );
}
