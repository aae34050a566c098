import { composeFigure, matrixTrace } from '../../science/figures/compose.ts';
import type { Figure } from '../../science/figures/model.ts';
import { type Estimate, estimateText } from '../../science/fitting/estimate.ts';
import {
  belongsToSecond,
  type GaussianMixture,
  type PlanePoints,
} from '../../science/fitting/gaussian-mixture.ts';
import { mean } from '../../science/fitting/statistics.ts';
import { subjectOf } from '../common/analysis/figure-text.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { LOWEST_FIDELITY, movedByThreshold, partOfShots } from '../common/analysis/single-shots.ts';
import { classifyFirstReadings, type Readings, readTwice } from '../common/analysis/two-readings.ts';

const STATES = ['0', '1'] as const;

/**
 * Classifies shots by two Gaussians, fitted to the first readings of both prepared states. Counts the assignments of
 * the prepared states, and how often the second reading agrees with the first. Disagreement is caused by the readout's
 * effect on the qubit (decay and flips during the readout), but also by wrong assignments in either reading.
 */
export function analyseReadoutQnd(input: AnalysisInput): Analysis {
  const readings = readTwice(input.dataset);
  if (typeof readings === 'string') return withoutFigures(readings);
  const firstReadings = classifyFirstReadings(readings);
  if (typeof firstReadings === 'string') return withoutFigures(firstReadings);
  const { mixture, threshold, fidelities } = firstReadings;
  const ofShots = agreement(readings, mixture);
  // A shift of the threshold changes both states in opposite directions, so the mean hardly changes.
  const moved = movedByThreshold(mixture, threshold, (other) =>
    agreement(readings, other).map(({ value }) => value),
  );
  const agreeing = ofShots.map(({ value, error }, state) => ({
    value,
    error: Math.hypot(error, moved[state] ?? 0),
  }));
  const [qnd0, qnd1] = agreeing;
  const { average } = fidelities;
  const assigned = [fidelities.ground, fidelities.excited];
  const refused =
    average.value < LOWEST_FIDELITY || qnd0 === undefined || qnd1 === undefined
      ? `both states cannot be distinguished, so nothing is known about the readout: the average fidelity would be ${estimateText(average, '')}`
      : null;
  const qnd = {
    value: mean(agreeing.map(({ value }) => value)),
    error: Math.hypot(...ofShots.map(({ error }) => error), (moved[0] ?? 0) + (moved[1] ?? 0)) / 2,
  };
  const figures = [
    matrixFigure(input, assigned, {
      resultText: `fidelity ${estimateText(average, '')}`,
      x: 'Read as',
      y: 'Prepared in',
    }),
    matrixFigure(input, agreeing, {
      resultText: `QND ${estimateText(qnd, '')}`,
      x: 'Second reading',
      y: 'First reading',
    }),
  ];
  if (refused !== null || qnd0 === undefined || qnd1 === undefined) {
    return { outputs: {}, r2: null, figures, refused: refused ?? 'nothing is known about the readout' };
  }
  return {
    outputs: {
      assignment_error_0: wrong(fidelities.ground),
      assignment_error_1: wrong(fidelities.excited),
      qnd_fidelity: qnd,
      qnd_fidelity_0: qnd0,
      qnd_fidelity_1: qnd1,
    },
    r2: null,
    figures,
  };
}

/** For each outcome of the first reading, the fraction of second readings that agree with it. */
function agreement(readings: readonly Readings[], mixture: GaussianMixture): Estimate[] {
  const isExcited = ({ x, y }: PlanePoints) =>
    x.map((value, index) => belongsToSecond(mixture, { x: value, y: y[index] ?? 0 }));
  const before = readings.flatMap(({ first }) => isExcited(first));
  const after = readings.flatMap(({ second }) => isExcited(second));
  return STATES.map((_, state) => {
    const same = after.filter((_each, shot) => Number(before[shot]) === state);
    return partOfShots(same.filter((each) => Number(each) === state).length, same.length);
  });
}

function wrong({ value, error }: Estimate): Estimate {
  return { value: 1 - value, error };
}

/** A matrix of fractions whose rows add up to one. `same` is its diagonal. */
function matrixFigure(
  { task, qid }: AnalysisInput,
  same: readonly Estimate[],
  { resultText, x, y }: { resultText: string; x: string; y: string },
): Figure {
  const rows = same.map(({ value }, row) => same.map((_, column) => (column === row ? value : 1 - value)));
  return composeFigure([matrixTrace('Part of the shots', rows, { from: 0, to: 1 })], {
    title: `${subjectOf({ task, qid })} · ${resultText}`,
    x,
    y,
    xLabels: STATES,
    yLabels: STATES,
    firstRowOnTop: true,
  });
}
