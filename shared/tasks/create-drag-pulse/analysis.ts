import { DRAG_ITERATIONS, DRAG_SWEEP_TURNS, type DragPulseName } from '../../science/conventions/drag.ts';
import { type ComplexSweep, readComplexSweep } from '../../science/datasets/rules.ts';
import { composeFigure, markerTrace, pointsTrace } from '../../science/figures/compose.ts';
import { composeFit } from '../../science/figures/fit-figure.ts';
import type { Figure } from '../../science/figures/model.ts';
import { fitDragAmplitude, fitDragBeta, type RootFit } from '../../science/fitting/drag-fits.ts';
import { type Estimate, estimateText, SIGNIFICANT } from '../../science/fitting/estimate.ts';
import type { ExtremumFit } from '../../science/fitting/extremum.ts';
import { instrumentFault } from '../../science/fitting/instrument-fault.ts';
import { POLARISATION_LEVELS, signalDeviations } from '../../science/fitting/measurement-noise.ts';
import { type PopulationScale, readPopulationScale } from '../../science/fitting/population-scale.ts';
import { beyondPreparedStates } from '../../science/fitting/prepared-range.ts';
import { sweepProblem } from '../../science/fitting/sweep-problem.ts';
import { fitName, subjectOf } from '../common/analysis/figure-text.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { principal } from '../common/analysis/state-scale.ts';
import { numberOf } from '../common/parameters.ts';

const LARGEST_RELATIVE_AMPLITUDE_ERROR = 0.02;
/** Maximum error of beta, ns. The ideal beta of a transmon is 0.15 to 0.3 ns. */
const LARGEST_BETA_ERROR = 0.2;
/**
 * Maximum distance of a maximum from the expected one, in turns. Beyond it, the maximum belongs to another number of
 * turns.
 */
const LARGEST_TURN_ERROR = 0.5;

/** The fitted signals. */
const LAST_SWEEPS = ['amplitude', 'beta'].map((quantity) => `${quantity}_${DRAG_ITERATIONS}_iq`);

interface DragSweeps {
  amplitude: ComplexSweep;
  beta: ComplexSweep;
}

/**
 * Fits the last two sweeps, over `amplitude_2` and `beta_2`, scaled by both states: the amplitude at which the qubit
 * returns after four full turns, and the beta at which the sequence shows no phase error.
 */
function analyseDragCreation(input: AnalysisInput, name: DragPulseName): Analysis {
  const { dataset, runParameters } = input;
  const sweeps = readSweeps(input);
  if (typeof sweeps === 'string') return withoutFigures(sweeps);
  const scale = readPopulationScale(dataset);
  const length = numberOf(runParameters[`${name}_duration`]);
  if (typeof scale === 'string' || length === undefined) {
    const refused = typeof scale === 'string' ? scale : 'the length of the pulse is unknown';
    return { outputs: {}, r2: null, figures: unscaledFigures(input, sweeps), refused };
  }
  const noise = { across: 2 * scale.across, shots: numberOf(runParameters.shots) };
  const [atAmplitudes, atBetas] = [polarisation(sweeps.amplitude, scale), polarisation(sweeps.beta, scale)];
  const maximum = fitDragAmplitude(sweeps.amplitude.x, atAmplitudes, noise);
  const root = fitDragBeta(sweeps.beta.x, atBetas, noise);
  const amplitude = amplitudeOf(maximum);
  const beta = betaOf(root, scale);
  const refused =
    instrumentFault(dataset, LAST_SWEEPS, scale) ??
    amplitudeProblem(sweeps.amplitude.x, maximum, amplitude) ??
    betaProblem(sweeps.beta.x, root, beta) ??
    maximum.misfit ??
    root.misfit ??
    beyondPreparedStates(maximum.fit, sweeps.amplitude.x.map(maximum.evaluate), scale) ??
    beyondPreparedStates(root.fit, sweeps.beta.x.map(root.evaluate), scale);
  const r2 = lowest(maximum.fit.r2, root.fit.r2);
  const figures = [
    sweepFigure(input, {
      x: sweeps.amplitude.x,
      z: atAmplitudes,
      noise,
      fit: maximum,
      found: refused === null ? amplitude : undefined,
      label: 'amplitude',
      axis: 'Pulse amplitude (a.u.)',
      unit: 'a.u.',
    }),
    sweepFigure(input, {
      x: sweeps.beta.x,
      z: atBetas,
      noise,
      fit: root,
      found: refused === null ? beta : undefined,
      label: 'beta',
      axis: 'Beta (ns)',
      unit: 'ns',
    }),
  ];
  if (refused !== null) return { outputs: {}, r2, figures, refused };
  return {
    outputs: {
      [`${name}_beta`]: beta,
      [`${name}_amplitude`]: amplitude,
      [`${name}_length`]: { value: length, error: 0 },
    },
    r2,
    figures,
  };
}

export const analyseDragHpiCreation = (input: AnalysisInput): Analysis =>
  analyseDragCreation(input, 'drag_hpi');
export const analyseDragPiCreation = (input: AnalysisInput): Analysis =>
  analyseDragCreation(input, 'drag_pi');

function readSweeps({ dataset }: AnalysisInput): DragSweeps | string {
  const [amplitude, beta] = ['amplitude', 'beta'].map((quantity) => {
    const axis = `${quantity}_${DRAG_ITERATIONS}`;
    const sweep = readComplexSweep(dataset, axis, `${axis}_iq`);
    return typeof sweep === 'string' ? sweep : (sweepProblem(sweep) ?? sweep);
  });
  if (amplitude === undefined || beta === undefined) return 'the dataset has no sweeps';
  if (typeof amplitude === 'string') return amplitude;
  return typeof beta === 'string' ? beta : { amplitude, beta };
}

