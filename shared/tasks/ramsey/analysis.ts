import type { Dataset } from '../../science/datasets/model.ts';
import { type ComplexSweep, readComplexSweep } from '../../science/datasets/rules.ts';
import { composeFigure, curveTrace, lineTrace, pointsTrace } from '../../science/figures/compose.ts';
import type { Figure } from '../../science/figures/model.ts';
import { type Estimate, estimateText, SIGNIFICANT } from '../../science/fitting/estimate.ts';
import { type FringesFit, fitFringes } from '../../science/fitting/fringes.ts';
import { signalDeviations } from '../../science/fitting/measurement-noise.ts';
import { sweepProblem } from '../../science/fitting/sweep-problem.ts';
import { fitName, subjectOf } from '../common/analysis/figure-text.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { type ScaledSignal, scaleSignal } from '../common/analysis/state-scale.ts';
import { numberOf } from '../common/parameters.ts';

/** A decay slower than this part of the sweep's inverse length cannot be told from none. */
const LARGEST_RELATIVE_ERROR = 0.5;
const SPIRAL_POINTS = 801;

/** Both fringes at the same times, scaled alike. */
interface Fringes {
  t: number[];
  x: ScaledSignal;
  y: ScaledSignal;
}

/**
 * Fits both fringes `x_re`, `x_im` and `y_re`, `y_im` over `time` (ns) at once. One axis alone does not tell whether
 * the drive lies above or below the qubit; both do, so the sign of the fringe is measured and
 * f01 = believed + detuning − fringe holds on either side.
 */
export function analyseRamsey(input: AnalysisInput): Analysis {
  const fringes = readFringes(input.dataset);
  if (typeof fringes === 'string') return withoutFigures(fringes);
  const found = fitWeighted(input, fringes);
  const refused = refusal(input, fringes.t, found);
  const outputs = refused === null ? estimate(input, found) : {};
  const figures = [
    fringeFigure(input, { fringes, found }, 'X', outputs.ramsey_frequency),
    fringeFigure(input, { fringes, found }, 'Y', outputs.qubit_frequency),
    spiralFigure(input, fringes, found, outputs.t2_star),
  ];
  return { outputs, r2: found.fit.r2, figures, ...(refused === null ? {} : { refused }) };
}

