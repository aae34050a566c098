import { type Estimate, estimateText, SIGNIFICANT } from '../../science/fitting/estimate.ts';
import { type RivalFringe, rivalFringe } from '../../science/fitting/fringe-rivals.ts';
import { type FringesFit, fringePoints } from '../../science/fitting/fringes.ts';
import { BEYOND_CHANCE } from '../../science/fitting/further-parameter.ts';
import {
  type LossProbabilities,
  type LossyFits,
  likelyLoss,
  lossProbabilities,
} from '../../science/fitting/gain-compression.ts';
import { signalDeviations } from '../../science/fitting/measurement-noise.ts';
import { fastestOscillation } from '../../science/fitting/sampling.ts';
import { lossNotes, withoutLoss } from '../common/analysis/compressed-decay.ts';
import { parameterEstimate } from '../common/analysis/judged-fit.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { memoryNotes } from '../common/analysis/points-with-memory.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { numberOf } from '../common/parameters.ts';
import { betterRun } from './better-run.ts';
import { fitFringeLosses, fringesOverLosses } from './compressed-fringes.ts';
import { fringeFigure, spiralFigure } from './figures.ts';
import { type FringeDecay, fitFringeDecay } from './fringe-decay.ts';
import { type Fringes, readFringes } from './read-fringes.ts';

/** Maximum relative error of a decay. A less precise one is indistinguishable from others. */
const LARGEST_RELATIVE_ERROR = 0.5;
/** Maximum initial phase of the fringe by the shape and errors of the pulses, radians. */
const MAX_PHASE = 0.7;

/** Both fringes with their fit. */
interface FittedFringes {
  fringes: Fringes;
  found: FringeDecay;
  /** Probabilities of the losses of an amplifier; null if they are unknown. */
  losses: LossProbabilities | null;
}

/**
 * Fits both fringes `x_re`, `x_im` and `y_re`, `y_im` over `time` (ns) at once. A single axis does not show whether the
 * drive is above or below the qubit. Both axes give the sign of the fringe frequency, so f01 = stored + detuning −
 * fringe holds on either side.
 */
export function analyseRamsey(input: AnalysisInput): Analysis {
  const fitted = fitFringes(input);
  if (typeof fitted === 'string') return withoutFigures(fitted);
  const { fringes, found } = fitted;
  const rival = rivalOf(input, fringes, found);
  const refused = fringes.fault ?? refusal(input, fringes.t, found) ?? rivalProblem(found, rival);
  const outputs: Partial<RamseyOutputs> = refused === null ? estimate(input, found) : {};
  const { ramsey_frequency: fringe, qubit_frequency: f01 } = outputs;
  const figures = [
    fringeFigure(
      input,
      { fringes, found, resultText: fringe && `fringe ${estimateText(fringe, 'MHz')}` },
      'X',
    ),
    fringeFigure(input, { fringes, found, resultText: f01 && `f01 = ${estimateText(f01, 'GHz')}` }, 'Y'),
    spiralFigure(input, fringes, found, outputs.t2_star),
  ];
  const { r2 } = found.found.fit;
  if (refused === null) return { outputs, r2, figures, notes: notesOf(fitted) };
  const again = fringes.fault === null ? betterRun(input, fringes.t, found, rival) : null;
  return { outputs, r2, figures, refused, ...(again === null ? {} : { again }) };
}

/**
 * Fits the fringes of a resonant drive whose second pulse advances in phase, like those of a detuned drive. Its times
 * are spaced geometrically, so for any qubit some are where the decay leaves the most information about the frequency.
 */
export function analyseFineFrequency(input: AnalysisInput): Analysis {
  const fitted = fitFringes(input);
  if (typeof fitted === 'string') return withoutFigures(fitted);
  const { fringes, found } = fitted;
  const refused =
    fringes.fault ??
    fringeProblem(input, fringes.t, found) ??
    coarse(found) ??
    rivalProblem(found, rivalOf(input, fringes, found));
  const outputs: Partial<ReturnType<typeof corrections>> = refused === null ? corrections(input, found) : {};
  const draw = (axis: 'X' | 'Y', value?: string) =>
    fringeFigure(input, { fringes, found, resultText: value, xScale: 'log' }, axis);
  const { qubit_frequency: frequency, frequency_correction: correction } = outputs;
  const figures = [
    draw('X', correction && `corrected by ${estimateText(correction, 'MHz')}`),
    draw('Y', frequency && `f01 = ${estimateText(frequency, 'GHz')}`),
  ];
  const { r2 } = found.found.fit;
  return { outputs, r2, figures, ...(refused === null ? { notes: notesOf(fitted) } : { refused }) };
}

