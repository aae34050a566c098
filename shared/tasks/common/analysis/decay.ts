import type { Dataset } from '../../../science/datasets/model.ts';
import { readComplexSweep } from '../../../science/datasets/rules.ts';
import { pointsTrace } from '../../../science/figures/compose.ts';
import { composeFit } from '../../../science/figures/fit-figure.ts';
import type { Figure } from '../../../science/figures/model.ts';
import { isBetterExplainedByBend, ROUNDING } from '../../../science/fitting/axis-departure.ts';
import type { DecayShape } from '../../../science/fitting/decay-shapes.ts';
import { type Estimate, estimateText, SIGNIFICANT } from '../../../science/fitting/estimate.ts';
import { type ExponentialFit, fitExponential } from '../../../science/fitting/exponential.ts';
import {
  type LossProbabilities,
  type LossyFits,
  likelyLoss,
  lossProbabilities,
  movesOf,
  overLosses,
  type Weighted,
} from '../../../science/fitting/gain-compression.ts';
import { signalDeviations } from '../../../science/fitting/measurement-noise.ts';
import { separateOutliers } from '../../../science/fitting/outliers.ts';
import { predictedPoints } from '../../../science/fitting/point-memory.ts';
import { sweepFault } from '../../../science/fitting/residuals.ts';
import { mean, standardDeviation } from '../../../science/fitting/statistics.ts';
import { sweepProblem } from '../../../science/fitting/sweep-problem.ts';
import type { NextPassSettings } from '../../next-pass.ts';
import { numberOf } from '../parameters.ts';
import { fitDecayLosses, lossNotes, withoutLoss } from './compressed-decay.ts';
import { fitName, subjectOf } from './figure-text.ts';
import { parameterEstimate } from './judged-fit.ts';
import type { Analysis, AnalysisInput } from './model.ts';
import {
  averageMemory,
  fitKeepingMemory,
  fitWithoutMemory,
  memoryNotes,
  type PointsWithMemory,
} from './points-with-memory.ts';
import { withoutFigures } from './results.ts';
import { chosenDecay, type FittedDecay, fitShape, shapeOf } from './shaped-decay.ts';
import { principal, type ScaledSignal, scaleSignal } from './state-scale.ts';

const LARGEST_RELATIVE_ERROR = 0.5;
/** Number of points at either end of a sweep that decide whether it rises. */
const MIN_AT_AN_END = 4;

/** Asymptote of a decay as a population, and its uncertainty from imperfect pulses. */
export interface DecayEnd extends Estimate {
  /**
   * Whether the decay may approach the asymptote from either side, depending on the phase of the last pulse; otherwise
   * only from above.
   */
  eitherSide?: boolean;
}

/** Names of an exponential decay: its output, its symbol and the title of its time axis. */
export interface DecayName {
  output: string;
  symbol: string;
  axis: string;
  /** Asymptote as a population, and its uncertainty from imperfect pulses; see {@link fitDecay}. */
  end: DecayEnd;
  /** Alternative shapes if the decay is not exponential. */
  shapes: readonly DecayShape[];
}

/** One measured decay with its fit. */
export interface DecayFit {
  t: number[];
  signal: ScaledSignal;
  /** Standard deviation of each point, if the noise is known. */
  sigma?: readonly number[] | undefined;
  /** Outliers beyond all noise, which are excluded. */
  outliers: { t: number[]; y: number[] };
  exponential?: ExponentialFit;
  /** The fraction of the previous point that each point retains; null if there is no evidence of one. */
  memory: Estimate | null;
  /** The fits of the decay for compressing amplifiers; null if these are unknown. */
  lossy: LossyFits | null;
  /** Whether a compressing amplifier is the only problem of the points. */
  mayBeCompressed: boolean;
  /** Decay time in us; null if the fit is refused. */
  time: Estimate | null;
  r2: number | null;
  refused: string | null;
  again: NextPassSettings | null;
}

/**
 * Fits the decay A e^(−t/T) + C of `iq_re`, `iq_im` over `time` (ns), weighted by the measurement's noise. With
 * `reference_re`, `reference_im` over `state` (0 ground, 1 excited) the signal is scaled to population; otherwise the
 * principal axis of the points is used unscaled, which does not affect T. The prepared states also give the asymptote, so
 * that a sweep that does not reach it still determines T. Single outliers are excluded. If the decay is not exponential,
 * one of the given shapes describes it, and T is the time at which it has fallen to 1/e.
 * @param end population of the asymptote, and its uncertainty besides the noise
 * @returns a message if there is nothing to draw
 */
export function fitDecay(
  dataset: Dataset,
  shots: number | undefined,
  name: Pick<DecayName, 'end' | 'shapes'>,
): DecayFit | string {
  const measured = fitPoints(dataset, shots, { ...name, undone: 0 });
  if (typeof measured === 'string') return measured;
  const loss = measured.mayBeCompressed ? likelyLoss(measured.lossy) : null;
  const undone = loss === null ? null : withoutLoss(dataset, measured.signal, { loss });
  if (loss === null || undone === null) return measured;
  const found = fitPoints(undone, shots, { ...name, undone: loss });
  return typeof found === 'string' || found.refused !== null ? measured : found;
}