/** Two sweeps of which only the points that both have are kept, as expectation values where references are there. */
function readFringes(dataset: Dataset): Fringes | string {
  const x = readComplexSweep(dataset, 'time', 'x');
  if (typeof x === 'string') return x;
  const y = readComplexSweep(dataset, 'time', 'y');
  if (typeof y === 'string') return y;
  const known = new Set(y.x);
  const both = keep(x, known);
  const others = keep(y, new Set(both.x));
  const problem = sweepProblem(both) ?? sweepProblem(others);
  if (problem !== null) return problem;
  // Scaled in one piece, so that both fringes have the same axis in the IQ plane.
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
  return {
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

/** First all points alike, then weighted by the noise that the first fit lets expect. */
function fitWeighted(input: AnalysisInput, { t, x, y }: Fringes): FringesFit {
  const first = fitFringes(t, x.y, y.y);
  if (!first.fit.ok) return first;
  const [amplitude = 0, , , offset = 0] = first.fit.parameters;
  const levels = x.calibrated
    ? { ground: 1, excited: -1 }
    : { ground: offset + amplitude, excited: offset - amplitude };
  const deviations = signalDeviations(first.fitted, levels, x.across, numberOf(input.runParameters.shots));
  return deviations === undefined ? first : fitFringes(t, x.y, y.y, deviations);
}

/** Why the fit cannot be used, in numbers; null when it can. Times in ns, so frequencies in GHz. */
function refusal(input: AnalysisInput, t: readonly number[], { fit }: FringesFit): string | null {
  if (!fit.ok) return fit.message;
  if (![...fit.parameters, ...fit.errors].every(Number.isFinite)) return 'the fit gives no finite values';
  for (const [name, parameter] of [
    ['qubit frequency', input.inputs.qubit_frequency],
    ['detuning', input.runParameters.detuning],
  ] as const) {
    if (numberOf(parameter) === undefined) return `the ${name} it was driven with is not known`;
  }
  const [amplitude = 0, frequency = 0, , , , rate = 0] = fit.parameters;
  const [amplitudeError = 0, frequencyError = 0, , , , rateError = 0] = fit.errors;
  if (Math.abs(amplitude) < SIGNIFICANT * amplitudeError) {
    const found = estimateText({ value: amplitude, error: amplitudeError }, '');
    return `no precession stands out of the noise: its amplitude would be ${found}`;
  }
  const span = Math.max(...t) - Math.min(...t);
  const highest = (t.length - 1) / (2 * span);
  if (Math.abs(frequency) > 0.97 * highest) {
    const found = estimateText({ value: frequency * 1000, error: frequencyError * 1000 }, 'MHz');
    return `the precession is too fast for the sweep: ${found} where points see at most ${Number((highest * 1000).toPrecision(4))} MHz`;
  }
  if (!(rateError < LARGEST_RELATIVE_ERROR * rate)) {
    const found = estimateText({ value: rate * 1000, error: rateError * 1000 }, 'per us');
    return `the decay is not resolved: its rate would be ${found} over ${span / 1000} us`;
  }
  return null;
}

function estimate(input: AnalysisInput, { fit }: FringesFit): Record<string, Estimate> {
  if (!fit.ok) return {};
  const [, frequency = 0, , , , rate = 0] = fit.parameters;
  const [, frequencyError = 0, , , , rateError = 0] = fit.errors;
  const drive =
    (numberOf(input.inputs.qubit_frequency) ?? Number.NaN) +
    (numberOf(input.runParameters.detuning) ?? Number.NaN);
  return {
    ramsey_frequency: { value: frequency * 1000, error: frequencyError * 1000 },
    qubit_frequency: { value: drive - frequency, error: frequencyError },
    t2_star: { value: 1 / (1000 * rate), error: rateError / (1000 * rate ** 2) },
  };
}

function fringeFigure(
  { task, qid }: AnalysisInput,
  { fringes, found }: { fringes: Fringes; found: FringesFit },
  axis: 'X' | 'Y',
  value?: Estimate,
): Figure {
  const t = fringes.t.map((time) => time / 1000);
  const { y, label } = axis === 'X' ? fringes.x : fringes.y;
  const curve = axis === 'X' ? found.x : found.y;
  const data = [pointsTrace('data', t, y)];
  if (found.fit.ok) {
    data.push(curveTrace(fitName(found.fit.r2), t, (time) => curve(1000 * time)));
  }
  const text =
    axis === 'X'
      ? `fringe ${value === undefined ? '' : estimateText(value, 'MHz')}`
      : `f01 = ${value === undefined ? '' : estimateText(value, 'GHz')}`;
  return composeFigure(data, {
    title: `${task.name} ${axis} · qubit ${qid} · ${value === undefined ? 'no usable fit' : text}`,
    x: 'Free time (us)',
    y: `${axis} ${label}`,
  });
}

function spiralFigure(
  { task, qid }: AnalysisInput,
  { t, x, y }: Fringes,
  found: FringesFit,
  t2Star?: Estimate,
): Figure {
  const data = [pointsTrace('data', x.y, y.y)];
  if (found.fit.ok) {
    const [from, to] = [Math.min(...t), Math.max(...t)];
    const times = Array.from(
      { length: SPIRAL_POINTS },
      (_, index) => from + ((to - from) * index) / (SPIRAL_POINTS - 1),
    );
    data.push(lineTrace(fitName(found.fit.r2), times.map(found.x), times.map(found.y)));
  }
  const text = t2Star === undefined ? 'no usable fit' : `T2* = ${estimateText(t2Star, 'us')}`;
  return composeFigure(data, {
    title: `${subjectOf({ task, qid })} · ${text}`,
    x: `X ${x.label}`,
    y: `Y ${y.label}`,
    equalAspect: true,
  });
}
