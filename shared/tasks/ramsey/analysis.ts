import type { Dataset } from '../../science/datasets/model.ts';
import { type ComplexSweep, readComplexSweep } from '../../science/datasets/rules.ts';
import { composeFigure, lineTrace, pointsTrace } from '../../science/figures/compose.ts';
import { composeFit } from '../../science/figures/fit-figure.ts';
import type { Figure } from '../../science/figures/model.ts';
import { type Estimate, estimateText, SIGNIFICANT } from '../../science/fitting/estimate.ts';
import { type RivalFringe, rivalFringe } from '../../science/fitting/fringe-rivals.ts';
import { type FringesFit, fringePoints } from '../../science/fitting/fringes.ts';
import { signalDeviations } from '../../science/fitting/measurement-noise.ts';
import { separateOutliers } from '../../science/fitting/outliers.ts';
import { sweepFault } from '../../science/fitting/residuals.ts';
import { fastestOscillation } from '../../science/fitting/sampling.ts';
import { sweepProblem } from '../../science/fitting/sweep-problem.ts';
import { fitName, subjectOf } from '../common/analysis/figure-text.ts';
import { parameterEstimate } from '../common/analysis/judged-fit.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { memoryNotes } from '../common/analysis/remembered-points.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { type ScaledSignal, scaleSignal } from '../common/analysis/state-scale.ts';
import { numberOf } from '../common/parameters.ts';
import { betterRun } from './better-run.ts';
import { type FringeDecay, fitFringeDecay } from './fringe-decay.ts';

/** Maximum relative error of a decay. A less precise one is indistinguishable from others. */
const LARGEST_RELATIVE_ERROR = 0.5;
/** Maximum initial phase of the fringe by the shape and errors of the pulses, radians. */
const MAX_PHASE = 0.7;
const SPIRAL_POINTS = 801;

/** Both fringes at the same times, with the same scale. */
interface Fringes {
  t: number[];
  x: ScaledSignal;
  y: ScaledSignal;
  /** The problem of the data before any fit; null if there is none. */
  fault: string | null;
}

/**
 * Fits both fringes `x_re`, `x_im` and `y_re`, `y_im` over `time` (ns) at once. A single axis does not show whether the
 * drive is above or below the qubit. Both axes give the sign of the fringe frequency, so f01 = stored + detuning −
 * fringe holds on either side.
 */
export function analyseRamsey(input: AnalysisInput): Analysis {
  const fringes = readFringes(input.dataset);
  if (typeof fringes === 'string') return withoutFigures(fringes);
  const found = fitWeighted(input, fringes);
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
  if (refused === null) return { outputs, r2, figures, notes: memoryNotes(found.memory) };
  const again = fringes.fault === null ? betterRun(input, fringes.t, found, rival) : null;
  return { outputs, r2, figures, refused, ...(again === null ? {} : { again }) };
}

/**
 * Fits the fringes of a resonant drive whose second pulse advances in phase, like those of a detuned drive. Its times
 * are spaced geometrically, so for any qubit some are where the decay leaves the most information about the frequency.
 */
export function analyseFineFrequency(input: AnalysisInput): Analysis {
  const fringes = readFringes(input.dataset);
  if (typeof fringes === 'string') return withoutFigures(fringes);
  const found = fitWeighted(input, fringes);
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
  return { outputs, r2, figures, ...(refused === null ? { notes: memoryNotes(found.memory) } : { refused }) };
}

/** Maximum error of a fine frequency, GHz. */
const COARSE = 2e-5;

function coarse({ found: { fit } }: FringeDecay): string | null {
  const { error } = parameterEstimate(fit, 1);
  return error < COARSE
    ? null
    : `the fringes are over before they tell the frequency: its error would be ${(1e6 * error).toPrecision(2)} kHz`;
}

function corrections(input: AnalysisInput, found: FringeDecay) {
  const { qubit_frequency: frequency } = estimate(input, found);
  const believed = numberOf(input.inputs.qubit_frequency) ?? Number.NaN;
  return {
    qubit_frequency: frequency,
    frequency_correction: { value: 1e3 * (frequency.value - believed), error: 1e3 * frequency.error },
  };
}

