import { DEFAULT_SHOTS, type PlainPulse, PULSES_PER_TURN } from '../../../science/conventions/pulse.ts';
import { readComplexSweep } from '../../../science/datasets/rules.ts';
import { curveTrace } from '../../../science/figures/compose.ts';
import { composeFit } from '../../../science/figures/fit-figure.ts';
import type { Figure } from '../../../science/figures/model.ts';
import { type Estimate, estimateText } from '../../../science/fitting/estimate.ts';
import { furtherParameters } from '../../../science/fitting/further-parameter.ts';
import type { Fit } from '../../../science/fitting/least-squares.ts';
import { POLARISATION_LEVELS, signalDeviations } from '../../../science/fitting/measurement-noise.ts';
import { averageEstimates, weightOfSecond } from '../../../science/fitting/model-average.ts';
import { predictedPoints } from '../../../science/fitting/point-memory.ts';
import {
  fitRotation,
  type RotationFit,
  rotationError,
  rotationText,
} from '../../../science/fitting/pulse-rotation.ts';
import { sweepFault } from '../../../science/fitting/residuals.ts';
import { correlation } from '../../../science/fitting/statistics.ts';
import { sweepProblem } from '../../../science/fitting/sweep-problem.ts';
import { numberOf } from '../parameters.ts';
import { subjectOf } from './figure-text.ts';
import { fitJudged, type JudgedFit, parameterEstimate } from './judged-fit.ts';
import {
  contradictionOfTrain,
  misplacedTrain,
  noiseOf,
  preparedError,
  sumError,
  type TrainEvidence,
} from './misplaced-train.ts';
import type { Analysis, AnalysisInput } from './model.ts';
import {
  type FitWithMemory,
  fitAllowingMemory,
  likelihoodRatio,
  memoryNotes,
  type PointsWithMemory,
} from './points-with-memory.ts';
import { withoutFigures } from './results.ts';
import { type ScaledSignal, scaleSignal } from './state-scale.ts';

/**
 * Compares `iq_re`, `iq_im` over `repetition` with the pattern of perfect pulses. `r2` is the fraction of the data's
 * variance that the pattern explains, without outliers, so pulses fail if their errors add up to more than the
 * threshold allows. The rotation error is fitted together with a loss per pulse and is the given output: many
 * repetitions determine it far more precisely than the pattern does.
 */
export function analyseRepetition(input: AnalysisInput, pulse: PlainPulse, output: string): Analysis {
  const sweep = readComplexSweep(input.dataset, 'repetition', 'iq');
  if (typeof sweep === 'string') return withoutFigures(sweep);
  const unusable = sweepProblem(sweep);
  if (unusable !== null) return withoutFigures(unusable);
  const signal = scaleSignal(input.dataset, sweep);
  const scaled = signal.calibrated
    ? { z: signal.y.map((population) => 1 - 2 * population), across: 2 * signal.across }
    : centred(signal);
  const { z } = scaled;
  const shots = numberOf(input.runParameters.shots) ?? DEFAULT_SHOTS;
  const turn = (2 * Math.PI) / PULSES_PER_TURN[pulse];
  const pattern = sweep.x.map((count) => Math.cos(count * turn));
  const train = { counts: sweep.x, z, across: scaled.across, pulse, calibrated: signal.calibrated, shots };
  const judged = fitAllowingMemory(pointsOf(train));
  const { found: rotation, kept, judgement, memory } = judged;
  const atKept = (values: readonly number[]) => kept.map((index) => values[index] ?? 0);
  const agreement = correlation(atKept(pattern), atKept(z));
  const varies = Number.isFinite(agreement);
  const r2 = varies ? agreement ** 2 : null;
  const error = errorInOrder(judged, train);
  const errorEstimate = typeof error === 'string' ? null : error;
  const figures = [
    repetitionFigure(input, pulse, sweep.x, { z, across: 2 * signal.across, r2, rotation, errorEstimate }),
  ];
  if (!varies) return { outputs: {}, r2: null, figures, refused: 'the signal does not vary' };
  if (agreement > 0) {
    const problem =
      sweepFault(sweep, signal.aside, signal.prepared) ??
      judgement?.problem ??
      trainProblem(judged, train) ??
      (typeof error === 'string' ? error : null);
    if (problem) return { outputs: {}, r2, figures, refused: problem };
    const notes = memoryNotes(memory);
    if (errorEstimate !== null) {
      return { outputs: { [output]: errorEstimate }, r2, figures, ...(notes.length > 0 && { notes }) };
    }
    return { outputs: {}, r2, figures, refused: 'the rotation of the pulses cannot be fitted' };
  }
  const refused = `the signal follows the opposite of the expected pattern, with a correlation of ${agreement.toFixed(2)}`;
  return { outputs: {}, r2, figures, refused };
}

/** The reason why the points cannot belong to a train of pulses that starts in the ground state; null if they may. */
function trainProblem({ found: { fit }, kept }: JudgedFit<FittedRotation>, train: Train): string | null {
  if (!fit.ok) return null;
  const { counts, pulse } = train;
  const [amplitude = 0, , loss = 0, error = 0] = fit.parameters;
  const turned = (2 * Math.PI * (pulse === 'hpi' ? 1 + error : 1)) / PULSES_PER_TURN[pulse];
  const outOfPhase = furtherParameters(fit)((place) => {
    const count = counts[kept[place] ?? 0] ?? 0;
    return -amplitude * Math.exp(-count * loss) * Math.sin(count * turned);
  });
  return misplacedTrain({ outOfPhase, ...evidenceOf(fit, train) });
}

