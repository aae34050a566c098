import {
  HIGHEST_CONTROL_AMPLITUDE,
  PULSE_RAMP_NS,
  TARGET_RABI_FREQUENCY_GHZ,
} from '../../science/conventions/pulse.ts';
import { MHZ_PER_GHZ } from '../../science/conventions/units.ts';
import { type ComplexSweep, readComplexSweep } from '../../science/datasets/rules.ts';
import { composeFigure, lineTrace, pointsTrace } from '../../science/figures/compose.ts';
import { composeFit } from '../../science/figures/fit-figure.ts';
import type { Figure } from '../../science/figures/model.ts';
import { ROUNDING } from '../../science/fitting/axis-departure.ts';
import { type CosineFit, fitCosine, rivalCosine } from '../../science/fitting/cosine.ts';
import { type Estimate, estimateText, SIGNIFICANT } from '../../science/fitting/estimate.ts';
import { type RotatedIq, rotateToPrincipalAxis } from '../../science/fitting/iq-rotation.ts';
import { signalDeviations } from '../../science/fitting/measurement-noise.ts';
import { separateOutliers } from '../../science/fitting/outliers.ts';
import { predictedPoints, withoutMemory } from '../../science/fitting/point-memory.ts';
import { sweepFault } from '../../science/fitting/residuals.ts';
import { fastestOscillation } from '../../science/fitting/sampling.ts';
import { mean, standardDeviation } from '../../science/fitting/statistics.ts';
import { sweepProblem } from '../../science/fitting/sweep-problem.ts';
import { fitName, subjectOf } from '../common/analysis/figure-text.ts';
import { type JudgedFit, parameterEstimate } from '../common/analysis/judged-fit.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { type FitWithMemory, fitAllowingMemory, memoryNotes } from '../common/analysis/points-with-memory.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { numberOf } from '../common/parameters.ts';
import type { NextPassSettings } from '../next-pass.ts';

/** Minimum number of periods. Fewer look like a slope, which has no frequency. */
const MIN_PERIODS = 0.4;
const LARGEST_RELATIVE_ERROR = 0.1;
/**
 * Maximum detuning of the drive, as a fraction of the Rabi frequency. Further away, the signal probably does not belong
 * to the qubit.
 */
const MAX_DETUNED = 0.25;

/** A cosine with its values at the points. */
type FittedCosine = CosineFit & { fitted: number[] };

interface RabiKind {
  /** Name of the driven object in messages. */
  driven?: string;
  /** The reason not to trust the sweep, from the distances of its points from their axis. */
  faultOf?(sweep: ComplexSweep, across: readonly number[]): string | null;
}

/**
 * Fits the Rabi oscillation of `iq_re`, `iq_im` over `time` (ns): principal axis of the IQ points, then A cos(2π f t +
 * φ) + C, damped if the data require it, and weighted by the noise of the measurement.
 */
export function analyseRabi(
  input: AnalysisInput,
  { driven = 'the qubit', faultOf = sweepFault }: RabiKind = {},
): Analysis {
  const read = readComplexSweep(input.dataset, 'time', 'iq');
  if (typeof read === 'string') return withoutFigures(read);
  const unusable = sweepProblem(read);
  if (unusable !== null) {
    return { outputs: {}, r2: null, figures: [planeFigure(input, read)], refused: unusable };
  }
  const { kept: sweep } = separateOutliers(read);
  const { rotated, judged } = fitDirected(input, sweep);
  const cosine = judged.found;
  const detuning = secondOscillation(input, rotated.angle, cosine);
  const rival = rivalOf(sweep.x, rotated, judged);
  const refused =
    faultOf(sweep, rotated.across) ??
    refusal(input, sweep.x, cosine) ??
    (rival === null ? null : rivalText(cosine, rival)) ??
    detuningProblem(driven, detuning, cosine) ??
    judged.judgement?.problem ??
    null;
  const widening = judged.judgement?.widening ?? 1;
  const outputs = refused === null ? estimate(input, sweep.x, rotated, { cosine, detuning, widening }) : {};
  const figures = [
    fitFigure(input, sweep.x, { rotated, judged }, outputs.rabi_frequency),
    planeFigure(input, sweep, { rotated, cosine }, outputs),
  ];
  const again = rival === null ? null : finerLengths(sweep.x);
  return {
    outputs,
    r2: cosine.fit.r2,
    figures,
    ...(refused === null ? { notes: memoryNotes(judged.memory) } : { refused }),
    ...(again === null ? {} : { again }),
  };
}