/** Two sweeps with their common points, as expectation values if there are references. */
function readFringes(dataset: Dataset): Fringes | string {
  const readX = readComplexSweep(dataset, 'time', 'x');
  if (typeof readX === 'string') return readX;
  const readY = readComplexSweep(dataset, 'time', 'y');
  if (typeof readY === 'string') return readY;
  const [x, y] = [separateOutliers(readX).kept, separateOutliers(readY).kept];
  const known = new Set(y.x);
  const both = keep(x, known);
  const others = keep(y, new Set(both.x));
  const problem = sweepProblem(both) ?? sweepProblem(others);
  if (problem !== null) return problem;
  // Both fringes are scaled together, so that they have the same axis in the IQ plane.
  const joined = {
    x: [...both.x, ...others.x],
    re: [...both.re, ...others.re],
    im: [...both.im, ...others.im],
  };
  const scaled = scaleSignal(dataset, joined);
  const signal = scaled.calibrated
    ? {
        ...scaled,
        y: scaled.y.map((population) => 1 - 2 * population),
        across: 2 * scaled.across,
        label: 'expectation value',
      }
    : { ...scaled, label: 'signal (a.u.)' };
  const count = both.x.length;
  const fault = [
    { sweep: both, aside: scaled.aside.slice(0, count) },
    { sweep: others, aside: scaled.aside.slice(count) },
  ].reduce<string | null>(
    (found, { sweep, aside }) => found ?? sweepFault(sweep, aside, scaled.prepared),
    null,
  );
  return {
    fault,
    t: both.x,
    x: { ...signal, y: signal.y.slice(0, count) },
    y: { ...signal, y: signal.y.slice(count) },
  };
}

function keep({ x, re, im }: ComplexSweep, known: ReadonlySet<number>): ComplexSweep {
  const indices = x.flatMap((value, index) => (known.has(value) ? [index] : []));
  const pick = (values: readonly number[]) => indices.map((index) => values[index] ?? 0);
  return { x: pick(x), re: pick(re), im: pick(im) };
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
    if (numberOf(parameter) === undefined) return `the ${name} it was driven with is not known`;
  }
  const [amplitude = 0, frequency = 0] = fit.parameters;
  const [amplitudeError = 0, frequencyError = 0] = fit.errors;
  if (Math.abs(amplitude) < SIGNIFICANT * amplitudeError) {
    const text = estimateText({ value: amplitude, error: amplitudeError }, '');
    return `no precession stands out of the noise: its amplitude would be ${text}`;
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
  return `the fringe begins with a phase of ${beyond.toFixed(2)} that its frequency does not explain: the qubit may precess faster than points ${Number((1 / (2 * fastest)).toPrecision(3))} ns apart can tell`;
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
  return `the sweep does not tell fringes of ${text[0]} from such of ${text[1]}: its steps are round parts of the times that both take, or too few fall within the decay`;
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

function fringeName({ fit, envelope }: FringesFit): string {
  const how = { exponential: '', gaussian: 'Gaussian ', beating: 'beating ' }[envelope];
  return `${how}${fitName(fit.r2 ?? 0)}`;
}

function fringeFigure(
  { task, qid }: AnalysisInput,
  {
    fringes,
    found: { found, kept, sigma },
    resultText = 'no usable fit',
    xScale = 'linear',
  }: { fringes: Fringes; found: FringeDecay; resultText: string | undefined; xScale?: 'linear' | 'log' },
  axis: 'X' | 'Y',
): Figure {
  const { y, label } = axis === 'X' ? fringes.x : fringes.y;
  const along = axis === 'X' ? found.x : found.y;
  // The points of X precede those of Y.
  const first = axis === 'X' ? 0 : fringes.t.length;
  const shown = kept.flatMap((place, index) => {
    const at = place - first;
    return at < 0 || at >= fringes.t.length ? [] : [{ at, sigma: sigma?.[index] }];
  });
  const deviations = shown.flatMap((point) => point.sigma ?? []);
  const curve = found.fit.ok ? { name: fringeName(found), at: (time: number) => along(1000 * time) } : null;
  const series = {
    name: 'data',
    x: shown.map(({ at }) => (fringes.t[at] ?? 0) / 1000),
    y: shown.map(({ at }) => y[at] ?? 0),
    sigma: deviations.length === shown.length ? deviations : undefined,
    curve,
  };
  return composeFit([series], {
    title: `${task.name} ${axis} · qubit ${qid} · ${resultText}`,
    x: 'Free time (µs)',
    y: `${axis} ${label}`,
    xScale,
  });
}

function spiralFigure(
  { task, qid }: AnalysisInput,
  { t, x, y }: Fringes,
  { found }: FringeDecay,
  t2Star?: Estimate,
): Figure {
  const data = [pointsTrace('data', x.y, y.y)];
  if (found.fit.ok) {
    const [from, to] = [Math.min(...t), Math.max(...t)];
    const times = Array.from(
      { length: SPIRAL_POINTS },
      (_, index) => from + ((to - from) * index) / (SPIRAL_POINTS - 1),
    );
    data.push(lineTrace(fringeName(found), times.map(found.x), times.map(found.y)));
  }
  const text = t2Star === undefined ? 'no usable fit' : `T2* = ${estimateText(t2Star, 'µs')}`;
  return composeFigure(data, {
    title: `${subjectOf({ task, qid })} · ${text}`,
    x: `X ${x.label}`,
    y: `Y ${y.label}`,
    equalAspect: true,
  });
}
