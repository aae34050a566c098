import type { Dataset } from '../../science/datasets/model.ts';
import { datasetProblem } from '../../science/datasets/rules.ts';
import { composeFigure, matrixTrace } from '../../science/figures/compose.ts';
import type { Figure } from '../../science/figures/model.ts';
import { type Estimate, estimateText } from '../../science/fitting/estimate.ts';
import {
  belongsToSecond,
  fitGaussianMixture,
  type PlanePoints,
} from '../../science/fitting/gaussian-mixture.ts';
import { mean } from '../../science/fitting/statistics.ts';
import { LARGEST_NUMBER } from '../../science/fitting/sweep-problem.ts';
import { subjectOf } from '../common/analysis/figure-text.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import {
  FEWEST_SHOTS,
  fidelitiesOf,
  LOWEST_FIDELITY,
  partOfShots,
  thresholdOf,
} from '../common/analysis/single-shots.ts';

/** Of two readings with noise hardly any are the very same; so large a part means an instrument that repeats itself. */
const MOST_ALIKE = 0.1;
const STATES = ['0', '1'] as const;

/** Both readings of the shots of one prepared state, shot by shot. */
interface Readings {
  first: PlanePoints;
  second: PlanePoints;
}

/**
 * Tells shots apart by two Gaussians fitted to the first readings of both prepared states, and counts: how prepared
 * states are assigned, and how often a second reading agrees with the first. What readout does to the qubit shows in the
 * second: decay and flips while it is read, but also errors of assignment in either reading.
 */
export function analyseReadoutQnd(input: AnalysisInput): Analysis {
  const readings = read(input.dataset);
  if (typeof readings === 'string') return withoutFigures(readings);
  const [ground, excited] = readings;
  const fewest = Math.min(ground.first.x.length, excited.first.x.length);
  if (fewest < FEWEST_SHOTS) {
    return withoutFigures(`${fewest} shots of a state are too few; ${FEWEST_SHOTS} are needed`);
  }
  const alike = mean([ground, excited].map(partAlike));
  if (alike > MOST_ALIKE) {
    return withoutFigures(
      `the second reading is the first again in ${(100 * alike).toFixed(0)} % of the shots: the instrument repeats itself`,
    );
  }
  const all = { x: [...ground.first.x, ...excited.first.x], y: [...ground.first.y, ...excited.first.y] };
  const mixture = fitGaussianMixture(all, [centreOf(ground.first), centreOf(excited.first)]);
  if (mixture === null) return withoutFigures('the shots of both states do not fall into two clouds');
  const fidelities = fidelitiesOf([ground.first, excited.first], mixture, thresholdOf(mixture, all.x.length));
  const isExcited = ({ x, y }: PlanePoints) =>
    x.map((value, index) => belongsToSecond(mixture, { x: value, y: y[index] ?? 0 }));
  const before = [ground, excited].flatMap(({ first }) => isExcited(first));
  const after = [ground, excited].flatMap(({ second }) => isExcited(second));
  const agreeing = STATES.map((_, state) => {
    const same = after.filter((_each, shot) => Number(before[shot]) === state);
    return partOfShots(same.filter((each) => Number(each) === state).length, same.length);
  });
  const [qnd0, qnd1] = agreeing;
  const { average } = fidelities;
  const assigned = [fidelities.ground, fidelities.excited];
  const refused =
    average.value < LOWEST_FIDELITY || qnd0 === undefined || qnd1 === undefined
      ? `both states cannot be told apart, so nothing is told of readout: the average fidelity would be ${estimateText(average, '')}`
      : null;
  const qnd = {
    value: mean(agreeing.map(({ value }) => value)),
    error: Math.hypot(...agreeing.map(({ error }) => error)) / 2,
  };
  const figures = [
    matrixFigure(input, assigned, {
      said: `fidelity ${estimateText(average, '')}`,
      x: 'Read as',
      y: 'Prepared in',
    }),
    matrixFigure(input, agreeing, {
      said: `QND ${estimateText(qnd, '')}`,
      x: 'Second reading',
      y: 'First reading',
    }),
  ];
  if (refused !== null || qnd0 === undefined || qnd1 === undefined) {
    return { outputs: {}, r2: null, figures, refused: refused ?? 'nothing is told of readout' };
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

function wrong({ value, error }: Estimate): Estimate {
  return { value: 1 - value, error };
}

function centreOf({ x, y }: PlanePoints) {
  return { x: mean(x), y: mean(y) };
}

function partAlike({ first, second }: Readings): number {
  return mean(first.x.map((x, shot) => (x === second.x[shot] && first.y[shot] === second.y[shot] ? 1 : 0)));
}

/** Shots of which both readings are there; a sentence when the dataset has none. */
function read(dataset: Dataset): [Readings, Readings] | string {
  const problem = datasetProblem(dataset);
  if (problem !== null) return problem;
  const { iq_re: re, iq_im: im } = dataset.variables;
  const { state, reading } = dataset.coordinates;
  const shots = dataset.dims.shot;
  if (re === undefined || im === undefined || state === undefined || reading === undefined || !shots) {
    return 'the dataset has no iq_re and iq_im over reading, state and shot';
  }
  if ([re, im].some(({ dims }) => dims.join() !== 'reading,state,shot')) {
    return 'iq_re and iq_im must have the dimensions reading, state and shot';
  }
  const rows = [1, 2].map((number) => reading.values.indexOf(number));
  const columns = [0, 1].map((number) => state.values.indexOf(number));
  if ([...rows, ...columns].some((place) => place < 0)) {
    return 'the dataset has not two readings of both states';
  }
  const of = (column: number): Readings => {
    const starts = rows.map((row) => (row * state.values.length + column) * shots);
    const known: Readings & Record<keyof Readings, { x: number[]; y: number[] }> = {
      first: { x: [], y: [] },
      second: { x: [], y: [] },
    };
    for (let shot = 0; shot < shots; shot++) {
      const values = starts.flatMap((start) => [re.values[start + shot], im.values[start + shot]]);
      const [a, b, c, d] = values.flatMap((value) =>
        typeof value === 'number' && Math.abs(value) < LARGEST_NUMBER ? [value] : [],
      );
      if (a === undefined || b === undefined || c === undefined || d === undefined) continue;
      known.first.x.push(a);
      known.first.y.push(b);
      known.second.x.push(c);
      known.second.y.push(d);
    }
    return known;
  };
  return [of(columns[0] ?? 0), of(columns[1] ?? 0)];
}

/** A matrix of parts whose rows add up to one; `same` are those on its diagonal. */
function matrixFigure(
  { task, qid }: AnalysisInput,
  same: readonly Estimate[],
  { said, x, y }: { said: string; x: string; y: string },
): Figure {
  const rows = same.map(({ value }, row) => same.map((_, column) => (column === row ? value : 1 - value)));
  return composeFigure([matrixTrace('Part of the shots', rows, { from: 0, to: 1 })], {
    title: `${subjectOf({ task, qid })} · ${said}`,
    x,
    y,
    xLabels: STATES,
    yLabels: STATES,
    firstRowOnTop: true,
  });
}