/** Maximum error of a fine frequency, GHz. */
const COARSE = 2e-5;

function coarse({ found: { fit } }: FringeDecay): string | null {
  const { error } = parameterEstimate(fit, 1);
  return error < COARSE
    ? null
    : `the fringes decay before they determine the frequency: its error would be ${(1e6 * error).toPrecision(2)} kHz`;
}

function corrections(input: AnalysisInput, found: FringeDecay) {
  const { qubit_frequency: frequency } = estimate(input, found);
  const stored = numberOf(input.inputs.qubit_frequency) ?? Number.NaN;
  return {
    qubit_frequency: frequency,
    frequency_correction: { value: 1e3 * (frequency.value - stored), error: 1e3 * frequency.error },
  };
}

function notesOf({ found, losses }: FittedFringes): string[] {
  return [...memoryNotes(found.memory), ...lossNotes(losses)];
}

/**
 * Reads and fits both fringes. A compressing amplifier adds a component that decays twice as fast. If one is likely, the
 * data is corrected for its loss before the fit. In any case the errors allow for the losses that the points do not
 * exclude.
 */
function fitFringes(input: AnalysisInput): FittedFringes | string {
  const fringes = readFringes(input.dataset);
  if (typeof fringes === 'string') return fringes;
  const found = fitWeighted(input, fringes);
  const isGood = (each: Pick<FittedFringes, 'fringes' | 'found'>) =>
    each.fringes.fault === null && fringeProblem(input, each.fringes.t, each.found) === null;
  const measured = { fringes, found };
  const lossy = lossesOf(measured, 0);
  const isCertain = lossy !== null && lossProbabilities([lossy]).certainty > BEYOND_CHANCE;
  if (!isGood(measured) && !fringes.isBent && !(fringes.fault === null && isCertain)) {
    return { ...measured, losses: null };
  }
  const loss = likelyLoss(lossy);
  const undone = loss === null ? null : withoutLoss(input.dataset, fringes.x, { loss, names: ['x', 'y'] });
  const linear = undone === null ? null : readFringes(undone);
  if (loss !== null && linear !== null && typeof linear !== 'string') {
    const compressed = { fringes: linear, found: fitWeighted(input, linear) };
    if (isGood(compressed)) return overLosses(compressed, lossesOf(compressed, loss));
  }
  return overLosses(measured, lossy);
}

function lossesOf(
  { fringes: { t, x, y, plane }, found }: Pick<FittedFringes, 'fringes' | 'found'>,
  undone: number,
): LossyFits | null {
  return fitFringeLosses({ points: fringePoints(t, x.y, y.y), plane, signal: x }, found, undone);
}

function overLosses(
  { fringes, found }: Pick<FittedFringes, 'fringes' | 'found'>,
  lossy: LossyFits | null,
): FittedFringes {
  if (lossy === null) return { fringes, found, losses: null };
  const losses = lossProbabilities([lossy]);
  return { fringes, found: fringesOverLosses(found, lossy, losses), losses };
}

function fitWeighted(input: AnalysisInput, { t, x, y }: Fringes): FringeDecay {
  return fitFringeDecay(fringePoints(t, x.y, y.y), {
    across: x.across,
    deviations({ fit, fitted }) {
      const [amplitude, offset] = [parameterEstimate(fit, 0).value, parameterEstimate(fit, 3).value];
      // If detuned pulses hardly excited the qubit, the prepared states are too close together.
      const half = Math.max(1, Math.abs(amplitude));
      const levels = x.calibrated
        ? { ground: 1, excited: 1 - 2 * half }
        : { ground: offset + amplitude, excited: offset - amplitude };
      return signalDeviations(fitted, levels, x.across, numberOf(input.runParameters.shots));
    },
  });
}

/** The reason why the fit cannot be used, with numbers; null if it can. Times in ns, so frequencies in GHz. */
function refusal(input: AnalysisInput, t: readonly number[], found: FringeDecay): string | null {
  const problem = fringeProblem(input, t, found);
  if (problem !== null) return problem;
  const { time } = found;
  if (time.error < LARGEST_RELATIVE_ERROR * time.value) return null;
  const text = estimateText({ value: time.value / 1000, error: time.error / 1000 }, 'us');
  return `the decay is not resolved: ${text} in a sweep over ${(Math.max(...t) - Math.min(...t)) / 1000} us`;
}

