import { DEFAULT_SHOTS } from '../../science/conventions/pulse.ts';
import { type ComplexSweep, readComplexSweep } from '../../science/datasets/rules.ts';
import { composeFit } from '../../science/figures/fit-figure.ts';
import type { Figure } from '../../science/figures/model.ts';
import { type Estimate, estimateText } from '../../science/fitting/estimate.ts';
import { furtherParameters } from '../../science/fitting/further-parameter.ts';
import type { Fit } from '../../science/fitting/least-squares.ts';
import { POLARISATION_LEVELS, signalDeviations } from '../../science/fitting/measurement-noise.ts';
import { type PopulationScale, readPopulationScale } from '../../science/fitting/population-scale.ts';
import {
  fitPulseTrains,
  slopeByPhase,
  type TrainFit,
  type TrainPoint,
} from '../../science/fitting/pulse-trains.ts';
import { sweepFault } from '../../science/fitting/residuals.ts';
import { sweepProblem } from '../../science/fitting/sweep-problem.ts';
import { fitName, subjectOf } from '../common/analysis/figure-text.ts';
import { type JudgedFit, parameterEstimate } from '../common/analysis/judged-fit.ts';
import {
  contradictionOfTrain,
  misplacedTrain,
  preparedError,
  sumError,
  type TrainEvidence,
} from '../common/analysis/misplaced-train.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { fitAllowingMemory, memoryNotes } from '../common/analysis/points-with-memory.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { principal } from '../common/analysis/state-scale.ts';
import { numberOf } from '../common/parameters.ts';
import { moreShots } from '../suggested-run.ts';

/** Maximum uncertainty of a pulse's error. A less precise error does not improve the pulse. */
const LARGEST_ERROR = 0.005;

type Train = TrainPoint['train'];
/** The names of each train's pulse in parameters and data. */
const PULSES = { quarter: 'hpi', half: 'pi' } as const;

/**
 * Fits the polarisation after trains of both pulses, `hpi_re`, `hpi_im` over `hpi_pulses` and `pi_re`, `pi_im` over
 * `pi_pulses`, and corrects the amplitude of each pulse by its error, because the angle is proportional to the
 * amplitude.
 */
export function analyseFineAmplitude(input: AnalysisInput): Analysis {
  const { dataset, inputs, runParameters } = input;
  const scale = readPopulationScale(dataset);
  if (typeof scale === 'string') return withoutFigures(scale);
  const known = pulsesOf(inputs);
  if (typeof known === 'string') return withoutFigures(known);
  const points: TrainPoint[] = [];
  for (const train of ['quarter', 'half'] as const) {
    const sweep = readComplexSweep(dataset, `${PULSES[train]}_pulses`, PULSES[train]);
    if (typeof sweep === 'string') return withoutFigures(sweep);
    const problem = sweepProblem(sweep) ?? sweepFault(sweep, principal(sweep).aside);
    if (problem !== null) return withoutFigures(problem);
    points.push(...trainPoints(train, { sweep, scale, lengths: known.lengths }));
  }
  const shots = numberOf(runParameters.shots) ?? DEFAULT_SHOTS;
  const judged = fitAllowingMemory<TrainFit>({
    y: points.map(({ z }) => z),
    across: 2 * scale.across,
    ofSeveralSweeps: true,
    isFirst: (index) => points[index]?.train !== points[index - 1]?.train,
    fitTo: (indices, sigma, before) =>
      fitPulseTrains(
        indices.flatMap((index) => points[index] ?? []),
        { sigma, before },
      ),
    deviations: ({ fitted }) =>
      signalDeviations(fitted, POLARISATION_LEVELS, 2 * scale.across, numberOf(runParameters.shots)),
    contradictionOf: ({ fit }) => contradictionOfTrain(evidenceOf(fit, { scale, shots })),
  });
  const { fit } = judged.found;
  const errors = { quarter: parameterEstimate(fit, 0), half: parameterEstimate(fit, 1) };
  const refused = !fit.ok
    ? fit.message
    : (unresolved(errors) ?? judged.judgement?.problem ?? trainProblem(judged, points, { scale, shots }));
  const figures = (['quarter', 'half'] as const).map((train) =>
    trainFigure(input, { train, points, judged, known }, refused === null ? errors[train] : undefined),
  );
  if (refused !== null) {
    const suggestion = moreShots(runParameters, 'the trains are lost in noise');
    return { outputs: {}, r2: fit.r2, figures, refused, ...(suggestion && { suggestion }) };
  }
  const notes = memoryNotes(judged.memory);
  return {
    ...(notes.length > 0 && { notes }),
    outputs: {
      drag_hpi_amplitude: corrected(known.amplitudes.quarter, errors.quarter),
      drag_pi_amplitude: corrected(known.amplitudes.half, errors.half),
      drag_hpi_amplitude_error: errors.quarter,
      drag_pi_amplitude_error: errors.half,
    },
    r2: fit.r2,
    figures,
  };
}