/** Maximum factor by which a drive of uncalibrated amplitude turns the qubit too fast. */
const HARDEST_DRIVE = 4;

/** Another frequency that fits the oscillation equally well; see {@link rivalCosine}. */
function rivalOf(
  t: readonly number[],
  { along }: Pick<RotatedIq, 'along'>,
  { found, kept, sigma, memory }: FitWithMemory<FittedCosine>,
): number | null {
  const pick = (values: readonly number[]) => kept.map((index) => values[index] ?? 0);
  const highest = HARDEST_DRIVE * TARGET_RABI_FREQUENCY_GHZ;
  const own = withoutMemory(along, memory?.value ?? 0);
  const deviations = sigma?.map((deviation) => deviation / (1 - (memory?.value ?? 0)));
  return rivalCosine(pick(t), pick(own), found, { sigma: deviations, highest });
}

function rivalText({ fit }: CosineFit, rival: number): string {
  const text = [parameterEstimate(fit, 1).value, rival].map((value) => `${(1000 * value).toFixed(2)} MHz`);
  return `the sweep does not distinguish an oscillation of ${text[0]} from one of ${text[1]}: its steps are too long`;
}

/** Sampling interval of the control, ns, and number of additional pulse lengths in a finer sweep. */
const SAMPLE_NS = 2;
const FURTHER_LENGTHS = 8;

/** Pulse lengths between the first two of the sweep, which distinguish its frequency from the aliases. */
function finerLengths(t: readonly number[]): NextPassSettings | null {
  const sorted = [...new Set(t)].sort((a, b) => a - b);
  const [first = 0, second = 0] = sorted;
  const step = SAMPLE_NS * Math.ceil((second - first) / FURTHER_LENGTHS / SAMPLE_NS);
  if (!(step < second - first)) return null;
  return {
    run: { fine_time_range: { value: [first + step, second, step], value_type: 'np.arange' } },
    reason: `steps of ${second - first} ns leave open which of two frequencies the oscillation has`,
  };
}

/** The oscillation of {@link analyseRabi}, with only its amplitude and frequency as outputs. */
export function analyseQubit(input: AnalysisInput): Analysis {
  const analysis = analyseRabi(input);
  const { rabi_amplitude, rabi_frequency } = analysis.outputs;
  const outputs: Analysis['outputs'] =
    rabi_amplitude && rabi_frequency ? { rabi_amplitude, rabi_frequency } : {};
  return { ...analysis, outputs, figures: analysis.figures.slice(0, 1) };
}

/**
 * Fits along the axis that points to the initial state of the oscillation. A strong drive can turn the qubit beyond the
 * middle during the ramps of the shortest pulse.
 */
function fitDirected(
  input: AnalysisInput,
  sweep: ComplexSweep,
): { rotated: RotatedIq; judged: FitWithMemory<FittedCosine> } {
  const rotated = rotateToPrincipalAxis(sweep);
  const judged = fitWeighted(input, sweep.x, rotated);
  const [frequency, phase] = [1, 2].map((index) => parameterEstimate(judged.found.fit, index).value);
  const turned = 2 * Math.PI * (frequency ?? Number.NaN) * PULSE_RAMP_NS;
  if (!(Math.cos((phase ?? Number.NaN) - turned) < 0)) return { rotated, judged };
  const opposite = {
    angle: rotated.angle > 0 ? rotated.angle - Math.PI : rotated.angle + Math.PI,
    along: rotated.along.map((value) => -value),
    across: rotated.across.map((value) => -value),
  };
  return { rotated: opposite, judged: fitWeighted(input, sweep.x, opposite) };
}

