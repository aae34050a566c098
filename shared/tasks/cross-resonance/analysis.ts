import { CR_RAMP_NS } from '../../science/conventions/cross-resonance.ts';
import { PRECESSING_PART } from '../../science/conventions/drag.ts';
import { MHZ_PER_GHZ } from '../../science/conventions/units.ts';
import { composeFigure, errorBarsTrace, pointsTrace } from '../../science/figures/compose.ts';
import { composeFitPair, type FitPanel, type FittedSeries } from '../../science/figures/fit-figure.ts';
import type { Figure } from '../../science/figures/model.ts';
import {
  type CrossResonanceTerms,
  coefficient,
  crossResonanceTerms,
  type TomographyStep,
} from '../../science/fitting/cross-resonance-terms.ts';
import {
  fitSteps,
  readTomography,
  type StepData,
  stepMisfit,
  type TomographyData,
} from '../../science/fitting/cross-resonance-tomography.ts';
import { type Estimate, estimateText, SIGNIFICANT } from '../../science/fitting/estimate.ts';
import { POLARISATION_LEVELS, signalDeviations } from '../../science/fitting/measurement-noise.ts';
import { wrapped } from '../../science/fitting/phases.ts';
import type { PrecessionFit, Trajectory } from '../../science/fitting/precession.ts';
import { judgeResiduals } from '../../science/fitting/residuals.ts';
import { mean } from '../../science/fitting/statistics.ts';
import { subjectOf } from '../common/analysis/figure-text.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { numberOf } from '../common/parameters.ts';

/** Minimum polarisation that the control keeps. Below it, the control takes part in the dynamics. */
const SMALLEST_CONTROL_POLARISATION = 0.8;
/** Maximum remainder of IX and IY besides the cancel tone, GHz. A larger one rotates the target visibly. */
const LARGEST_RESIDUAL = 1e-4;
/** Maximum detuning of the drive from the target, relative to ZX. Beyond it, the target rotates about another axis. */
const LARGEST_DETUNING = 0.15;

const AXIS_NAMES = ['x', 'y', 'z'] as const;
const TERMS = [
  { name: 'IX', axis: 0, sign: 1 },
  { name: 'IY', axis: 1, sign: 1 },
  { name: 'IZ', axis: 2, sign: 1 },
  { name: 'ZX', axis: 0, sign: -1 },
  { name: 'ZY', axis: 1, sign: -1 },
  { name: 'ZZ', axis: 2, sign: -1 },
] as const;

/**
 * Fits the precession of the target for both states of the control in every step. Determines from all steps together
 * the phase at which ZY vanishes, the cancel tone and the rate of ZX (https://doi.org/10.1103/PhysRevA.93.060302).
 */
export function analyseCrossResonance(input: AnalysisInput): Analysis {
  const data = readTomography(input.dataset);
  if (typeof data === 'string') return withoutFigures(data);
  const shots = numberOf(input.runParameters.shots);
  const { steps, beside } = fitSteps(data, shots);
  const isUsable = ({ fits }: TomographyStep) => fits.every(({ fit }) => fit.ok);
  const usable = steps.filter(isUsable);
  const terms = usable.length === 0 ? null : termsOf(usable, beside.filter(isUsable));
  const unstable = controlProblem(data);
  const refused =
    unstable ??
    data.fault ??
    fitProblem(steps, terms) ??
    misfitOf(data, steps, shots) ??
    contradiction(terms);
  const figures = [
    coefficientsFigure(input, usable, refused === null ? terms?.rate : undefined),
    ...data.steps.flatMap((step, index) => [
      controlFigure(input, data, step, index),
      targetFigure(input, data, { step, fitted: steps[index], index }),
    ]),
  ];
  // The fit of the target is meaningless if the control did not stay in its state.
  const r2 = unstable === null ? qualityOf(steps.at(-1)) : null;
  if (refused !== null || terms === null) {
    return { outputs: {}, r2, figures, refused: refused ?? 'no step could be fitted' };
  }
  const exact = (value: number | undefined): Estimate => ({ value: value ?? Number.NaN, error: 0 });
  const ofPulses = axisError(input.inputs);
  const turned = ({ value, error }: Estimate): Estimate => ({ value, error: Math.hypot(error, ofPulses) });
  return {
    outputs: {
      cr_amplitude: exact(data.steps.at(-1)?.tones.amplitude),
      cr_phase: turned(terms.phase),
      cancel_amplitude: terms.cancelAmplitude,
      cancel_phase: turned(terms.cancelPhase),
      cancel_beta: exact(numberOf(input.runParameters.cancel_beta)),
      rotary_amplitude: exact(numberOf(input.runParameters.rotary_amplitude)),
      zx_rotation_rate: terms.rate,
    },
    r2,
    figures,
  };
}

