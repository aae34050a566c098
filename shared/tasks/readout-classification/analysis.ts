import type { Dataset } from '../../science/datasets/model.ts';
import { datasetProblem } from '../../science/datasets/rules.ts';
import {
  composeFigure,
  curveTrace,
  histogramTrace,
  lineTrace,
  markerTrace,
  pointsTrace,
} from '../../science/figures/compose.ts';
import type { Figure } from '../../science/figures/model.ts';
import { type Estimate, estimateText } from '../../science/fitting/estimate.ts';
import {
  boundaryOf,
  fitGaussianMixture,
  type GaussianMixture,
  type PlanePoints,
  withOwnWidths,
} from '../../science/fitting/gaussian-mixture.ts';
import { mean } from '../../science/fitting/statistics.ts';
import { subjectOf } from '../common/analysis/figure-text.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import {
  cloudOf,
  fidelitiesOf,
  LOWEST_FIDELITY,
  MIN_SHOTS,
  SHOWN_SHOTS,
  thresholdOf,
} from '../common/analysis/single-shots.ts';

/** Minimum distance of the centres in standard deviations, at which less than 7 % of the shots are assigned wrongly. */
const WELL_APART = 3;
const BINS = 60;

interface Clouds {
  ground: PlanePoints;
  excited: PlanePoints;
}

/**
 * Describes the single shots `iq_re`, `iq_im` over `state` (0 ground, 1 excited) and `shot` by two Gaussians in the IQ
 * plane, assigns each shot to the likelier one, and counts the fraction of correct assignments for each prepared state.
 * If one state scatters more than the other, the threshold is not midway.
 */
export function analyseReadoutClassification(input: AnalysisInput): Analysis {
  const clouds = readClouds(input.dataset);
  if (typeof clouds === 'string') return withoutFigures(clouds);
  const { ground, excited } = clouds;
  const fewest = Math.min(ground.x.length, excited.x.length);
  if (fewest < MIN_SHOTS) {
    return withoutFigures(`${fewest} shots of a state are too few; ${MIN_SHOTS} are needed`);
  }
  const common = fitGaussianMixture({ x: [...ground.x, ...excited.x], y: [...ground.y, ...excited.y] }, [
    { x: mean(ground.x), y: mean(ground.y) },
    { x: mean(excited.x), y: mean(excited.y) },
  ]);
  if (common === null) {
    const refused = 'the shots of both states do not fall into two clouds';
    return { outputs: {}, r2: null, figures: [planeFigure(input, clouds, null)], refused };
  }
  const mixture = withOwnWidths(common, [ground, excited]);
  const threshold = thresholdOf(mixture, ground.x.length + excited.x.length);
  const parts = fidelitiesOf([ground, excited], mixture, threshold);
  const { ground: fidelity0, excited: fidelity1, average } = parts;
  const figures = [
    histogramFigure(input, clouds, mixture, { average, fidelity0, fidelity1 }),
    planeFigure(input, clouds, mixture),
  ];
  if (average.value < LOWEST_FIDELITY) {
    const apart = separation(mixture);
    const reason =
      apart > WELL_APART ? 'the states are not prepared' : 'the two states cannot be distinguished';
    const refused = `${reason}: the average fidelity would be ${estimateText(average, '')}, with centres ${apart.toFixed(2)} standard deviations apart`;
    return { outputs: {}, r2: null, figures, refused };
  }
  return {
    outputs: {
      average_readout_fidelity: average,
      readout_fidelity_0: fidelity0,
      readout_fidelity_1: fidelity1,
    },
    r2: null,
    figures,
  };
}

/** The shots of both states, without missing ones; a message if they cannot be read. */
function readClouds(dataset: Dataset): Clouds | string {
  const problem = datasetProblem(dataset);
  if (problem !== null) return problem;
  const { iq_re: re, iq_im: im } = dataset.variables;
  const state = dataset.coordinates.state;
  if (re === undefined || im === undefined) return 'the dataset has no iq_re and iq_im';
  if (state === undefined) return 'the dataset has no coordinate state';
  const shots = dataset.dims.shot;
  if (shots === undefined || [re, im].some(({ dims }) => dims.join() !== 'state,shot')) {
    return 'iq_re and iq_im must have the dimensions state and shot';
  }
  const prepared = (number: number) => {
    const row = state.values.indexOf(number);
    const [from, to] = row < 0 ? [0, 0] : [row * shots, (row + 1) * shots];
    return cloudOf(re.values.slice(from, to), im.values.slice(from, to));
  };
  return { ground: prepared(0), excited: prepared(1) };
}

/** Direction from the first centre to the second, their distance, and a projection with zero midway. */
function axisOf({ centres: [first, second] }: GaussianMixture) {
  const distance = Math.hypot(second.x - first.x, second.y - first.y);
  const [ux, uy] = [(second.x - first.x) / distance, (second.y - first.y) / distance];
  const [middleX, middleY] = [(first.x + second.x) / 2, (first.y + second.y) / 2];
  const project = (x: number, y: number) => (x - middleX) * ux + (y - middleY) * uy;
  return { distance, ux, uy, project };
}