function fitWeighted(
  input: AnalysisInput,
  t: readonly number[],
  { along, across }: Pick<RotatedIq, 'along' | 'across'>,
): FitWithMemory<FittedCosine> {
  const aside = standardDeviation(across, 2);
  return fitAllowingMemory<FittedCosine>({
    y: along,
    across: aside,
    fitTo(indices, sigma, before) {
      const times = indices.map((index) => t[index] ?? 0);
      const found = fitCosine(
        times,
        indices.map((index) => along[index] ?? 0),
        { sigma, before },
      );
      return { ...found, fitted: predictedPoints(times.map(found.evaluate), { before, fit: found.fit }) };
    },
    deviations({ fit, fitted }) {
      const [amplitude, offset] = [parameterEstimate(fit, 0).value, parameterEstimate(fit, 3).value];
      const levels = { ground: offset + amplitude, excited: offset - amplitude };
      return signalDeviations(fitted, levels, aside, numberOf(input.runParameters.shots));
    },
  });
}

/** Detuning of the drive above the qubit, from a second oscillation with another detuning. GHz. */
interface Detuning extends Estimate {
  /** Frequency of the second oscillation, and its drive frequency relative to the first. */
  second: Estimate;
  beside: number;
}

/**
 * Both oscillations have f² = Ω² + Δ², the second one with Δ + δ, so Δ = (f₂² − f₁² − δ²) / 2δ. Null if no second
 * oscillation was measured or none is visible.
 */
function secondOscillation(input: AnalysisInput, angle: number, { fit }: CosineFit): Detuning | null {
  const beside = numberOf(input.runParameters.second_detuning) ?? 0;
  const read = readComplexSweep(input.dataset, 'time', 'detuned');
  if (!fit.ok || beside === 0 || typeof read === 'string' || sweepProblem(read) !== null) return null;
  const { kept } = separateOutliers(read);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const turned = {
    along: kept.re.map((re, index) => re * cos + (kept.im[index] ?? 0) * sin),
    across: kept.re.map((re, index) => (kept.im[index] ?? 0) * cos - re * sin),
  };
  const { found } = fitWeighted(input, kept.x, turned);
  const amplitude = parameterEstimate(found.fit, 0);
  if (!(amplitude.value > SIGNIFICANT * amplitude.error)) return null;
  const [first, second] = [parameterEstimate(fit, 1), parameterEstimate(found.fit, 1)];
  return {
    value: (second.value ** 2 - first.value ** 2 - beside ** 2) / (2 * beside),
    error: Math.hypot(first.value * first.error, second.value * second.error) / Math.abs(beside),
    second,
    beside,
  };
}

function detuningProblem(driven: string, detuning: Detuning | null, { fit }: CosineFit): string | null {
  const { value: frequency } = parameterEstimate(fit, 1);
  if (detuning === null) return null;
  const size = Math.abs(detuning.value);
  if (size - SIGNIFICANT * detuning.error < MAX_DETUNED * frequency) return null;
  const text = estimateText({ value: 1000 * size, error: 1000 * detuning.error }, 'MHz');
  return `the drive is ${text} ${detuning.value > 0 ? 'above' : 'below'} ${driven}, which therefore turns faster than its drive; measure the frequency first`;
}

/** The Rabi frequency on resonance, Ω = √(f² − Δ²). GHz. */
function onResonance(first: Estimate, detuning: Detuning | null): Estimate {
  if (detuning === null) return first;
  const { value, second, beside } = detuning;
  const rabi = Math.sqrt(Math.max(0, first.value ** 2 - value ** 2));
  const byFirst = (first.value * (1 + value / beside)) / rabi;
  const bySecond = (second.value * value) / (beside * rabi);
  return { value: rabi, error: Math.hypot(byFirst * first.error, bySecond * second.error) };
}

