import { PRECESSING_PART } from '../../science/conventions/drag.ts';
import { readComplexMap } from '../../science/datasets/complex-map.ts';
import type { Dataset } from '../../science/datasets/model.ts';
import { composeFit } from '../../science/figures/fit-figure.ts';
import type { Figure } from '../../science/figures/model.ts';
import { ofControl } from '../../science/fitting/cross-resonance-tomography.ts';
import { type Estimate, estimateText, SIGNIFICANT } from '../../science/fitting/estimate.ts';
import { instrumentFault } from '../../science/fitting/instrument-fault.ts';
import { type Fit, fitCurve } from '../../science/fitting/least-squares.ts';
import { signalDeviations } from '../../science/fitting/measurement-noise.ts';
import { wrapped } from '../../science/fitting/phases.ts';
import { type PopulationScale, readPopulationScale } from '../../science/fitting/population-scale.ts';
import { fitName, subjectOf } from '../common/analysis/figure-text.ts';
import { fitJudged, type JudgedFit } from '../common/analysis/judged-fit.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { lowerR2, withoutFigures } from '../common/analysis/results.ts';
import { numberOf } from '../common/parameters.ts';

const POPULATIONS = { ground: 0, excited: 1 };
const MIN_PHASES = 6;
/** Maximum error of the phase, rad. */
const LARGEST_ERROR = 0.1;
/**
 * Maximum difference of the conditional phases of both qubits, in errors. They measure the same phase, so beyond it
 * they contradict each other.
 */
const CONTRADICTION = 5;

const SIDES = ['target', 'control'] as const;
type Side = (typeof SIDES)[number];

interface FringeFit {
  /** Middle, cosine and sine of the fringe. */
  fit: Fit;
  fitted: number[];
  at(phase: number): number;
}

interface Fringe {
  phases: readonly number[];
  populations: number[];
  judged: JudgedFit<FringeFit>;
  /** Phase of the excited state. */
  phase: Estimate;
  amplitude: Estimate;
}

/**
 * Fits the fringes `target` and `control` over `spectator_state` and `phase` (rad). The phase that an excited spectator
 * adds is the conditional phase, which is the same for both qubits. The remainder is the phase of the single qubit.
 */
export function analyseCzPhase(input: AnalysisInput): Analysis {
  const read = readFringes(input);
  if (typeof read === 'string') return withoutFigures(read);
  const refused = SIDES.map((side) => fringeProblem(side, read[side])).find((problem) => problem !== null);
  const conditional = SIDES.map((side) => {
    const [alone, both] = read[side];
    return {
      value: wrapped(both.phase.value - alone.phase.value - Math.PI),
      error: Math.hypot(both.phase.error, alone.phase.error),
    };
  });
  const [byTarget, byControl] = conditional;
  const r2 = SIDES.flatMap((side) => read[side].map(({ judged }) => judged.found.fit.r2)).reduce(lowerR2);
  const found = byTarget && byControl ? weighed(byTarget, byControl) : null;
  const contradiction =
    byTarget && byControl && differs(byTarget, byControl)
      ? `the qubits contradict each other: the conditional phase is pi ${signedText(byTarget)} by the target, pi ${signedText(byControl)} by the control`
      : null;
  const problem = refused ?? contradiction ?? (found ? null : 'there are no fringes');
  const text =
    problem === null && found
      ? `conditional phase ${estimateText({ ...found, value: Math.PI + found.value }, 'rad')}`
      : 'no usable fit';
  const figures = SIDES.map((side) => fringeFigure(input, side, { fringes: read[side], text }));
  if (problem !== null || !found) return { outputs: {}, r2, figures, refused: problem ?? 'no usable fit' };
  return {
    outputs: {
      cz_conditional_phase: { value: Math.PI + found.value, error: found.error },
      cz_control_phase: aloneOf(input, 'control', read.control),
      cz_target_phase: aloneOf(input, 'target', read.target),
    },
    r2,
    figures,
  };
}

/**
 * The phase of a single qubit. A fringe also contains the precession during both pi/2 pulses, which is known only
 * within the error of the frequency. It cancels in the difference between the states of the other qubit.
 */
function aloneOf({ inputs }: AnalysisInput, side: Side, [{ phase }]: readonly [Fringe, Fringe]): Estimate {
  const length = numberOf(inputs[`${side}_drag_hpi_length`]) ?? 0;
  const frequencyError = inputs[`${side}_qubit_frequency`]?.error ?? 0;
  const precessed = 2 * Math.PI * frequencyError * 2 * PRECESSING_PART * length;
  return { value: wrapped(phase.value), error: Math.hypot(phase.error, precessed) };
}

/** The weighted mean of two angles, on the shorter arc between them. */
function weighed(one: Estimate, other: Estimate): Estimate {
  const [a, b] = [1 / one.error ** 2, 1 / other.error ** 2];
  const value = one.value + (b / (a + b)) * wrapped(other.value - one.value);
  return { value: wrapped(value), error: 1 / Math.sqrt(a + b) };
}

function differs(one: Estimate, other: Estimate): boolean {
  return Math.abs(wrapped(one.value - other.value)) > CONTRADICTION * Math.hypot(one.error, other.error);
}

function signedText(estimate: Estimate): string {
  return `${estimate.value < 0 ? '' : '+ '}${estimateText(estimate, 'rad')}`;
}

