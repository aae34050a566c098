import { type PlainPulse, PULSES_PER_TURN } from '../../science/conventions/pulse.ts';
import { readComplexSweep } from '../../science/datasets/rules.ts';
import { composeFigure, curveTrace, pointsTrace } from '../../science/figures/compose.ts';
import type { Figure } from '../../science/figures/model.ts';
import { estimateText } from '../../science/fitting/estimate.ts';
import { type CurveModel, type Fit, fitCurve } from '../../science/fitting/least-squares.ts';
import { mean } from '../../science/fitting/statistics.ts';
import { sweepProblem } from '../../science/fitting/sweep-problem.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/parts.ts';
import { scaleSignal } from '../common/analysis/state-scale.ts';

/** Relative errors of the rotation tried as start values. */
const LARGEST_START = 0.3;
const START_STEP = 0.005;

/**
 * Compares `iq_re`, `iq_im` over `repetition` with the pattern of perfect pulses. `r2` says how much of the data that
 * pattern explains, so pulses whose errors add up to more than the threshold allows fail. Besides, the rotation error
 * and the loss per pulse are fitted for the figure.
 */
function analyseRepetition(input: AnalysisInput, pulse: PlainPulse): Analysis {
  const sweep = readComplexSweep(input.dataset, 'repetition', 'iq');
  if (typeof sweep === 'string') return withoutFigures(sweep);
  const unusable = sweepProblem(sweep);
  if (unusable !== null) return withoutFigures(unusable);
  const signal = scaleSignal(input.dataset, sweep);
  const z = signal.calibrated ? signal.y.map((population) => 1 - 2 * population) : centred(signal.y);
  const turn = (2 * Math.PI) / PULSES_PER_TURN[pulse];
  const pattern = sweep.x.map((count) => Math.cos(count * turn));
  const agreement = correlation(pattern, z);
  const rotation = fitRotation(sweep.x, z, pulse);
  const r2 = agreement === null ? null : agreement ** 2;
  const figures = [repetitionFigure(input, pulse, sweep.x, { z, r2, rotation })];
  if (agreement === null) return { outputs: {}, r2: null, figures, refused: 'the signal does not vary' };
  if (agreement > 0) return { outputs: {}, r2, figures };
  const refused = `the signal follows the opposite of the expected pattern, with a correlation of ${agreement.toFixed(2)}`;
  return { outputs: {}, r2, figures, refused };
}

export const analyseHpiRepetition = (input: AnalysisInput): Analysis => analyseRepetition(input, 'hpi');
export const analysePiRepetition = (input: AnalysisInput): Analysis => analyseRepetition(input, 'pi');

/** Between −1 and 1 as far as the points themselves tell. */
function centred(values: readonly number[]): number[] {
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  const half = (highest - lowest) / 2 || 1;
  return values.map((value) => (value - (highest + lowest) / 2) / half);
}

/** Pearson's correlation; null where one of both does not vary. */
export function correlation(a: readonly number[], b: readonly number[]): number | null {
  const [meanA, meanB] = [mean(a), mean(b)];
  let [aa, ab, bb] = [0, 0, 0];
  for (const [index, value] of a.entries()) {
    const [da, db] = [value - meanA, (b[index] ?? 0) - meanB];
    aa += da * da;
    ab += da * db;
    bb += db * db;
  }
  const found = ab / Math.sqrt(aa * bb);
  return Number.isFinite(found) ? found : null;
}

/** cos(√q), continued to negative q, and its derivative: what an even function of the rotation error is fitted by. */
function cosineOfRoot(q: number): { value: number; slope: number } {
  if (Math.abs(q) < 1e-6) return { value: 1 - q / 2, slope: -0.5 + q / 12 };
  const root = Math.sqrt(Math.abs(q));
  return q > 0
    ? { value: Math.cos(root), slope: -Math.sin(root) / (2 * root) }
    : { value: Math.cosh(root), slope: -Math.sinh(root) / (2 * root) };
}