/** The terms, with errors that include the effect of the splitting's error. */
function termsOf(
  steps: readonly TomographyStep[],
  beside: readonly TomographyStep[],
): CrossResonanceTerms | null {
  const [terms, others] = [crossResonanceTerms(steps, 1), crossResonanceTerms(beside, 1)];
  if (terms === null || others === null || steps.length !== beside.length) return null;
  const wide = (one: Estimate, moved: number) => ({ ...one, error: Math.hypot(one.error, moved) });
  const size = (name: 'rate' | 'cancelAmplitude') =>
    wide(terms[name], others[name].value - terms[name].value);
  const phase = (name: 'phase' | 'cancelPhase') =>
    wide(terms[name], wrapped(others[name].value - terms[name].value));
  return {
    ...terms,
    rate: size('rate'),
    cancelAmplitude: size('cancelAmplitude'),
    phase: phase('phase'),
    cancelPhase: phase('cancelPhase'),
  };
}

/**
 * Uncertainty of the angle between the measured axes and those of the drive, radians. The axis of the pi/2 pulses that
 * measure x and y is rotated by π²/4L for each ns of beta error, and by a fraction of the target's precession during
 * their length L if its frequency is wrong. Both follow from the errors of the inputs.
 */
function axisError(inputs: AnalysisInput['inputs']): number {
  const length = numberOf(inputs.target_drag_hpi_length);
  if (length === undefined || !(length > 0)) return 0;
  const beta = inputs.target_drag_hpi_beta?.error ?? 0;
  const frequency = inputs.target_qubit_frequency?.error ?? 0;
  return Math.hypot((Math.PI ** 2 / (4 * length)) * beta, PRECESSING_PART * 2 * Math.PI * length * frequency);
}

/** r2 of the poorer of the two fits of a step. */
function qualityOf(step: TomographyStep | undefined): number | null {
  const qualities = (step?.fits ?? []).map(({ fit }) => fit.r2);
  return qualities.length === 0 || qualities.some((r2) => r2 === null)
    ? null
    : Math.min(...qualities.map(Number));
}

/**
 * The reason why the control does not keep its state, from the distance between the signals of its two prepared states
 * in the last step; null if it does.
 */
function controlProblem({ steps }: TomographyData): string | null {
  const [ground, excited] = steps.at(-1)?.control ?? [[], []];
  const kept = (mean(ground) - mean(excited)) / 2;
  if (kept >= SMALLEST_CONTROL_POLARISATION) return null;
  return `the control does not keep its state under the drive, its remaining polarisation is ${kept.toFixed(2)}: the frequencies of the pair may collide, or the control decays`;
}

function fitProblem(steps: readonly TomographyStep[], terms: CrossResonanceTerms | null): string | null {
  const last = steps.at(-1);
  const failed = last?.fits.find(({ fit }) => !fit.ok)?.fit;
  if (last === undefined || terms === null || failed !== undefined) {
    const reason = failed !== undefined && !failed.ok ? failed.message : 'no step could be fitted';
    return `the precession of the target in the last step cannot be followed: ${reason}`;
  }
  const inMhz = ({ value, error }: Estimate) =>
    estimateText({ value: value * MHZ_PER_GHZ, error: error * MHZ_PER_GHZ }, 'MHz');
  if (!(terms.rate.value > SIGNIFICANT * terms.rate.error)) {
    return `no ZX exceeds the noise: it would be ${inMhz(terms.rate)}`;
  }
  const [ix, iy, iz] = [0, 1, 2].map((axis) => coefficient(last, axis, 1) ?? { value: 0, error: 0 });
  if (ix === undefined || iy === undefined || iz === undefined) return null;
  if (Math.abs(iz.value) > LARGEST_DETUNING * terms.rate.value + SIGNIFICANT * iz.error) {
    return `the drive is not at the frequency of the target: IZ is ${inMhz(iz)}`;
  }
  const residual = {
    value: Math.hypot(ix.value, iy.value),
    error: Math.hypot(ix.error, iy.error),
  };
  if (residual.value > LARGEST_RESIDUAL + SIGNIFICANT * residual.error) {
    return `the cancel tone does not converge: the remainder of IX and IY is ${inMhz(residual)}`;
  }
  return null;
}