function readFringes({ dataset, runParameters }: AnalysisInput): Record<Side, [Fringe, Fringe]> | string {
  const shots = numberOf(runParameters.shots);
  const of = (side: Side, own: Dataset): [Fringe, Fringe] | string => {
    const scale = readPopulationScale(own);
    if (typeof scale === 'string') return `${side}: ${scale}`;
    const fault = instrumentFault(dataset, [side], scale);
    if (fault !== null) return `${side}: ${fault}`;
    const map = readComplexMap(dataset, 'spectator_state', 'phase', side);
    if (typeof map === 'string') return map;
    if (map.y.length !== 2 || map.y[0] !== 0 || map.y[1] !== 1) {
      return 'the dataset does not have both states of the other qubit';
    }
    const fringe = (state: number) => {
      const populations = map.x.map((_, index) =>
        scale.population(map.re[state]?.[index] ?? Number.NaN, map.im[state]?.[index] ?? Number.NaN),
      );
      return fringeOf({ phases: map.x, populations, scale, shots });
    };
    const pair = [fringe(0), fringe(1)] as const;
    const [alone, both] = pair;
    if (typeof alone === 'string') return `${side}: ${alone}`;
    return typeof both === 'string' ? `${side}: ${both}` : [alone, both];
  };
  const [target, control] = [of('target', dataset), of('control', ofControl(dataset))];
  if (typeof target === 'string') return target;
  return typeof control === 'string' ? control : { target, control };
}

function fringeOf({
  phases,
  populations,
  scale,
  shots,
}: {
  phases: readonly number[];
  populations: readonly number[];
  scale: PopulationScale;
  shots: number | undefined;
}): Fringe | string {
  const known = phases.flatMap((phase, index) => {
    const population = populations[index] ?? Number.NaN;
    return Number.isFinite(population) ? [{ phase, population }] : [];
  });
  if (known.length < MIN_PHASES) return `${known.length} phases are too few for a fringe`;
  const judged = fitJudged<FringeFit>({
    y: known.map(({ population }) => population),
    across: scale.across,
    fitTo: (indices, sigma) =>
      fitFringe(
        indices.flatMap((index) => known[index] ?? []),
        sigma,
      ),
    deviations: ({ fitted }) => signalDeviations(fitted, POPULATIONS, scale.across, shots),
  });
  const { fit } = judged.found;
  const [, cos = 0, sin = 0] = fit.ok ? fit.parameters : [];
  const size = Math.hypot(cos, sin);
  const variance = (gradient: readonly [number, number]) =>
    fit.ok
      ? gradient.reduce(
          (sum, a, row) =>
            sum +
            gradient.reduce(
              (part, b, column) => part + a * b * (fit.covariance[row + 1]?.[column + 1] ?? 0),
              0,
            ),
          0,
        )
      : Number.NaN;
  return {
    phases: known.map(({ phase }) => phase),
    populations: known.map(({ population }) => population),
    judged,
    phase: {
      value: Math.atan2(sin, cos),
      error: Math.sqrt(variance([-sin / size ** 2, cos / size ** 2])),
    },
    amplitude: { value: size, error: Math.sqrt(variance([cos / size, sin / size])) },
  };
}

/** Fits b + c cos θ + s sin θ. */
function fitFringe(
  points: readonly { phase: number; population: number }[],
  sigma?: readonly number[],
): FringeFit {
  const gradient = (phase: number) => [1, Math.cos(phase), Math.sin(phase)];
  const evaluate = (parameters: readonly number[], phase: number) =>
    gradient(phase).reduce((sum, term, index) => sum + term * (parameters[index] ?? 0), 0);
  const fit = fitCurve({
    x: points.map(({ phase }) => phase),
    y: points.map(({ population }) => population),
    ...(sigma && { sigma }),
    model: { evaluate, gradient: (_, phase) => gradient(phase) },
    start: [0.5, 0.1, 0.1],
    scale: [1, 1, 1],
  });
  const at = (phase: number) => (fit.ok ? evaluate(fit.parameters, phase) : Number.NaN);
  return { fit, fitted: points.map(({ phase }) => at(phase)), at };
}

/** The reason why the fringes of a qubit cannot be used; null if they can. */
function fringeProblem(side: Side, fringes: readonly Fringe[]): string | null {
  for (const [state, { judged, phase, amplitude }] of fringes.entries()) {
    const where = `${side}, other qubit in ${state}:`;
    const { fit } = judged.found;
    if (!fit.ok) return `${where} ${fit.message}`;
    if (!(amplitude.value > SIGNIFICANT * amplitude.error) || !(phase.error < LARGEST_ERROR)) {
      return `${where} no fringe exceeds the noise: its amplitude would be ${estimateText(amplitude, '')}`;
    }
    if (judged.judgement?.problem) return `${where} ${judged.judgement.problem}`;
  }
  return null;
}

function fringeFigure(
  input: AnalysisInput,
  side: Side,
  { fringes, text }: { fringes: readonly Fringe[]; text: string },
): Figure {
  const series = fringes.map(({ phases, populations, judged }, state) => {
    const { found, kept, sigma } = judged;
    return {
      name: `other qubit in ${state}`,
      x: kept.map((index) => phases[index] ?? 0),
      y: kept.map((index) => populations[index] ?? 0),
      sigma: sigma ? [...sigma] : undefined,
      curve: found.fit.ok ? { name: `${state}: ${fitName(found.fit.r2)}`, at: found.at } : null,
    };
  });
  return composeFit(series, {
    title: `${subjectOf(input)} · ${side} · ${text}`,
    x: 'Phase of the second pi/2 pulse (rad)',
    y: `Population of the ${side}`,
  });
}