/** The loss of a fitted train, and its comparison with the prepared states. */
function evidenceOf(fit: Fit, { calibrated, shots }: Train): Omit<TrainEvidence, 'outOfPhase'> {
  const reference = preparedError(noiseOf(fit), shots);
  const [size, offset, loss] = [0, 1, 2].map((index) => parameterEstimate(fit, index).value);
  const start = { value: (size ?? 0) + (offset ?? 0), error: Math.hypot(sumError(fit, [0, 1]), reference) };
  return {
    loss: { value: loss ?? 0, error: parameterEstimate(fit, 2).error },
    ...(calibrated && {
      prepared: {
        start,
        size: { value: size ?? 0, error: Math.hypot(sumError(fit, [0]), reference / Math.SQRT2) },
      },
    }),
  };
}

/** Significance, in their errors, from which two rotation errors differ. */
const DIFFERENT = 5;
/** Minimum of twice the logarithm of the likelihood ratio for the opposite order. */
const LIKELIER = 4;
/** Prior odds against the opposite order. */
const SELDOM = 10;

/**
 * The rotation error; null if it cannot be determined. A train in reverse order looks almost the same, with another
 * error. The value is the mean of both orders, weighted by their likelihoods, and its error covers their difference.
 * Points that clearly are in the opposite order give a message instead.
 */
function errorInOrder(judged: FitWithMemory<FittedRotation>, train: Train): Estimate | string | null {
  const { pulse, counts } = train;
  const found = rotationError(judged.found, pulse);
  // For a pi pulse only the absolute value is known, which is the same in both orders.
  if (pulse === 'pi' || found === null) return found;
  const ends = Math.min(...counts) + Math.max(...counts);
  const backwards = fitJudged(pointsOf({ ...train, counts: counts.map((count) => ends - count) }));
  const other = rotationError(backwards.found, pulse);
  if (other === null) return found;
  const isOther = Math.abs(other.value - found.value) > DIFFERENT * found.error;
  const contradictionOf = ({ fit }: FittedRotation) => contradictionOfTrain(evidenceOf(fit, train));
  const ratio = likelihoodRatio(backwards, judged, contradictionOf);
  return isOther && ratio > LIKELIER
    ? `the points are more likely those of a train in the opposite order, with a rotation error of ${estimateText({ value: 100 * other.value, error: 100 * other.error }, '%')}`
    : averageEstimates(found, other, weightOfSecond(ratio, Math.log(SELDOM)));
}

/** The measured points of a train, and their noise. */
interface Train {
  counts: readonly number[];
  z: readonly number[];
  /** Standard deviation of a point across the axis of the signal. */
  across: number;
  pulse: PlainPulse;
  calibrated: boolean;
  shots: number;
}

/** Expectation values, and the standard deviation of one across the axis of the signal. */
interface Expectations {
  z: number[];
  across: number;
}

/** Signals scaled to −1 … 1 by the points themselves. */
function centred({ y, across }: ScaledSignal): Expectations {
  const [lowest, highest] = [Math.min(...y), Math.max(...y)];
  const half = (highest - lowest) / 2 || 1;
  return { z: y.map((value) => (value - (highest + lowest) / 2) / half), across: across / half };
}

/** A fitted rotation with its values at the points. */
type FittedRotation = RotationFit & { fitted: number[] };

/**
 * The fit is weighted, because projection noise is largest midway between both states, where errors are most visible.
 */
function pointsOf(train: Train): PointsWithMemory<FittedRotation> {
  const { counts, z, across, pulse, shots } = train;
  return {
    y: z,
    across,
    fitTo(indices, sigma, before) {
      const places = indices.map((index) => counts[index] ?? 0);
      const found = fitRotation(
        places,
        indices.map((index) => z[index] ?? 0),
        { pulse, sigma, before },
      );
      return { ...found, fitted: predictedPoints(places.map(found.evaluate), { before, fit: found.fit }) };
    },
    deviations: ({ fitted }) => signalDeviations(fitted, POLARISATION_LEVELS, across, shots),
    contradictionOf: ({ fit }) => contradictionOfTrain(evidenceOf(fit, train)),
  };
}

interface TrainFigure {
  z: number[];
  across: number;
  r2: number | null;
  rotation: RotationFit;
  /** The rotation error, if there is one. */
  errorEstimate: Estimate | null;
}

function repetitionFigure(
  { task, qid, runParameters }: AnalysisInput,
  pulse: PlainPulse,
  counts: readonly number[],
  { z, across, r2, rotation, errorEstimate }: TrainFigure,
): Figure {
  const explained = r2 === null ? '' : `, r² = ${r2.toFixed(4)}`;
  const turn = (2 * Math.PI) / PULSES_PER_TURN[pulse];
  const perfect = (count: number) => Math.cos(count * turn);
  const curve = rotation.fit.ok ? { name: 'fitted rotation', at: rotation.evaluate } : null;
  const expected = counts.map(curve?.at ?? perfect);
  const sigma = signalDeviations(expected, POLARISATION_LEVELS, across, numberOf(runParameters.shots));
  return composeFit(
    [{ name: 'data', x: counts, y: z, sigma, curve }],
    {
      title: `${subjectOf({ task, qid })} · ${rotationText(rotation, pulse, pulse === 'hpi' ? errorEstimate : null)}`,
      x: 'Number of pulses',
      y: 'Normalised signal (1 ground, −1 excited)',
    },
    [curveTrace(`perfect pulses${explained}`, counts, perfect)],
  );
}