/** The reason why the fit cannot be used, with numbers; null if it can. Times in ns, so frequencies in GHz. */
function refusal(input: AnalysisInput, t: readonly number[], { fit }: CosineFit): string | null {
  if (!fit.ok) return fit.message;
  if (!((numberOf(input.inputs.control_amplitude) ?? 0) > 0)) {
    return 'the control amplitude of the drive is unknown';
  }
  const [amplitude = 0, frequency = 0] = fit.parameters;
  const [amplitudeError = 0, frequencyError = 0] = fit.errors;
  const span = Math.max(...t) - Math.min(...t);
  if (![...fit.parameters, ...fit.errors].every(Number.isFinite) || !(frequency > 0)) {
    return 'the fit gives no finite values';
  }
  if (amplitude < SIGNIFICANT * amplitudeError) {
    const found = estimateText({ value: amplitude, error: amplitudeError }, 'a.u.');
    return `no oscillation exceeds the noise: its amplitude would be ${found}`;
  }
  const found = estimateText({ value: frequency * 1000, error: frequencyError * 1000 }, 'MHz');
  if (frequency * span < MIN_PERIODS || frequencyError > LARGEST_RELATIVE_ERROR * frequency) {
    return `the oscillation is not resolved: ${found} over ${span} ns`;
  }
  const nyquist = fastestOscillation(t);
  if (frequency > 0.97 * nyquist) {
    return `the oscillation is too fast for the sweep: ${found} where points see at most ${Number((nyquist * 1000).toPrecision(4))} MHz`;
  }
  return null;
}

function estimate(
  input: AnalysisInput,
  t: readonly number[],
  rotated: RotatedIq,
  { cosine, detuning, widening }: { cosine: CosineFit; detuning: Detuning | null; widening: number },
): Record<string, Estimate> {
  const { fit } = cosine;
  if (!fit.ok) return {};
  const [, frequency = 0, phase = 0] = fit.parameters;
  const [, frequencyError = 0, phaseError = 0] = fit.errors;
  const { amplitude, offset, start } = sizeOf(cosine, widening);
  const rabi = onResonance({ value: frequency, error: frequencyError }, detuning);
  const relativeError = rabi.error / rabi.value;
  const plane = describePlane(t.length, rotated, { offset, start });
  const maximum = (rabi.value * 1000) / (numberOf(input.inputs.control_amplitude) ?? Number.NaN);
  const control = (MHZ_PER_GHZ * TARGET_RABI_FREQUENCY_GHZ) / maximum;
  return {
    rabi_amplitude: amplitude,
    rabi_frequency: { value: frequency * 1000, error: frequencyError * 1000 },
    rabi_phase: { value: phase, error: phaseError },
    ...plane,
    control_amplitude:
      control > HIGHEST_CONTROL_AMPLITUDE
        ? { value: HIGHEST_CONTROL_AMPLITUDE, error: 0 }
        : { value: control, error: control * relativeError },
    maximum_rabi_frequency: { value: maximum, error: maximum * relativeError },
  };
}

/**
 * Amplitude, centre and start of an oscillation, with errors that allow for a decay below the noise. If too few turns
 * were measured to distinguish such a decay from the amplitude, it is ignored.
 */
function sizeOf(
  { fit, decaying }: CosineFit,
  widening: number,
): Record<'amplitude' | 'offset' | 'start', Estimate> {
  const beside = parameterEstimate(decaying, 0);
  const isSignificant = beside.value > SIGNIFICANT * beside.error;
  const [used, factor] = isSignificant ? [decaying, widening] : [fit, 1];
  const [amplitude, offset] = [parameterEstimate(used, 0), parameterEstimate(used, 3)];
  const shared = used.ok ? (used.covariance[0]?.[3] ?? 0) : Number.NaN;
  const wide = ({ value, error }: Estimate) => ({ value, error: factor * error });
  return {
    amplitude: wide(amplitude),
    offset: wide(offset),
    start: wide({
      value: offset.value + amplitude.value,
      error: Math.sqrt(Math.max(0, amplitude.error ** 2 + offset.error ** 2 + 2 * shared)),
    }),
  };
}

/**
 * Position of the oscillation in the IQ plane. The variance of the direction of a principal axis of n points with
 * variances λ₁ > λ₂ is λ₁ λ₂ / (n (λ₁ − λ₂)²) (https://doi.org/10.1214/aoms/1177704248).
 */
