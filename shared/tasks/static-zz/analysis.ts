import { KHZ_PER_GHZ, NS_PER_US } from '../../science/conventions/units.ts';
import { readComplexMap } from '../../science/datasets/complex-map.ts';
import { composeFit } from '../../science/figures/fit-figure.ts';
import type { Figure } from '../../science/figures/model.ts';
import { ofControl } from '../../science/fitting/cross-resonance-tomography.ts';
import { type Estimate, estimateText, SIGNIFICANT } from '../../science/fitting/estimate.ts';
import { rivalFringe } from '../../science/fitting/fringe-rivals.ts';
import {
  type FringePoint,
  type FringesFit,
  fitFringePoints,
  fringePoints,
} from '../../science/fitting/fringes.ts';
import { instrumentFault } from '../../science/fitting/instrument-fault.ts';
import { POLARISATION_LEVELS, signalDeviations } from '../../science/fitting/measurement-noise.ts';
import { readPopulationScale } from '../../science/fitting/population-scale.ts';
import { fitName, subjectOf } from '../common/analysis/figure-text.ts';
import { fitJudged, type JudgedFit } from '../common/analysis/judged-fit.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { lowerR2, withoutFigures } from '../common/analysis/results.ts';
import { numberOf } from '../common/parameters.ts';
import type { NextPassSettings } from '../next-pass.ts';

/** Both fringes of the target for one state of the control. */
interface StateFringes extends JudgedFit<FringesFit> {
  t: number[];
  /** All points of X, then all of Y. */
  points: FringePoint[];
}

/**
 * Fits the fringes `x_re`, `x_im`, `y_re`, `y_im` over `control_state` and `time` (ns); their frequencies differ by the
 * shift of the target by an excitation of the control.
 */
export function analyseStaticZz(input: AnalysisInput): Analysis {
  const fringes = readFringes(input);
  if (typeof fringes === 'string') return withoutFigures(fringes);
  const [ground, excited] = fringes;
  const ambiguous = rivalProblem(input, ground, 0) ?? rivalProblem(input, excited, 1);
  const refused = fringeProblem(ground, 0) ?? fringeProblem(excited, 1) ?? ambiguous;
  const [from, to] = [frequencyOf(ground), frequencyOf(excited)];
  // The fringe frequency is drive minus qubit, so it falls as the qubit frequency rises.
  const shift: Estimate = { value: from.value - to.value, error: Math.hypot(from.error, to.error) };
  const text = estimateText({ value: shift.value * KHZ_PER_GHZ, error: shift.error * KHZ_PER_GHZ }, 'kHz');
  const found = refused === null ? `ZZ = ${text}` : 'no usable fit';
  const figures = fringes.map((each, state) => fringeFigure(input, each, state, found));
  const r2 = lowerR2(ground.found.fit.r2, excited.found.fit.r2);
  const again = ambiguous === null ? null : finerRun(ground.t);
  if (refused !== null) return { outputs: {}, r2, figures, refused, ...(again && { again }) };
  return {
    outputs: { static_zz_interaction: shift },
    r2,
    figures,
  };
}

function readFringes({ dataset, runParameters }: AnalysisInput): [StateFringes, StateFringes] | string {
  const scale = readPopulationScale(dataset);
  if (typeof scale === 'string') return `target: ${scale}`;
  // If its pulses did not excite the control, no interaction would be visible.
  const control = readPopulationScale(ofControl(dataset));
  if (typeof control === 'string') return `control: ${control}`;
  const fault = instrumentFault(dataset, ['x', 'y'], scale);
  if (fault !== null) return fault;
  const [x, y] = ['x', 'y'].map((name) => readComplexMap(dataset, 'control_state', 'time', name));
  if (x === undefined || y === undefined) return 'the dataset has no fringes';
  if (typeof x === 'string') return x;
  if (typeof y === 'string') return y;
  if (x.y.length !== 2 || x.y[0] !== 0 || x.y[1] !== 1)
    return 'the dataset does not have both states of the control';
  const expectation = (map: typeof x, state: number) =>
    x.x.map((_, index) => {
      const [re, im] = [map.re[state]?.[index], map.im[state]?.[index]];
      return 1 - 2 * scale.population(re ?? Number.NaN, im ?? Number.NaN);
    });
  const shots = numberOf(runParameters.shots);
  const ofState = (state: number): StateFringes => {
    const [alongX, alongY] = [expectation(x, state), expectation(y, state)];
    const known = x.x.map((_, index) => Number.isFinite((alongX[index] ?? 0) + (alongY[index] ?? 0)));
    const pick = (values: readonly number[]) => values.filter((_, index) => known[index]);
    const t = pick(x.x);
    const points = fringePoints(t, pick(alongX), pick(alongY));
    const judged = fitJudged<FringesFit>({
      y: points.map(({ value }) => value),
      across: 2 * scale.across,
      ofSeveralSweeps: true,
      fitTo: (indices, sigma) =>
        fitFringePoints(
          indices.flatMap((index) => points[index] ?? []),
          sigma,
        ),
      deviations: ({ fitted }) => signalDeviations(fitted, POLARISATION_LEVELS, 2 * scale.across, shots),
    });
    return { t, points, ...judged };
  };
  return [ofState(0), ofState(1)];
}

