import { type ComplexSweep, readComplexSweep } from '../../science/datasets/rules.ts';
import { curveTrace, errorBarsTrace, unnamed } from '../../science/figures/compose.ts';
import type { Figure } from '../../science/figures/model.ts';
import { composePanels } from '../../science/figures/panels.ts';
import { ROUNDING } from '../../science/fitting/axis-departure.ts';
import { atMost } from '../../science/fitting/bounded-estimate.ts';
import { type CosineFit, fitCosine } from '../../science/fitting/cosine.ts';
import { type Estimate, estimateText, SIGNIFICANT } from '../../science/fitting/estimate.ts';
import { rotateToPrincipalAxis } from '../../science/fitting/iq-rotation.ts';
import { type CurveModel, fitCurve } from '../../science/fitting/least-squares.ts';
import { signalDeviations } from '../../science/fitting/measurement-noise.ts';
import { sweepFault } from '../../science/fitting/residuals.ts';
import { mean, standardDeviation } from '../../science/fitting/statistics.ts';
import { sweepProblem } from '../../science/fitting/sweep-problem.ts';
import { fitName, subjectOf } from '../common/analysis/figure-text.ts';
import {
  type FittedPoints,
  fitJudged,
  type JudgedFit,
  parameterEstimate,
} from '../common/analysis/judged-fit.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { numberOf } from '../common/parameters.ts';
import { moreShots } from '../suggested-run.ts';

/** h / k_B in mK per GHz. */
const MK_PER_GHZ = 47.992_430_73;
/** Maximum thermal population. At 10 GHz, a larger one would require more than half a kelvin. */
const HOTTEST = 0.3;
/** Maximum error of the population. A larger one leaves open whether the qubit is cold. */
const LARGEST_ERROR = 0.05;

type FittedCosine = CosineFit & { fitted: number[] };
/** The small oscillation as a fraction of the large one. Parameters: fraction, offset. */
type FittedPart = FittedPoints & { evaluate(t: number): number };

/** Both oscillations on the axis of the large one. */
interface Oscillations {
  x: number[];
  large: number[];
  small: number[];
  aside: { large: number[]; small: number[] };
}

/**
 * Fits the oscillation of the excited qubit (`iq`), and that of the unexcited qubit (`unexcited`) as a fraction r of
 * it. The ratio of their amplitudes is p : (1 − p) (https://doi.org/10.1103/PhysRevLett.114.240501), so p = r / (1 +
 * r), independent of the readout.
 */
export function analyseThermalPopulation(input: AnalysisInput): Analysis {
  const large = readComplexSweep(input.dataset, 'time', 'iq');
  if (typeof large === 'string') return withoutFigures(large);
  const small = readComplexSweep(input.dataset, 'time', 'unexcited');
  if (typeof small === 'string') return withoutFigures(small);
  const unusable = sweepProblem(large) ?? sweepProblem(small);
  if (unusable !== null) return withoutFigures(unusable);
  if (large.x.join() !== small.x.join()) {
    return withoutFigures('both oscillations must be measured at the same pulse lengths');
  }
  const turned = onOneAxis(large, small);
  const reference = fitLarge(input, turned);
  const part = fitSmall(turned, reference.found);
  const ratio = parameterEstimate(part.found.fit, 0);
  const unbounded = {
    value: ratio.value / (1 + ratio.value),
    error: ratio.error / (1 + ratio.value) ** 2,
  };
  const refused = problemOf(large, small, { turned, reference, part, unbounded });
  const population = notNegative(unbounded);
  const figures = [
    oscillationsFigure(input, turned, { reference, part, found: refused === null ? population : undefined }),
  ];
  const { r2 } = reference.found.fit;
  if (refused !== null) {
    const suggestion = moreShots(input.runParameters, 'the oscillations are lost in noise');
    return { outputs: {}, r2, figures, refused, ...(suggestion && { suggestion }) };
  }
  const temperature = temperatureOf(population, numberOf(input.inputs.qubit_frequency) ?? Number.NaN);
  return { outputs: { thermal_population: population, effective_temperature: temperature }, r2, figures };
}

function onOneAxis(large: ComplexSweep, small: ComplexSweep): Oscillations {
  const { angle, along, across } = rotateToPrincipalAxis(large);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const turn = (part: (re: number, im: number) => number) =>
    small.re.map((re, index) => part(re, small.im[index] ?? 0));
  return {
    x: large.x,
    large: along,
    small: turn((re, im) => re * cos + im * sin),
    aside: { large: across, small: turn((re, im) => im * cos - re * sin) },
  };
}

function pick(values: readonly number[], indices: readonly number[]): number[] {
  return indices.map((index) => values[index] ?? 0);
}