function describePlane(
  count: number,
  rotated: RotatedIq,
  { offset, start }: Record<'offset' | 'start', Estimate>,
): Record<string, Estimate> {
  // The centre and the direction use two degrees of freedom.
  const noise = standardDeviation(rotated.across, 2);
  const [along, across] = [standardDeviation(rotated.along) ** 2, noise ** 2];
  const angleError = Math.sqrt((along * across) / count) / (along - across);
  const distance = mean(rotated.across);
  const centreError = noise / Math.sqrt(count);
  const acrossAt = (position: number) => Math.hypot(centreError, position * angleError);
  const radius = Math.hypot(start.value, distance);
  const phase = rotated.angle + Math.atan2(distance, start.value);
  const tangential = Math.hypot(
    start.value * acrossAt(start.value - mean(rotated.along)),
    distance * start.error,
  );
  return {
    // A rotation of the axis shifts points beside the origin along it.
    rabi_offset: { value: offset.value, error: Math.hypot(offset.error, distance * angleError) },
    rabi_angle: { value: (rotated.angle * 180) / Math.PI, error: (angleError * 180) / Math.PI },
    // A signal in one quadrature does not show the noise across its axis.
    ...(across > ROUNDING ** 2 * along && {
      rabi_noise: { value: noise, error: noise / Math.sqrt(2 * (count - 2)) },
    }),
    rabi_distance: { value: distance, error: acrossAt(mean(rotated.along)) },
    rabi_reference_phase: {
      value: Math.atan2(Math.sin(phase), Math.cos(phase)),
      error: tangential / radius ** 2,
    },
  };
}

/** The oscillation: the points along and across their principal axis, and the fit along it. */
interface Oscillation {
  rotated: RotatedIq;
  cosine: CosineFit;
}

function fitFigure(
  { task, qid }: AnalysisInput,
  t: readonly number[],
  { rotated, judged: { found, kept, sigma } }: { rotated: RotatedIq; judged: JudgedFit<FittedCosine> },
  frequency: Estimate | undefined,
): Figure {
  const pick = (values: readonly number[]) => kept.map((index) => values[index] ?? 0);
  const curve = found.fit.ok ? { name: fitName(found.fit.r2, found.damped), at: found.evaluate } : null;
  const resultText = frequency === undefined ? 'no usable fit' : `f = ${estimateText(frequency, 'MHz')}`;
  return composeFit([{ name: 'data', x: pick(t), y: pick(rotated.along), sigma, curve }], {
    title: `${subjectOf({ task, qid })} · ${resultText}`,
    x: 'Pulse length (ns)',
    y: 'Signal along the oscillation (a.u.)',
  });
}

function planeFigure(
  { task, qid }: AnalysisInput,
  sweep: ComplexSweep,
  oscillation?: Oscillation,
  { rabi_amplitude: amplitude, rabi_offset: offset }: Record<string, Estimate> = {},
): Figure {
  const data = [pointsTrace('data', sweep.re, sweep.im)];
  const { rotated, cosine } = oscillation ?? {};
  if (rotated !== undefined && cosine?.fit.ok && amplitude !== undefined && offset !== undefined) {
    const across = mean(rotated.across);
    const [cos, sin] = [Math.cos(rotated.angle), Math.sin(rotated.angle)];
    const point = (along: number) => ({ re: along * cos - across * sin, im: along * sin + across * cos });
    const [ground, excited] = [point(offset.value + amplitude.value), point(offset.value - amplitude.value)];
    data.push(lineTrace('axis of the oscillation', [ground.re, excited.re], [ground.im, excited.im]));
    data.push(pointsTrace('where it starts', [ground.re], [ground.im]));
  }
  const found =
    amplitude === undefined ? 'IQ plane, no usable fit' : `amplitude ${estimateText(amplitude, 'a.u.')}`;
  return composeFigure(data, {
    title: `${subjectOf({ task, qid })} · ${found}`,
    x: 'I (a.u.)',
    y: 'Q (a.u.)',
    equalAspect: true,
  });
}