function frequencyOf({ found: { fit } }: StateFringes): Estimate {
  return {
    value: fit.ok ? (fit.parameters[1] ?? Number.NaN) : Number.NaN,
    error: fit.ok ? (fit.errors[1] ?? Number.NaN) : Number.NaN,
  };
}

/** The reason why the fringes of one state cannot be used; null if they can. */
function fringeProblem({ t, found: { fit }, judgement }: StateFringes, state: number): string | null {
  const where = `with the control in ${state}`;
  if (!fit.ok) return `${where} ${fit.message}`;
  const [amplitude = 0, frequency = 0] = fit.parameters;
  const [amplitudeError = 0] = fit.errors;
  if (!(Math.abs(amplitude) > SIGNIFICANT * amplitudeError)) {
    return `${where} no precession exceeds the noise: its amplitude would be ${estimateText({ value: amplitude, error: amplitudeError }, '')}`;
  }
  const highest = (t.length - 1) / (2 * (Math.max(...t) - Math.min(...t)));
  if (Math.abs(frequency) > 0.97 * highest) return `${where} the precession is too fast for the sweep`;
  return judgement?.problem ? `${where} ${judgement.problem}` : null;
}

/**
 * Maximum distance of a fringe's frequency from the detuning, by the error of the target's stored frequency and the
 * shift by its control. GHz.
 */
const REACH = 2e-3;

/** A message if the fringes of one state could also have another frequency; otherwise null. See {@link rivalFringe}. */
function rivalProblem(
  { runParameters }: AnalysisInput,
  { points, kept, sigma, found }: StateFringes,
  state: number,
): string | null {
  const rival = rivalFringe(
    kept.flatMap((index) => points[index] ?? []),
    found,
    { sigma, expected: numberOf(runParameters.detuning) ?? 0, reach: REACH },
  );
  if (rival === null || !found.fit.ok) return null;
  const text = [found.fit.parameters[1] ?? 0, rival.frequency].map(
    (value) => `${(1000 * value).toFixed(3)} MHz`,
  );
  return `with the control in ${state} the sweep does not distinguish fringes of ${text[0]} from those of ${text[1]}: choose steps of ${FINE_STEP_NS} ns`;
}

/** Step for which aliases of a fringe within {@link REACH} are outside of it, ns. */
const FINE_STEP_NS = Math.floor(1 / (4 * REACH));
const MAX_POINTS = 401;

/** The same sweep with shorter steps and the largest possible range; null if its steps are already short enough. */
function finerRun(t: readonly number[]): NextPassSettings | null {
  const span = Math.max(...t) - Math.min(...t);
  if (span / (t.length - 1) <= FINE_STEP_NS) return null;
  const to = Math.min(span, FINE_STEP_NS * (MAX_POINTS - 1));
  return {
    run: { time_range: { value: [0, to + 1, FINE_STEP_NS], value_type: 'np.arange' } },
    reason: 'the steps leave open which of two frequencies the fringes have',
  };
}

function fringeFigure(input: AnalysisInput, fringes: StateFringes, state: number, text: string): Figure {
  const { found, points, kept, sigma } = fringes;
  const curve = (name: string, at: (time: number) => number) =>
    found.fit.ok ? { name, at: (time: number) => at(time * NS_PER_US) } : null;
  const seriesOf = (axis: FringePoint['axis']) => {
    const shown = kept.flatMap((index, place) => {
      const point = points[index];
      return point?.axis === axis ? [{ ...point, sigma: sigma?.[place] }] : [];
    });
    const deviations = shown.flatMap((point) => point.sigma ?? []);
    return {
      x: shown.map(({ time }) => time / NS_PER_US),
      y: shown.map(({ value }) => value),
      sigma: deviations.length === shown.length ? deviations : undefined,
    };
  };
  const series = [
    { name: 'X', ...seriesOf(0), curve: curve(fitName(found.fit.r2 ?? 0), found.x) },
    { name: 'Y', ...seriesOf(1), curve: curve('fit of Y', found.y) },
  ];
  return composeFit(series, {
    title: `${subjectOf(input)} · control in ${state} · ${text}`,
    x: 'Free time (µs)',
    y: 'Expectation value of the target',
  });
}
