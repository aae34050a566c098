import { type ComplexSweep, readComplexSweep } from '../datasets/rules.ts';
import { composeFigure, curveTrace, pointsTrace } from '../figures/compose.ts';
import type { Figure } from '../figures/model.ts';
import { estimateText } from './estimate-text.ts';
import { type ExponentialFit, fitExponential } from './exponential.ts';
import { rotate, rotateToPrincipalAxis } from './iq-rotation.ts';
import { signalDeviations } from './measurement-noise.ts';
import type { Analysis, AnalysisInput, Estimate } from './model.ts';
import { fitName, numberOf, sweepProblem, withoutFigures } from './parts.ts';
import { standardDeviation } from './statistics.ts';

/** A decay counts as seen when its amplitude is this many standard errors. */
const SIGNIFICANT = 5;
const LARGEST_RELATIVE_ERROR = 0.5;

/** The signal as excited-state population where the dataset tells both states, else in arbitrary units. */
interface Decay {
  y: number[];
  /** Deviation of one point across the axis of the signal, in the unit of `y`. */
  across: number;
  label: string;
  calibrated: boolean;
}

/**
 * Fits the decay A e^(−t/T1) + C of `iq_re`, `iq_im` over `time` (ns), weighted by the measurement's noise.
 * With `reference_re`, `reference_im` over `state` (0 ground, 1 excited) the signal is scaled to population,
 * otherwise the principal axis of the points is taken as it is; T1 does not depend on that.
 */
export function analyseT1(input: AnalysisInput): Analysis {
  const sweep = readComplexSweep(input.dataset, 'time', 'iq');
  if (typeof sweep === 'string') return withoutFigures(sweep);
  const unusable = sweepProblem(sweep);
  if (unusable !== null) {
    return {
      outputs: {},
      r2: null,
      figures: [decayFigure(input, sweep.x, principal(sweep))],
      refused: unusable,
    };
  }
  const decay = population(input, sweep) ?? principal(sweep);
  const exponential = fitWeighted(input, sweep.x, decay);
  const refused = refusal(sweep.x, decay, exponential);
  const { fit } = exponential;
  const t1 = {
    value: (fit.ok ? (fit.parameters[1] ?? 0) : 0) / 1000,
    error: (fit.ok ? (fit.errors[1] ?? 0) : 0) / 1000,
  };
  const figures = [decayFigure(input, sweep.x, decay, exponential, refused === null ? t1 : undefined)];
  if (refused !== null) return { outputs: {}, r2: fit.r2, figures, refused };
  return { outputs: { t1 }, r2: fit.r2, figures };
}

function principal(sweep: ComplexSweep): Decay {
  const { along, across } = rotateToPrincipalAxis(sweep);
  return { y: along, across: standardDeviation(across), label: 'Signal (a.u.)', calibrated: false };
}

/** Projection onto the line from the ground to the excited reference point: 0 at the one and 1 at the other. */
function population(input: AnalysisInput, sweep: ComplexSweep): Decay | null {
  const reference = readComplexSweep(input.dataset, 'state', 'reference');
  if (typeof reference === 'string') return null;
  const [ground, excited] = [reference.x.indexOf(0), reference.x.indexOf(1)];
  const [re0, im0, re1, im1] = [
    reference.re[ground],
    reference.im[ground],
    reference.re[excited],
    reference.im[excited],
  ];
  if (re0 === undefined || im0 === undefined || re1 === undefined || im1 === undefined) return null;
  const distance = Math.hypot(re1 - re0, im1 - im0);
  const rotated = rotate(
    { re: sweep.re.map((re) => re - re0), im: sweep.im.map((im) => im - im0) },
    Math.atan2(im1 - im0, re1 - re0),
  );
  const across = standardDeviation(rotated.across);
  // References that lie as close as noise would put them scale nothing.
  if (!(distance > 3 * across)) return null;
  return {
    y: rotated.along.map((value) => value / distance),
    across: across / distance,
    label: 'Excited-state population',
    calibrated: true,
  };
}

/** First all points alike, then weighted by the noise that the first fit lets expect. */
function fitWeighted(input: AnalysisInput, t: readonly number[], decay: Decay): ExponentialFit {
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
function refusal(t: readonly number[], decay: Decay, { fit }: ExponentialFit): string | null {
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
  t: readonly number[],
  decay: Decay,
  exponential?: ExponentialFit,
  t1?: Estimate,
): Figure {
  const inMicroseconds = t.map((time) => time / 1000);
  const data = [pointsTrace('data', inMicroseconds, decay.y)];
  if (exponential?.fit.ok) {
    const name = fitName(exponential.fit.r2);
    data.push(curveTrace(name, inMicroseconds, (time) => exponential.evaluate(time * 1000), 'log'));
  }
  const found = t1 === undefined ? 'no usable fit' : `T1 = ${estimateText(t1, 'us')}`;
  return composeFigure(data, {
    title: `${task.name} · qubit ${qid} · ${found}`,
    x: 'Waiting time (us)',
    y: decay.label,
    xScale: 'log',
  });
}
