import type { Dataset } from '../../../science/datasets/model.ts';
import { datasetProblem } from '../../../science/datasets/rules.ts';
import {
  fitGaussianMixture,
  type GaussianMixture,
  type PlanePoints,
} from '../../../science/fitting/gaussian-mixture.ts';
import { mean } from '../../../science/fitting/statistics.ts';
import { LARGEST_NUMBER } from '../../../science/fitting/sweep-problem.ts';
import { fidelitiesOf, MIN_SHOTS, type Threshold, thresholdOf } from './single-shots.ts';

/**
 * Maximum fraction of identical readings. Two noisy readings are rarely identical; a larger fraction means that the
 * instrument repeats itself.
 */
const MAX_ALIKE = 0.1;

/** Both readings of the shots of one prepared state, shot by shot. */
export interface Readings {
  first: PlanePoints;
  second: PlanePoints;
}

/** Shots with both readings; a message if the dataset has none. */
export function readTwice(dataset: Dataset): [Readings, Readings] | string {
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
    return 'the dataset does not have two readings of both states';
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

/**
 * Two Gaussians fitted to the first readings of both prepared states, and how well they distinguish these; a message if
 * there are not two clouds, too few shots, or second readings that repeat the first ones.
 */
export function classifyFirstReadings([ground, excited]: readonly [Readings, Readings]):
  | { mixture: GaussianMixture; threshold: Threshold; fidelities: ReturnType<typeof fidelitiesOf> }
  | string {
  const fewest = Math.min(ground.first.x.length, excited.first.x.length);
  if (fewest < MIN_SHOTS) return `${fewest} shots of a state are too few; ${MIN_SHOTS} are needed`;
  const alike = mean([ground, excited].map(partAlike));
  if (alike > MAX_ALIKE) {
    return `the second reading equals the first in ${(100 * alike).toFixed(0)} % of the shots: the instrument repeats itself`;
  }
  const all = { x: [...ground.first.x, ...excited.first.x], y: [...ground.first.y, ...excited.first.y] };
  const mixture = fitGaussianMixture(all, [centreOf(ground.first), centreOf(excited.first)]);
  if (mixture === null) return 'the shots of both states do not fall into two clouds';
  const threshold = thresholdOf(mixture, all.x.length);
  const fidelities = fidelitiesOf([ground.first, excited.first], mixture, threshold);
  return { mixture, threshold, fidelities };
}

function centreOf({ x, y }: PlanePoints) {
  return { x: mean(x), y: mean(y) };
}

function partAlike({ first, second }: Readings): number {
  return mean(first.x.map((x, shot) => (x === second.x[shot] && first.y[shot] === second.y[shot] ? 1 : 0)));
}