function fitPoints(
  dataset: Dataset,
  shots: number | undefined,
  { end, shapes, undone }: Pick<DecayName, 'end' | 'shapes'> & { undone: number },
): DecayFit | string {
  const read = readComplexSweep(dataset, 'time', 'iq');
  if (typeof read === 'string') return read;
  const unusable = sweepProblem(read);
  if (unusable !== null) {
    const none = { t: [], y: [] };
    return {
      t: read.x,
      signal: principal(read),
      outliers: none,
      memory: null,
      lossy: null,
      mayBeCompressed: false,
      time: null,
      r2: null,
      refused: unusable,
      again: null,
    };
  }
  const { kept: sweep, outliers } = separateOutliers(read);
  const signal = scaleSignal(dataset, sweep);
  const decayBy = (fitAll: typeof fitKeepingMemory) => {
    const fitWith = (shape?: DecayShape) => fitAll(pointsOf(shots, sweep.x, { signal, end, shape }));
    // Without prepared states the start and the asymptote of the decay are unknown, and many shapes look alike.
    const others = signal.calibrated ? shapes.map((shape) => () => fitWith(shape)) : [];
    return chosenDecay(fitWith(), others, sweep.x);
  };
  const averaged = averageMemory(decayBy(fitWithoutMemory), decayBy(fitKeepingMemory));
  const { found, kept, sigma, judgement, memory } = averaged;
  const fault = sweepFault(sweep, signal.aside, signal.prepared);
  const wrongSign = fault === null ? signProblem(signal, end) : null;
  const unresolved = fault === null ? (wrongSign ?? refusal(sweep.x, found)) : null;
  const refused = fault ?? unresolved ?? judgement?.problem ?? null;
  const lossy =
    wrongSign === null && refusal(sweep.x, found) === null
      ? fitDecayLosses(signal, sweep, { found, kept, memory, end, undone })
      : null;
  const leftOut = sweep.x.flatMap((t, index) =>
    kept.includes(index) ? [] : [{ t, y: signal.y[index] ?? 0 }],
  );
  const far = outliers.x.map((t, index) => ({
    t,
    y: signal.at(outliers.re[index] ?? 0, outliers.im[index] ?? 0),
  }));
  const apart = [...leftOut, ...far];
  return {
    t: kept.map((index) => sweep.x[index] ?? 0),
    signal: { ...signal, y: kept.map((index) => signal.y[index] ?? 0) },
    sigma,
    outliers: { t: apart.map(({ t }) => t), y: apart.map(({ y }) => y) },
    exponential: found,
    memory,
    lossy,
    mayBeCompressed: fault === null ? refused === null : isBetterExplainedByBend(sweep, signal.prepared),
    time: refused === null ? inMicroseconds(parameterEstimate(found.fit, 1)) : null,
    r2: found.fit.r2,
    refused,
    again:
      wrongSign !== null || (unresolved === null && (found.fit.r2 ?? 0) > WELL_SEEN)
        ? null
        : resolvingRun(read.x, signal, { found, end, shots }),
  };
}

/** Fits one decay; the output is its time in us. */
export function analyseDecay(input: AnalysisInput, name: DecayName): Analysis {
  const plain = fitDecay(input.dataset, numberOf(input.runParameters.shots), name);
  if (typeof plain === 'string') return withoutFigures(plain);
  const losses = plain.lossy === null ? null : lossProbabilities([plain.lossy]);
  const found = losses === null ? plain : withLosses(plain, losses);
  const figures = [decayFigure(input, name, found)];
  const { time, r2, refused, again } = found;
  if (time === null) {
    const analysis = { outputs: {}, r2, figures, refused: refused ?? 'the fit gives no decay time' };
    return again === null ? analysis : { ...analysis, again };
  }
  const own = found.exponential === undefined ? null : shapeOf(found.exponential, name);
  const notes = [...(own === null ? [] : [own.note]), ...memoryNotes(found.memory), ...lossNotes(losses)];
  const analysis = {
    outputs: { [name.output]: time, ...own?.outputs },
    r2,
    figures,
    ...(notes.length > 0 && { notes }),
  };
  return again === null ? analysis : { ...analysis, again };
}

/** The same decay, with parameters that take a compressing amplifier into account. */
export function withLosses(found: DecayFit, losses: LossProbabilities): DecayFit {
  const { exponential, lossy, time } = found;
  if (time === null || lossy === null || !exponential?.fit.ok) return found;
  const fit = overLosses(exponential.fit, lossy, losses);
  return {
    ...found,
    exponential: { ...exponential, fit },
    time: inMicroseconds(parameterEstimate(fit, 1)),
  };
}

/** Shift of the decay time for each possible loss of the amplifier, us; empty if unknown. */
export function movesOfTime({ lossy, time }: DecayFit, losses: LossProbabilities | null): Weighted[] {
  if (time === null || lossy === null || losses === null) return [];
  return movesOf(lossy, losses, 1).map(({ value, weight }) => ({ value: value / 1000, weight }));
}