/** The reason why the fringes give no frequency; null if they do. */
function fringeProblem(
  input: AnalysisInput,
  t: readonly number[],
  { found, judgement }: FringeDecay,
): string | null {
  const { fit } = found;
  if (!fit.ok) return fit.message;
  if (![...fit.parameters, ...fit.errors].every(Number.isFinite)) return 'the fit gives no finite values';
  for (const [name, parameter] of [
    ['qubit frequency', input.inputs.qubit_frequency],
    ['detuning', input.runParameters.detuning],
  ] as const) {
    if (numberOf(parameter) === undefined) return `the ${name} of the drive is unknown`;
  }
  const [amplitude = 0, frequency = 0] = fit.parameters;
  const [amplitudeError = 0, frequencyError = 0] = fit.errors;
  if (Math.abs(amplitude) < SIGNIFICANT * amplitudeError) {
    const text = estimateText({ value: amplitude, error: amplitudeError }, '');
    return `no precession exceeds the noise: its amplitude would be ${text}`;
  }
  const fastest = fastestOscillation(t);
  if (Math.abs(frequency) > 0.97 * fastest) {
    const text = estimateText({ value: frequency * 1000, error: frequencyError * 1000 }, 'MHz');
    return `the precession is too fast for the sweep: ${text} where points see at most ${Number((fastest * 1000).toPrecision(4))} MHz`;
  }
  const alias = aliasProblem(input, fastest, found);
  if (alias !== null) return alias;
  return judgement?.problem ?? null;
}

/**
 * A precession by more than half a turn from point to point looks like a slower one. The phase at zero free time
 * reveals it: the qubit also precesses during each pulse, for about 2/π of its length.
 */
function aliasProblem(input: AnalysisInput, fastest: number, { fit }: FringesFit): string | null {
  const length = numberOf(input.inputs.hpi_length);
  if (!fit.ok || length === undefined) return null;
  const [, frequency = 0, phase = 0] = fit.parameters;
  const inPulses = (2 / Math.PI) * 2 * length;
  const turned = phase - 2 * Math.PI * frequency * inPulses;
  const beyond = Math.atan2(Math.sin(turned), Math.cos(turned));
  // The phase that an alias adds, which is too small to be visible in slow sweeps.
  const ofAlias = 2 * Math.PI * 2 * fastest * inPulses;
  if (ofAlias < 2 * MAX_PHASE || ofAlias > 2 * Math.PI - MAX_PHASE) return null;
  if (Math.abs(beyond) < MAX_PHASE) return null;
  return `the fringe begins with a phase of ${beyond.toFixed(2)} that its frequency does not explain: the qubit may precess faster than points ${Number((1 / (2 * fastest)).toPrecision(3))} ns apart can resolve`;
}

/** Error of a frequency from a spectrum that states none: about the width of its line. GHz. */
const LINE_WIDTH = 2e-3;

/** Other fringes that describe the data equally well; see {@link rivalFringe}. */
function rivalOf(
  input: AnalysisInput,
  { t, x, y }: Fringes,
  { found, kept, sigma, time }: FringeDecay,
): RivalFringe | null {
  const points = fringePoints(t, x.y, y.y);
  const error = input.inputs.qubit_frequency?.error ?? 0;
  return rivalFringe(
    kept.flatMap((index) => points[index] ?? []),
    found,
    {
      sigma,
      expected: numberOf(input.runParameters.detuning) ?? 0,
      reach: Math.max(LINE_WIDTH, SIGNIFICANT * error),
      decay: { value: 1 / time.value, error: time.error / time.value ** 2 },
    },
  );
}

function rivalProblem({ found: { fit }, time }: FringeDecay, rival: RivalFringe | null): string | null {
  if (rival === null) return null;
  const text = [{ frequency: parameterEstimate(fit, 1).value, rate: 1 / time.value }, rival].map(
    ({ frequency, rate }) => {
      const lasting = rate > 0 ? ` that last ${(1 / rate / 1000).toPrecision(2)} us` : '';
      return `${(1000 * frequency).toFixed(3)} MHz${lasting}`;
    },
  );
  return `the sweep does not distinguish fringes of ${text[0]} from those of ${text[1]}: its steps fit both periods, or too few points are within the decay`;
}

type RamseyOutputs = Record<'ramsey_frequency' | 'qubit_frequency' | 't2_star', Estimate>;

function estimate(input: AnalysisInput, { found: { fit }, time }: FringeDecay): RamseyOutputs {
  const frequency = parameterEstimate(fit, 1);
  const drive =
    (numberOf(input.inputs.qubit_frequency) ?? Number.NaN) +
    (numberOf(input.runParameters.detuning) ?? Number.NaN);
  return {
    ramsey_frequency: { value: frequency.value * 1000, error: frequency.error * 1000 },
    qubit_frequency: { value: drive - frequency.value, error: frequency.error },
    t2_star: { value: time.value / 1000, error: time.error / 1000 },
  };
}