/** Polarisation: 1 in the ground state, −1 in the excited state. */
function polarisation({ re, im }: ComplexSweep, scale: PopulationScale): number[] {
  return re.map((value, index) => 1 - 2 * scale.population(value, im[index] ?? 0));
}

function amplitudeOf({ fit }: ExtremumFit): Estimate {
  return {
    value: fit.ok ? (fit.parameters[2] ?? Number.NaN) : Number.NaN,
    error: fit.ok ? (fit.errors[2] ?? Number.NaN) : Number.NaN,
  };
}

/** The zero of the polarisation is known only from the prepared states, so its error is added. */
function betaOf({ fit, slope }: RootFit, scale: PopulationScale): Estimate {
  return {
    value: fit.ok ? (fit.parameters[0] ?? Number.NaN) : Number.NaN,
    error: fit.ok ? Math.hypot(fit.errors[0] ?? Number.NaN, (2 * scale.middleError) / slope) : Number.NaN,
  };
}

function amplitudeProblem(x: readonly number[], { fit }: ExtremumFit, found: Estimate): string | null {
  if (!fit.ok) return fit.message;
  if (![...fit.parameters, ...fit.errors].every(Number.isFinite)) return 'the fit gives no finite values';
  const [contrast = 0, rate = 0] = fit.parameters;
  const [contrastError = 0] = fit.errors;
  if (contrast < SIGNIFICANT * contrastError) {
    const seen = estimateText({ value: contrast, error: contrastError }, '');
    return `no oscillation over the amplitude exceeds the noise: it would be ${seen}`;
  }
  const text = estimateText(found, 'a.u.');
  if (!isInside(x, found.value))
    return `the qubit returns at ${text}, outside of the sweep ${rangeText(x)} a.u.`;
  if (found.error > LARGEST_RELATIVE_AMPLITUDE_ERROR * found.value) {
    return `the amplitude is not resolved: ${text}`;
  }
  const turns = (rate * found.value) / (2 * Math.PI);
  if (Math.abs(turns - DRAG_SWEEP_TURNS) > LARGEST_TURN_ERROR) {
    return `the qubit returns at ${text} after ${turns.toFixed(2)} turns, and ${DRAG_SWEEP_TURNS} are expected: the control amplitude is far off`;
  }
  return null;
}

function betaProblem(x: readonly number[], { fit, slope }: RootFit, found: Estimate): string | null {
  if (!fit.ok) return `no beta can be determined: ${fit.message}`;
  if (![...fit.parameters, ...fit.errors, found.error].every(Number.isFinite)) {
    return 'the fit of beta gives no finite values';
  }
  const text = estimateText(found, 'ns');
  if (!isInside(x, found.value)) return `beta would be ${text}, outside of the sweep ${rangeText(x)} ns`;
  if (!(found.error < LARGEST_BETA_ERROR)) return `beta is not resolved: ${text}`;
  if (slope > 0)
    return `the signal rises with beta where it must fall: its slope is ${slope.toPrecision(3)} per ns`;
  return null;
}

function isInside(x: readonly number[], value: number): boolean {
  return value > Math.min(...x) && value < Math.max(...x);
}

function rangeText(x: readonly number[]): string {
  const [lowest, highest] = [Math.min(...x), Math.max(...x)].map((value) => Number(value.toPrecision(4)));
  return `from ${lowest} to ${highest}`;
}

function lowest(first: number | null, second: number | null): number | null {
  return first === null || second === null ? null : Math.min(first, second);
}

interface DrawnSweep {
  x: readonly number[];
  z: readonly number[];
  /** Standard deviation of a point across the axis of the signal, and the number of shots of each point. */
  noise: { across: number; shots: number | undefined };
  fit: ExtremumFit | RootFit;
  found: Estimate | undefined;
  label: string;
  axis: string;
  unit: string;
}

function sweepFigure({ task, qid }: AnalysisInput, sweep: DrawnSweep): Figure {
  const { x, z, noise, fit, found, label, axis, unit } = sweep;
  const curve = fit.fit.ok ? { name: fitName(fit.fit.r2), at: fit.evaluate } : null;
  const expected = curve === null ? z : x.map(curve.at);
  const sigma = signalDeviations(expected, POLARISATION_LEVELS, noise.across, noise.shots);
  const marks = found === undefined ? [] : [markerTrace(label, found.value, Math.min(...z), Math.max(...z))];
  const text = found === undefined ? `${label}: no usable fit` : `${label} = ${estimateText(found, unit)}`;
  return composeFit(
    [{ name: 'data', x, y: z, sigma, curve }],
    {
      title: `${subjectOf({ task, qid })} · ${text}`,
      x: axis,
      y: 'Normalised signal (1 ground, −1 excited)',
    },
    marks,
  );
}

/** The raw sweeps, if the prepared states give no scale. */
function unscaledFigures({ task, qid }: AnalysisInput, { amplitude, beta }: DragSweeps): Figure[] {
  return [
    { sweep: amplitude, axis: 'Pulse amplitude (a.u.)' },
    { sweep: beta, axis: 'Beta (ns)' },
  ].map(({ sweep, axis }) => {
    const { y, label } = principal(sweep);
    return composeFigure([pointsTrace('data', sweep.x, y)], {
      title: `${subjectOf({ task, qid })} · no usable scale`,
      x: axis,
      y: label,
    });
  });
}
