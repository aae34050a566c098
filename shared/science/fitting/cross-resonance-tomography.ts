import { CR_RAMP_NS } from '../conventions/cross-resonance.ts';
import type { Dataset } from '../datasets/model.ts';
import { datasetProblem } from '../datasets/rules.ts';
import type { TomographyStep } from './cross-resonance-terms.ts';
import { type Estimate, weightedMean } from './estimate.ts';
import { instrumentFault } from './instrument-fault.ts';
import { POLARISATION_LEVELS, signalDeviations } from './measurement-noise.ts';
import { type PopulationScale, readPopulationScale } from './population-scale.ts';
import { fitPrecession, type PrecessionFit, splittingOf, type Trajectory } from './precession.ts';
import { judgeFitted } from './residuals.ts';

/** The measured expectation values of one tomography step: 1 for the ground state, −1 for the excited state. */
export interface StepData {
  tones: TomographyStep['tones'];
  /** State of the target, for both states of the control. */
  target: readonly [Trajectory, Trajectory];
  /** State of the control along z, for both prepared states of the control. */
  control: readonly [readonly number[], readonly number[]];
}

export interface TomographyData {
  /** Times for which the interaction acts, ns: the flat part and the ramps by their area. */
  times: number[];
  steps: StepData[];
  /** Standard deviation of one point of the target across the axis of its states. */
  across: number;
  /** The same deviation for the control. */
  acrossOfControl: number;
  /** The reason not to trust the signals, independent of any fit. */
  fault: string | null;
}

const AXES = 3;

/**
 * Reads `iq_re`, `iq_im` over `step`, `control_state`, `axis` and `time`, `control_re`, `control_im` without the axis,
 * the tones of each step, and the prepared states of both qubits.
 * @returns a message if something is missing
 */
export function readTomography(dataset: Dataset): TomographyData | string {
  const problem = datasetProblem(dataset);
  if (problem !== null) return problem;
  const { step: steps, control_state: states, axis: axes, time: count } = dataset.dims;
  const flat = numbers(dataset.coordinates.time?.values ?? []);
  if (steps === undefined || states !== 2 || axes !== AXES || count === undefined || flat === null) {
    return 'the dataset does not have the dimensions step, control_state (2), axis (3) and time';
  }
  const scales = { target: readPopulationScale(dataset), control: readPopulationScale(ofControl(dataset)) };
  if (typeof scales.target === 'string') return `target: ${scales.target}`;
  if (typeof scales.control === 'string') return `control: ${scales.control}`;
  const target = expectations(dataset, 'iq', steps * 2 * AXES * count, scales.target);
  const control = expectations(dataset, 'control', steps * 2 * count, scales.control);
  const tones = ['cr_amplitude', 'cr_phase', 'cancel_amplitude', 'cancel_phase'].map((name) =>
    numbers(dataset.variables[name]?.values ?? []),
  );
  if (target === null || control === null || tones.some((values) => values?.length !== steps)) {
    return 'the dataset lacks signals or tones of a step';
  }
  const row = (values: readonly number[], index: number) => values.slice(index * count, (index + 1) * count);
  const trajectory = (step: number, state: number): Trajectory => {
    const first = (2 * step + state) * AXES;
    return [row(target, first), row(target, first + 1), row(target, first + 2)];
  };
  return {
    times: flat.map((time) => time + CR_RAMP_NS),
    across: 2 * scales.target.across,
    acrossOfControl: 2 * scales.control.across,
    fault:
      instrumentFault(dataset, ['iq'], scales.target) ??
      instrumentFault(dataset, ['control'], scales.control),
    steps: Array.from({ length: steps }, (_, step) => ({
      tones: {
        amplitude: tones[0]?.[step] ?? 0,
        phase: tones[1]?.[step] ?? 0,
        cancelAmplitude: tones[2]?.[step] ?? 0,
        cancelPhase: tones[3]?.[step] ?? 0,
      },
      target: [trajectory(step, 0), trajectory(step, 1)],
      control: [row(control, 2 * step), row(control, 2 * step + 1)],
    })),
  };
}

/** The result of all steps of a tomography about the target. */
export interface FittedSteps {
  steps: TomographyStep[];
  /** The square of half the distance of the target's two frequencies, GHz²; null if the noise is unknown. */
  splitting: Estimate | null;
  /** The steps for a splitting that is larger by its error, which shows the effect of that error. */
  beside: TomographyStep[];
}

