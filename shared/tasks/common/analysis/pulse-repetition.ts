import { type PlainPulse, PULSES_PER_TURN } from '../../../science/conventions/pulse.ts';
import { readComplexSweep } from '../../../science/datasets/rules.ts';
import { composeFigure, curveTrace, pointsTrace } from '../../../science/figures/compose.ts';
import type { Figure } from '../../../science/figures/model.ts';
import {
  fitRotation,
  type RotationFit,
  rotationError,
  rotationText,
} from '../../../science/fitting/pulse-rotation.ts';
import { correlation } from '../../../science/fitting/statistics.ts';
import { sweepProblem } from '../../../science/fitting/sweep-problem.ts';
import { subjectOf } from './figure-text.ts';
import type { Analysis, AnalysisInput } from './model.ts';
import { withoutFigures } from './results.ts';
import { scaleSignal } from './state-scale.ts';

/**
 * Compares `iq_re`, `iq_im` over `repetition` with the pattern of perfect pulses. `r2` says how much of the data that
 * pattern explains, so pulses whose errors add up to more than the threshold allows fail. The rotation error is fitted
 * beside a loss per pulse, and is the output of this name: many repetitions tell it far more finely than the pattern.
 */
export function analyseRepetition(input: AnalysisInput, pulse: PlainPulse, output: string): Analysis {
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
  const varies = Number.isFinite(agreement);
  const r2 = varies ? agreement ** 2 : null;
  const figures = [repetitionFigure(input, pulse, sweep.x, { z, r2, rotation })];
  if (!varies) return { outputs: {}, r2: null, figures, refused: 'the signal does not vary' };
  if (agreement > 0) {
    const error = rotationError(rotation, pulse);
    if (error !== null) return { outputs: { [output]: error }, r2, figures };
    return { outputs: {}, r2, figures, refused: 'the rotation of the pulses cannot be fitted' };
  }
  const refused = `the signal follows the opposite of the expected pattern, with a correlation of ${agreement.toFixed(2)}`;
  return { outputs: {}, r2, figures, refused };
}

/** Between −1 and 1 as far as the points themselves tell. */
function centred(values: readonly number[]): number[] {
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  const half = (highest - lowest) / 2 || 1;
  return values.map((value) => (value - (highest + lowest) / 2) / half);
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
    title: `${subjectOf({ task, qid })} · ${rotationText(rotation, pulse)}`,
    x: 'Number of pulses',
    y: 'Normalised signal (1 ground, −1 excited)',
  });
}