function inMicroseconds({ value, error }: Estimate): Estimate {
  return { value: value / 1000, error: error / 1000 };
}

function pointsOf(
  shots: number | undefined,
  t: readonly number[],
  { signal: decay, end, shape }: { signal: ScaledSignal; end: Estimate; shape: DecayShape | undefined },
): PointsWithMemory<FittedDecay> {
  // The prepared ground state has the noise of the quietest point, if the deviations are known.
  const seen = decay.across > ROUNDING ? decay.across : undefined;
  const asymptoteOf = (noise: number | undefined) =>
    decay.calibrated && noise !== undefined
      ? { value: end.value, error: Math.hypot(end.error, noise) }
      : undefined;
  return {
    y: decay.y,
    across: decay.across,
    fitTo(indices, sigma, before) {
      const times = indices.map((index) => t[index] ?? 0);
      const values = indices.map((index) => decay.y[index] ?? 0);
      const least = sigma === undefined ? undefined : Math.min(...sigma);
      const known = { sigma, asymptote: asymptoteOf(least ?? seen), before };
      const found =
        shape === undefined ? fitExponential(times, values, known) : fitShape(shape, times, values, known);
      return { ...found, fitted: predictedPoints(times.map(found.evaluate), { before, fit: found.fit }) };
    },
    deviations({ fit, fitted }) {
      const [amplitude, offset] = [parameterEstimate(fit, 0).value, parameterEstimate(fit, 2).value];
      const levels = decay.calibrated
        ? { ground: 0, excited: Math.max(1, offset + amplitude) }
        : { ground: offset, excited: offset + amplitude };
      return signalDeviations(fitted, levels, decay.across, shots);
    },
  };
}

/** The reason why a population that rises over the sweep is not a decay; null if it may be one. */
function signProblem({ calibrated, y }: ScaledSignal, { eitherSide }: DecayEnd): string | null {
  if (!calibrated || eitherSide) return null;
  const few = Math.max(MIN_AT_AN_END, Math.floor(y.length / 10));
  const [early, late] = [y.slice(0, few), y.slice(-few)];
  if (y.length < 2 * few) return null;
  const rise = mean(late) - mean(early);
  const error = Math.hypot(standardDeviation(early), standardDeviation(late)) / Math.sqrt(few);
  if (!(rise > SIGNIFICANT * error)) return null;
  const found = estimateText({ value: rise, error }, '');
  return `the population rises instead of decaying, by ${found}: the references of the states 0 and 1 may be swapped, or the qubit was not excited`;
}

/** The reason why the fit cannot be used, with numbers; null if it can. */
function refusal(t: readonly number[], { fit }: ExponentialFit): string | null {
  if (!fit.ok) return fit.message;
  if (![...fit.parameters, ...fit.errors].every(Number.isFinite)) return 'the fit gives no finite values';
  const [amplitude = 0, time = 0] = fit.parameters;
  const [amplitudeError = 0, timeError = 0] = fit.errors;
  if (Math.abs(amplitude) < SIGNIFICANT * amplitudeError) {
    const found = estimateText({ value: amplitude, error: amplitudeError }, '');
    return `no decay exceeds the noise: its amplitude would be ${found}`;
  }
  const found = estimateText({ value: time / 1000, error: timeError / 1000 }, 'us');
  const [shortest, longest] = [Math.min(...t), Math.max(...t)];
  const resolved = time > shortest && timeError < LARGEST_RELATIVE_ERROR * time;
  if (!resolved) {
    return `the decay is not resolved: ${found} in a sweep from ${shortest / 1000} to ${longest / 1000} us`;
  }
  return null;
}

/** An r2 from which a decay is clearly visible above the noise. */
const WELL_SEEN = 0.8;
/** Factors by which a next sweep is longer, starts earlier, and uses more shots. */
const LONGER = 10;
const EARLIER = 30;
const MORE_SHOTS = 8;
/** Limits of a second pass's settings: ns, and shots. */
const EARLIEST_NS = 20;
const LATEST_NS = 1e8;
const MAX_SHOTS = 100_000;

/** A sweep that would resolve a decay which this one did not: longer, earlier, or with more shots. */
function resolvingRun(
  t: readonly number[],
  { y, calibrated }: ScaledSignal,
  { found, end, shots }: { found: ExponentialFit; end: DecayEnd; shots: number | undefined },
): NextPassSettings {
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
  const more = Math.min(MAX_SHOTS, MORE_SHOTS * (shots ?? MAX_SHOTS));
  return { run: { shots: { value: more, value_type: 'int' } }, reason: 'the decay is lost in noise' };
}

/** The decay over a logarithmic time axis; `part` names it among several decays of one measurement. */
export function decayFigure(
  { task, qid }: AnalysisInput,
  { symbol, axis }: DecayName,
  { t, signal, sigma, outliers, exponential, time }: DecayFit,
  part?: string,
): Figure {
  const leftOut = pointsTrace(
    'left out',
    outliers.t.map((value) => value / 1000),
    outliers.y,
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
    outliers.t.length > 0 ? [leftOut] : [],
  );
}