/** Maximum number of Gauss-Newton rounds for the splitting. */
const MAX_ROUNDS = 6;
/** Change, relative to the error, below which the rounds end. */
const SMALL_CHANGE = 0.1;

/**
 * Fits the precession of the target for both states of the control in each step, the points weighted by their noise. A
 * target whose charge parity changes between shots has two frequencies, which makes it precess faster than by its drive
 * alone. Only the mean of z shows the splitting. It is the same in all steps, so all steps determine it together.
 */
export function fitSteps(
  { times, across, steps }: Pick<TomographyData, 'times' | 'across' | 'steps'>,
  shots: number | undefined,
): FittedSteps {
  const follow = (points: Trajectory): Track => {
    const found = fitPrecession(times, points);
    const sigma = found.fit.ok
      ? signalDeviations(found.fitted, POLARISATION_LEVELS, across, shots)
      : undefined;
    return { points, found, sigma };
  };
  const refit = ({ points, found, sigma }: Track, splitting: number): Track => {
    if (!found.fit.ok || sigma === undefined) return { points, found, sigma };
    const weighted = { first: found.fit.parameters, sigma, splitting };
    return { points, sigma, found: fitPrecession(times, points, weighted) };
  };
  const splittingFrom = (tracks: readonly Track[], splitting: number) =>
    weightedMean(
      tracks.flatMap(({ points, found: { fit }, sigma }) =>
        fit.ok && sigma !== undefined
          ? [splittingOf(times, points, { first: fit.parameters, sigma, splitting })]
          : [],
      ),
    );
  let tracks = steps.map(({ target }): [Track, Track] => [follow(target[0]), follow(target[1])]);
  let used = 0;
  let splitting: Estimate | null = null;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    tracks = tracks.map(([ground, excited]) => [refit(ground, used), refit(excited, used)]);
    splitting = splittingFrom(tracks.flat(), used);
    if (splitting === null || Math.abs(splitting.value - used) < SMALL_CHANGE * splitting.error) break;
    used = splitting.value;
  }
  const further = used + (splitting?.error ?? 0);
  const stepsOf = (of: readonly (readonly [Track, Track])[]) =>
    steps.flatMap(({ tones }, index) => {
      const [ground, excited] = of[index] ?? [];
      return ground === undefined || excited === undefined
        ? []
        : [{ tones, fits: [ground.found, excited.found] as const }];
    });
  return {
    splitting,
    steps: stepsOf(tracks),
    beside: stepsOf(tracks.map(([ground, excited]) => [refit(ground, further), refit(excited, further)])),
  };
}

/** The target for one state of the control, with the current fit and the expected deviations from it. */
interface Track {
  points: Trajectory;
  found: PrecessionFit;
  sigma: readonly number[] | undefined;
}

/**
 * The reason why a precession does not describe the points of a step, with numbers; null if it does, or if the noise is
 * unknown.
 */
export function stepMisfit(
  { across }: Pick<TomographyData, 'across'>,
  { target }: StepData,
  { fits }: TomographyStep,
  shots: number | undefined,
): string | null {
  for (const [state, { fit, fitted }] of fits.entries()) {
    const sigma = signalDeviations(fitted, POLARISATION_LEVELS, across, shots);
    if (!fit.ok || sigma === undefined) continue;
    const y = target[state]?.flat() ?? [];
    const { problem } = judgeFitted(y, { fitted, sigma, across, parameters: fit.parameters.length });
    if (problem !== null) return `${problem}, with the control in ${state}`;
  }
  return null;
}

/** The same dataset with the prepared states of the control in place of those of the target. */
export function ofControl(dataset: Dataset): Dataset {
  const { control_reference_re: re, control_reference_im: im, ...variables } = dataset.variables;
  return {
    ...dataset,
    variables: {
      ...variables,
      ...(re === undefined ? {} : { reference_re: re }),
      ...(im === undefined ? {} : { reference_im: im }),
    },
  };
}

function numbers(values: readonly (number | null)[]): number[] | null {
  const found = values.flatMap((value) => (value === null || !Number.isFinite(value) ? [] : [value]));
  return found.length === values.length && found.length > 0 ? found : null;
}

function expectations(
  dataset: Dataset,
  name: string,
  count: number,
  scale: PopulationScale,
): number[] | null {
  const [re, im] = ['re', 'im'].map((part) => numbers(dataset.variables[`${name}_${part}`]?.values ?? []));
  if (!re || !im || re.length !== count || im.length !== count) return null;
  return re.map((value, index) => 1 - 2 * scale.population(value, im[index] ?? 0));
}