/**
 * z = A e^(−k ε) cos(k θ (1 + δ)) + C over the number of pulses k. Parameters A, C, ε and for pi/2 pulses δ; for pi
 * pulses, whose pattern is the same for δ and −δ, δ².
 */
function rotationModel(pulse: PlainPulse): CurveModel {
  const turn = (2 * Math.PI) / PULSES_PER_TURN[pulse];
  const oscillation = (count: number, error: number) => {
    if (pulse === 'pi') {
      const { value, slope } = cosineOfRoot((count * turn) ** 2 * error);
      const sign = Math.cos(count * turn);
      return { value: sign * value, slope: sign * slope * (count * turn) ** 2 };
    }
    const angle = count * turn * (1 + error);
    return { value: Math.cos(angle), slope: -count * turn * Math.sin(angle) };
  };
  return {
    evaluate([amplitude = 0, offset = 0, loss = 0, error = 0], count) {
      return amplitude * Math.exp(-count * loss) * oscillation(count, error).value + offset;
    },
    gradient([amplitude = 0, , loss = 0, error = 0], count) {
      const decay = Math.exp(-count * loss);
      const { value, slope } = oscillation(count, error);
      return [decay * value, 1, -count * amplitude * decay * value, amplitude * decay * slope];
    },
  };
}

interface RotationFit {
  fit: Fit;
  evaluate(count: number): number;
}

export function fitRotation(counts: readonly number[], z: readonly number[], pulse: PlainPulse): RotationFit {
  const model = rotationModel(pulse);
  const offset = mean(z);
  let start = { residual: Number.POSITIVE_INFINITY, error: 0 };
  for (let error = pulse === 'pi' ? 0 : -LARGEST_START; error <= LARGEST_START; error += START_STEP) {
    const candidate = pulse === 'pi' ? error ** 2 : error;
    const residual = counts.reduce(
      (sum, count, index) => sum + ((z[index] ?? 0) - model.evaluate([1, offset, 0, candidate], count)) ** 2,
      0,
    );
    if (residual < start.residual) start = { residual, error: candidate };
  }
  const parameters = [1, offset, 0, start.error];
  const scale = [1, 1, 0.01, pulse === 'pi' ? 1e-4 : 0.01];
  const fit = fitCurve({ x: counts, y: z, model, start: parameters, scale });
  const used = fit.ok ? fit.parameters : parameters;
  return { fit, evaluate: (count) => model.evaluate(used, count) };
}

/** The rotation error in words; for pi pulses its size alone, which may be too small to be seen. */
export function rotationText({ fit }: RotationFit, pulse: PlainPulse): string {
  if (!fit.ok) return 'no usable fit';
  const [value = 0, error = 0] = [fit.parameters[3], fit.errors[3]];
  if (pulse === 'hpi')
    return `rotation error ${estimateText({ value: 100 * value, error: 100 * error }, '%')}`;
  if (value > 2 * error) {
    const size = Math.sqrt(value);
    return `rotation error ${estimateText({ value: 100 * size, error: (50 * error) / size }, '%')} in size`;
  }
  return `rotation error below ${(100 * Math.sqrt(Math.max(0, value) + 2 * error)).toPrecision(2)} %`;
}

function repetitionFigure(
  { task, qid }: AnalysisInput,
  pulse: PlainPulse,
  counts: readonly number[],
  { z, r2, rotation }: { z: number[]; r2: number | null; rotation: RotationFit },
): Figure {
  const explained = r2 === null ? '' : `, r² = ${r2.toFixed(4)}`;
  const turn = (2 * Math.PI) / PULSES_PER_TURN[pulse];
  const data = [
    pointsTrace('data', counts, z),
    curveTrace(`perfect pulses${explained}`, counts, (count) => Math.cos(count * turn)),
  ];
  if (rotation.fit.ok) data.push(curveTrace('fitted rotation', counts, rotation.evaluate));
  return composeFigure(data, {
    title: `${task.name} · qubit ${qid} · ${rotationText(rotation, pulse)}`,
    x: 'Number of pulses',
    y: 'Normalised signal (1 ground, −1 excited)',
  });
}