/** The reason why the points cannot belong to trains that start in the ground state; null if they may. */
function trainProblem(
  { found: { fit }, kept }: JudgedFit<TrainFit>,
  points: readonly TrainPoint[],
  prepared: PreparedStates,
): string | null {
  if (!fit.ok) return null;
  const { parameters } = fit;
  const shiftOf = furtherParameters(fit);
  const shifts = (['quarter', 'half'] as const).map((train) =>
    shiftOf((place) => {
      const point = points[kept[place] ?? -1];
      return point?.train === train ? slopeByPhase(parameters, point) : 0;
    }),
  );
  return misplacedTrain({ outOfPhase: Math.max(...shifts.map(Math.abs)), ...evidenceOf(fit, prepared) });
}

/** The states that were prepared together with the trains. */
interface PreparedStates {
  scale: PopulationScale;
  shots: number;
}

/** The loss of fitted trains, and their comparison with the prepared states. */
function evidenceOf(
  fit: Fit,
  { scale: { across, repetitions }, shots }: PreparedStates,
): Omit<TrainEvidence, 'outOfPhase'> {
  const [ground, excited] = [repetitions.ground, repetitions.excited].map(
    (times) => preparedError(2 * across, shots) / Math.sqrt(times),
  );
  const [size, offset] = [parameterEstimate(fit, 3), parameterEstimate(fit, 4)];
  return {
    loss: parameterEstimate(fit, 2),
    prepared: {
      start: { value: size.value + offset.value, error: Math.hypot(sumError(fit, [3, 4]), ground ?? 0) },
      size: { value: size.value, error: Math.hypot(size.error, (ground ?? 0) / 2, (excited ?? 0) / 2) },
    },
  };
}

interface Pulses {
  lengths: Record<Train, number>;
  amplitudes: Record<Train, number>;
}

/** The played pulses; a message if one of their parameters is unknown. */
function pulsesOf(inputs: AnalysisInput['inputs']): Pulses | string {
  const found = (name: string) => numberOf(inputs[name]) ?? 0;
  const lengths = { quarter: found('drag_hpi_length'), half: found('drag_pi_length') };
  const amplitudes = { quarter: found('drag_hpi_amplitude'), half: found('drag_pi_amplitude') };
  return [...Object.values(lengths), ...Object.values(amplitudes)].every((value) => value > 0)
    ? { lengths, amplitudes }
    : 'the amplitudes and lengths of the pulses are unknown';
}

function trainPoints(
  train: Train,
  { sweep, scale, lengths }: { sweep: ComplexSweep; scale: PopulationScale; lengths: Pulses['lengths'] },
): TrainPoint[] {
  return sweep.x.map((pulses, index) => ({
    train,
    pulses,
    durationNs: durationOf(train, pulses, lengths),
    z: 1 - 2 * scale.population(sweep.re[index] ?? 0, sweep.im[index] ?? 0),
  }));
}

function durationOf(train: Train, pulses: number, lengths: Pulses['lengths']): number {
  return train === 'quarter' ? pulses * lengths.quarter : lengths.quarter + pulses * lengths.half;
}

/** The reason why an error is not precise enough, with numbers; null if both are. */
function unresolved(errors: Record<Train, Estimate>): string | null {
  const lost = (['quarter', 'half'] as const).find((train) => !(errors[train].error < LARGEST_ERROR));
  return lost === undefined
    ? null
    : `the trains are lost in noise: the ${PULSES[lost]} pulse would turn too far by ${percentText(errors[lost])}`;
}

function corrected(amplitude: number, { value, error }: Estimate): Estimate {
  return { value: amplitude / (1 + value), error: (amplitude * error) / (1 + value) ** 2 };
}

function percentText({ value, error }: Estimate): string {
  return estimateText({ value: 100 * value, error: 100 * error }, '%');
}

function trainFigure(
  input: AnalysisInput,
  {
    train,
    points,
    judged: { found, kept, sigma },
    known,
  }: { train: Train; points: readonly TrainPoint[]; judged: JudgedFit<TrainFit>; known: Pulses },
  error: Estimate | undefined,
): Figure {
  const shown = kept.flatMap((index, place) => {
    const point = points[index];
    return point?.train === train ? [{ ...point, sigma: sigma?.[place] }] : [];
  });
  const deviations = shown.flatMap((point) => point.sigma ?? []);
  const at = (pulses: number) =>
    found.evaluate({ train, pulses, durationNs: durationOf(train, pulses, known.lengths) });
  const resultText =
    error === undefined ? 'no usable fit' : `${PULSES[train]} turns too far by ${percentText(error)}`;
  return composeFit(
    [
      {
        name: 'data',
        x: shown.map(({ pulses }) => pulses),
        y: shown.map(({ z }) => z),
        sigma: deviations.length === shown.length ? deviations : undefined,
        curve: found.fit.ok ? { name: fitName(found.fit.r2), at } : null,
      },
    ],
    {
      title: `${subjectOf(input)} · ${resultText}`,
      x: train === 'quarter' ? 'Number of pi/2 pulses' : 'Number of pi pulses after one pi/2 pulse',
      y: 'Polarisation (1 ground, −1 excited)',
    },
  );
}