/** A message about the first step whose points do not follow a precession; null if all do. */
function misfitOf(
  data: TomographyData,
  steps: readonly TomographyStep[],
  shots: number | undefined,
): string | null {
  for (const [index, step] of data.steps.entries()) {
    const fitted = steps[index];
    const misfit = fitted === undefined ? null : stepMisfit(data, step, fitted, shots);
    if (misfit !== null) return `step ${index + 1}: ${misfit}`;
  }
  return null;
}

/** A message if the steps, each with other tones, do not agree on the same terms; otherwise null. */
function contradiction(terms: CrossResonanceTerms | null): string | null {
  if (terms === null) return null;
  const { residuals, parameters } = terms;
  const { problem, chiSquare } = judgeResiduals(residuals, { parameters, estimatedShare: 0 });
  return problem === null
    ? null
    : `the steps contradict each other: no interaction follows their tones, with a chi-square of ${chiSquare.toPrecision(2)}`;
}

function coefficientsFigure(
  input: AnalysisInput,
  steps: readonly TomographyStep[],
  rate: Estimate | undefined,
): Figure {
  const places = steps.map((_, index) => index);
  const data = TERMS.map(({ name, axis, sign }) => {
    const values = steps.map((step) => coefficient(step, axis, sign) ?? { value: 0, error: 0 });
    const [shown, errors] = [
      values.map(({ value }) => value * MHZ_PER_GHZ),
      values.map(({ error }) => error * MHZ_PER_GHZ),
    ];
    return { ...errorBarsTrace(name, places, shown, errors), mode: 'lines+markers' as const };
  });
  const found =
    rate === undefined
      ? 'no usable fit'
      : `ZX = ${estimateText({ value: rate.value * MHZ_PER_GHZ, error: rate.error * MHZ_PER_GHZ }, 'MHz')}`;
  return composeFigure(data, {
    title: `${subjectOf(input)} · ${found}`,
    x: 'Step',
    y: 'Coefficient (MHz)',
    xLabels: places.map((place) => String(place + 1)),
  });
}

function controlFigure(
  input: AnalysisInput,
  { times, acrossOfControl }: TomographyData,
  step: StepData,
  index: number,
): Figure {
  const flat = times.map((time) => time - CR_RAMP_NS);
  const shots = numberOf(input.runParameters.shots);
  return composeFigure(
    step.control.map((values, state) => {
      const sigma = signalDeviations(values, POLARISATION_LEVELS, acrossOfControl, shots);
      const name = `control prepared in ${state}`;
      return sigma === undefined
        ? pointsTrace(name, flat, values)
        : errorBarsTrace(name, flat, values, sigma);
    }),
    {
      title: `${subjectOf(input)} · step ${index + 1} · control`,
      x: 'Length of the flat part (ns)',
      y: 'Control Z (1 ground, −1 excited)',
    },
  );
}

function targetFigure(
  input: AnalysisInput,
  data: TomographyData,
  { step, fitted, index }: { step: StepData; fitted: TomographyStep | undefined; index: number },
): Figure {
  const panelOf = (state: 0 | 1): FitPanel => ({
    series: axesOf(input, data, step.target[state], fitted?.fits[state]),
    y: `Target, control in ${state}`,
  });
  const quality = qualityOf(fitted);
  const text = quality === null ? 'no usable fit' : `r² = ${quality.toFixed(4)}`;
  return composeFitPair([panelOf(0), panelOf(1)], {
    title: `${subjectOf(input)} · step ${index + 1} · ${text}`,
    x: 'Length of the flat part (ns)',
  });
}

/** All three components of the target's state with the fitted precession. */
function axesOf(
  { runParameters }: AnalysisInput,
  { times, across }: TomographyData,
  trajectory: Trajectory,
  found: PrecessionFit | undefined,
): FittedSeries[] {
  const flat = times.map((time) => time - CR_RAMP_NS);
  const fit = found?.fit.ok ? found : undefined;
  const shots = numberOf(runParameters.shots);
  return trajectory.map((y, axis) => {
    const name = AXIS_NAMES[axis] ?? '';
    const at = (time: number) => fit?.evaluate(axis, time + CR_RAMP_NS) ?? 0;
    const expected = fit === undefined ? y : flat.map(at);
    const sigma = signalDeviations(expected, POLARISATION_LEVELS, across, shots);
    return { name, x: flat, y, sigma, curve: fit === undefined ? null : { name: `${name} fit`, at } };
  });
}