/** Distance of the centres in standard deviations along their line. */
function separation(mixture: GaussianMixture): number {
  const { distance, ux, uy } = axisOf(mixture);
  const { xx, xy, yy } = mixture.covariance;
  return distance / Math.sqrt(xx * ux * ux + 2 * xy * ux * uy + yy * uy * uy);
}

function histogramFigure(
  { task, qid }: AnalysisInput,
  { ground, excited }: Clouds,
  mixture: GaussianMixture,
  { average, fidelity0, fidelity1 }: Record<'average' | 'fidelity0' | 'fidelity1', Estimate>,
): Figure {
  const { project, distance } = axisOf(mixture);
  const projected = [ground, excited].map(({ x, y }) =>
    x.map((value, index) => project(value, y[index] ?? 0)),
  );
  const all = projected.flat();
  const [lowest, highest] = all.reduce(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
  const width = (highest - lowest) / BINS || 1;
  const middles = Array.from({ length: BINS }, (_, bin) => lowest + (bin + 0.5) * width);
  const counts = projected.map((values) => {
    const bins = middles.map(() => 0);
    for (const value of values) {
      const bin = Math.min(BINS - 1, Math.floor((value - lowest) / width));
      bins[bin] = (bins[bin] ?? 0) + 1;
    }
    return bins;
  });
  const top = Math.max(...counts.flat());
  // Both centres are half their distance from the middle. Decay and heating move shots of one state to the other.
  const narrow = distance / separation(mixture);
  const sigmas = [narrow, narrow * (mixture.widening ?? 1)] as const;
  const curves = projected.map((values, state) => {
    const weights = weightsOf(values, distance, sigmas);
    const scale = (values.length * width) / Math.sqrt(2 * Math.PI);
    return curveTrace(`Gaussians of ${state}`, middles, (at) =>
      [-distance / 2, distance / 2].reduce((sum, centre, cloud) => {
        const sigma = sigmas[cloud] ?? narrow;
        const density = Math.exp(-(((at - centre) / sigma) ** 2) / 2) / sigma;
        return sum + scale * (weights[cloud] ?? 0) * density;
      }, 0),
    );
  });
  const { x: boundaryX, y: boundaryY } = boundaryOf(mixture);
  const [ofGround = [], ofExcited = []] = counts;
  return composeFigure(
    [
      histogramTrace('prepared in 0', middles, ofGround),
      histogramTrace('prepared in 1', middles, ofExcited),
      ...curves,
      // Both states have equal prior probabilities, so with equal noise the assignment changes midway.
      markerTrace('threshold', project(boundaryX, boundaryY), 0, top),
    ],
    {
      title: `${subjectOf({ task, qid })} · fidelity = ${estimateText(average, '')}, F0 = ${fidelity0.value.toFixed(4)}, F1 = ${fidelity1.value.toFixed(4)}`,
      x: 'Position on the line between the centres (a.u.)',
      y: 'Shots',
    },
  );
}

const WEIGHT_STEPS = 40;

/** Fractions of the shots in the clouds of both states, by expectation–maximisation with fixed clouds. */
function weightsOf(
  values: readonly number[],
  distance: number,
  [narrow, other]: readonly [number, number],
): [number, number] {
  // Odds of the excited cloud at a position, without the weights.
  const odds = values.map((at) => {
    const logOdds =
      (((at + distance / 2) / narrow) ** 2 - ((at - distance / 2) / other) ** 2) / 2 -
      Math.log(other / narrow);
    return Math.exp(Math.max(-600, Math.min(600, logOdds)));
  });
  let excited = 0.5;
  for (let step = 0; step < WEIGHT_STEPS; step++) {
    const before = excited;
    excited = mean(odds.map((each) => (before * each) / (before * each + 1 - before)));
  }
  return [1 - excited, excited];
}

function planeFigure({ task, qid }: AnalysisInput, clouds: Clouds, mixture: GaussianMixture | null): Figure {
  const shown = ({ x, y }: PlanePoints) => [x.slice(0, SHOWN_SHOTS), y.slice(0, SHOWN_SHOTS)] as const;
  const data = [
    pointsTrace('prepared in 0', ...shown(clouds.ground)),
    pointsTrace('prepared in 1', ...shown(clouds.excited)),
  ];
  if (mixture !== null) {
    const { centres } = mixture;
    data.push(
      lineTrace(
        'line between the centres',
        centres.map(({ x }) => x),
        centres.map(({ y }) => y),
      ),
    );
  }
  const found =
    mixture === null
      ? 'no two clouds'
      : `centres ${separation(mixture).toFixed(2)} standard deviations apart`;
  return composeFigure(data, {
    title: `${subjectOf({ task, qid })} · ${found}`,
    x: 'I (a.u.)',
    y: 'Q (a.u.)',
    equalAspect: true,
  });
}