function fitLarge(
  { runParameters }: AnalysisInput,
  { x, large, aside }: Oscillations,
): JudgedFit<FittedCosine> {
  const across = standardDeviation(aside.large, 2);
  return fitJudged<FittedCosine>({
    ofSeveralSweeps: true,
    y: large,
    across,
    fitTo(indices, sigma) {
      const times = pick(x, indices);
      const found = fitCosine(times, pick(large, indices), { sigma });
      return { ...found, fitted: times.map(found.evaluate) };
    },
    deviations({ fit, fitted }) {
      const [amplitude, offset] = [parameterEstimate(fit, 0).value, parameterEstimate(fit, 3).value];
      const levels = { ground: offset + amplitude, excited: offset - amplitude };
      return signalDeviations(fitted, levels, across, numberOf(runParameters.shots));
    },
  });
}

/**
 * Almost all shots find the same state, so the noise is that of the amplifier, which is also visible across the axis.
 */
function fitSmall({ x, small, aside }: Oscillations, reference: FittedCosine): JudgedFit<FittedPart> {
  const across = standardDeviation(aside.small);
  const offset = parameterEstimate(reference.fit, 3).value;
  const model: CurveModel = {
    evaluate: ([part = 0, level = 0], t) => part * (reference.evaluate(t) - offset) + level,
    gradient: (_, t) => [reference.evaluate(t) - offset, 1],
  };
  const size = standardDeviation(small);
  return fitJudged<FittedPart>({
    ofSeveralSweeps: true,
    y: small,
    across,
    fitTo(indices, sigma) {
      const times = pick(x, indices);
      const y = pick(small, indices);
      const start = [0, mean(y)];
      const fit = fitCurve({ x: times, y, model, start, scale: [0.1, size], sigma });
      const evaluate = (t: number) => model.evaluate(fit.ok ? fit.parameters : start, t);
      return { fit, evaluate, fitted: times.map(evaluate) };
    },
    // A signal of one quadrature has no noise across its axis.
    deviations: ({ fitted }) => (across > ROUNDING * size ? fitted.map(() => across) : undefined),
  });
}

/** The reason why the data show no temperature, with numbers; null if they do. */
function problemOf(
  large: ComplexSweep,
  small: ComplexSweep,
  {
    turned,
    reference,
    part,
    unbounded,
  }: {
    turned: Oscillations;
    reference: JudgedFit<FittedCosine>;
    part: JudgedFit<FittedPart>;
    unbounded: Estimate;
  },
): string | null {
  const fault = sweepFault(large, turned.aside.large) ?? sweepFault(small, turned.aside.small);
  if (fault !== null) return fault;
  const { fit } = reference.found;
  if (!fit.ok) return fit.message;
  const amplitude = parameterEstimate(fit, 0);
  if (!(amplitude.value > SIGNIFICANT * amplitude.error)) {
    return `the excited qubit shows no oscillation: its amplitude would be ${estimateText(amplitude, 'a.u.')}`;
  }
  if (reference.judgement?.problem) return reference.judgement.problem;
  if (!part.found.fit.ok) return part.found.fit.message;
  const text = estimateText(unbounded, '');
  if (!(unbounded.error < LARGEST_ERROR)) return `the population is not resolved: it would be ${text}`;
  if (unbounded.value > HOTTEST) {
    return `both oscillations are almost equal, as if nothing had been excited: the population would be ${text}; check the DRAG pulses`;
  }
  if (unbounded.value < -SIGNIFICANT * unbounded.error) {
    return `both oscillations are opposite, which is not thermal: the population would be ${text}`;
  }
  return null;
}

/** A population is not negative, even if noise makes its estimate negative. */
function notNegative({ value, error }: Estimate): Estimate {
  const bounded = atMost(0, { value: -value, error });
  return { value: -bounded.value, error: bounded.error };
}

/** Temperature by Boltzmann's law: T = h f / k ln((1 − p) / p). mK. */
function temperatureOf({ value, error }: Estimate, frequency: number): Estimate {
  const odds = Math.log((1 - value) / value);
  const temperature = (MK_PER_GHZ * frequency) / odds;
  return { value: temperature, error: ((temperature / odds) * error) / (value * (1 - value)) };
}

function oscillationsFigure(
  { task, qid }: AnalysisInput,
  { x, large, small }: Oscillations,
  {
    reference,
    part,
    found,
  }: { reference: JudgedFit<FittedCosine>; part: JudgedFit<FittedPart>; found: Estimate | undefined },
): Figure {
  const panel = (
    name: string,
    values: readonly number[],
    { found: curve, kept, sigma }: JudgedFit<FittedCosine> | JudgedFit<FittedPart>,
  ) => {
    const times = pick(x, kept);
    const errors = sigma ?? times.map(() => 0);
    return {
      data: [
        unnamed(errorBarsTrace(name, times, pick(values, kept), errors)),
        ...(curve.fit.ok ? [unnamed(curveTrace(fitName(curve.fit.r2), x, curve.evaluate))] : []),
      ],
      x: 'Pulse length (ns)',
      y: `Signal, ${name} (a.u.)`,
    };
  };
  const resultText = found === undefined ? 'no usable fit' : `p = ${estimateText(found, '')}`;
  return composePanels([panel('excited first', large, reference), panel('not excited', small, part)], {
    title: `${subjectOf({ task, qid })} · ${resultText}`,
    columns: 1,
  });
}
