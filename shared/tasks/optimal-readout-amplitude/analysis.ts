import type { Dataset } from '../../science/datasets/model.ts';
import { datasetProblem } from '../../science/datasets/rules.ts';
import {
  composeFigure,
  curveTrace,
  errorBarsTrace,
  lineTrace,
  markerTrace,
  pointsTrace,
} from '../../science/figures/compose.ts';
import type { Figure } from '../../science/figures/model.ts';
import { type Estimate, estimateText } from '../../science/fitting/estimate.ts';
import type { GaussianMixture, PlanePoints } from '../../science/fitting/gaussian-mixture.ts';
import { type FidelityCurve, fitFidelity, halfDistances } from '../../science/fitting/readout-fidelity.ts';
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
import { numberOf } from '../common/parameters.ts';
import { DEFAULT_FIDELITY_FRACTION } from './definition.ts';

const MIN_AMPLITUDES = 5;

/** Both clouds at one amplitude, and the fidelity with which their shots are distinguished. */
interface Step {
  amplitude: number;
  ground: PlanePoints;
  excited: PlanePoints;
  mixture: GaussianMixture | null;
  fidelity: Estimate;
}

/**
 * Classifies the single shots `iq_re`, `iq_im` over (`amplitude`, `state`, `shot`) at each readout amplitude by two
 * Gaussians and takes the smallest amplitude with the `fidelity_fraction` of the best fidelity, because a stronger
 * readout only disturbs the qubit more.
 */
export function analyseOptimalReadoutAmplitude(input: AnalysisInput): Analysis {
  const steps = readSteps(input.dataset);
  if (typeof steps === 'string') return withoutFigures(steps);
  const fraction = numberOf(input.runParameters.fidelity_fraction) ?? DEFAULT_FIDELITY_FRACTION;
  const apart = halfDistances(steps);
  const curve = fitFidelity(
    steps.map(({ amplitude, fidelity }, index) => ({
      amplitude,
      fidelity,
      apart: apart[index] ?? { value: 0, error: 0 },
    })),
    fraction,
  );
  const refused = refusal(steps, curve, fraction);
  const found = curve?.crossing ?? null;
  const amplitude = refused === null && found !== null ? found : undefined;
  const shown = shownStep(steps, amplitude);
  const figures = [
    fidelityFigure(input, steps, { curve, fraction, amplitude }),
    ...(shown === undefined
      ? []
      : (['ground', 'excited'] as const).map((state) => planeFigure(input, shown, state))),
  ];
  if (amplitude === undefined) {
    return { outputs: {}, r2: null, figures, refused: refused ?? 'no amplitude is found' };
  }
  return { outputs: { readout_amplitude: amplitude }, r2: null, figures };
}

/** The reason why no amplitude can be chosen; null if one can. */
function refusal(steps: readonly Step[], curve: FidelityCurve | null, fraction: number): string | null {
  const top = curve?.top ?? Math.max(...steps.map(({ fidelity }) => fidelity.value));
  if (top < LOWEST_FIDELITY) {
    return `the two states cannot be distinguished at any amplitude: the best fidelity is ${top.toFixed(3)}`;
  }
  const wanted = fraction * top;
  const isAboveAtOnce = curve === null ? (steps[0]?.fidelity.value ?? 0) >= wanted : curve.crossing === null;
  if (isAboveAtOnce) {
    return `the fidelity is above ${wanted.toFixed(4)} already at the smallest amplitude, so smaller ones must be measured`;
  }
  return curve === null ? 'the fidelities do not determine a curve' : curve.misfit;
}

function readSteps(dataset: Dataset): Step[] | string {
  const problem = datasetProblem(dataset);
  if (problem !== null) return problem;
  const { iq_re: re, iq_im: im } = dataset.variables;
  const { amplitude, state } = dataset.coordinates;
  if (re === undefined || im === undefined) return 'the dataset has no iq_re and iq_im';
  if (amplitude === undefined || state === undefined)
    return 'the dataset has no coordinates amplitude and state';
  if ([re, im].some(({ dims }) => dims.join() !== 'amplitude,state,shot')) {
    return 'iq_re and iq_im must have the dimensions amplitude, state and shot';
  }
  const shots = dataset.dims.shot ?? 0;
  const cloud = (row: number, prepared: number): PlanePoints => {
    const column = state.values.indexOf(prepared);
    const start = (row * state.values.length + column) * shots;
    const [from, to] = column < 0 ? [0, 0] : [start, start + shots];
    return cloudOf(re.values.slice(from, to), im.values.slice(from, to));
  };
  const steps = amplitude.values.flatMap((value, row): Step[] => {
    const [ground, excited] = [cloud(row, 0), cloud(row, 1)];
    if (value === null || Math.min(ground.x.length, excited.x.length) < MIN_SHOTS) return [];
    const mixture = describe(ground, excited);
    const fidelity = fidelityOf(ground, excited, mixture);
    return [{ amplitude: value, ground, excited, mixture, fidelity }];
  });
  if (steps.length < MIN_AMPLITUDES) {
    return `${steps.length} amplitudes with at least ${MIN_SHOTS} shots of either state are too few; ${MIN_AMPLITUDES} are needed`;
  }
  return steps.sort((a, b) => a.amplitude - b.amplitude);
}

/** Two Gaussians of common shape, fitted to clouds of known preparation. */
function describe(ground: PlanePoints, excited: PlanePoints): GaussianMixture | null {
  const centres = [ground, excited].map(({ x, y }) => ({ x: mean(x), y: mean(y) }));
  const [first, second] = centres;
  if (first === undefined || second === undefined) return null;
  let [xx, xy, yy] = [0, 0, 0];
  for (const [cloud, centre] of [
    [ground, first],
    [excited, second],
  ] as const) {
    for (const [index, x] of cloud.x.entries()) {
      const [dx, dy] = [x - centre.x, (cloud.y[index] ?? 0) - centre.y];
      xx += dx * dx;
      xy += dx * dy;
      yy += dy * dy;
    }
  }
  const count = ground.x.length + excited.x.length;
  const covariance = { xx: xx / count, xy: xy / count, yy: yy / count };
  if (!(covariance.xx * covariance.yy - covariance.xy ** 2 > 0)) return null;
  return { centres: [first, second], covariance, weight: excited.x.length / count };
}

/** Average fraction of correctly assigned shots. Its error is that of two binomials and of the threshold. */
function fidelityOf(ground: PlanePoints, excited: PlanePoints, mixture: GaussianMixture | null): Estimate {
  if (mixture === null) return { value: 0.5, error: 0.5 };
  const threshold = thresholdOf(mixture, ground.x.length + excited.x.length);
  return fidelitiesOf([ground, excited], mixture, threshold).average;
}

function fidelityFigure(
  { task, qid }: AnalysisInput,
  steps: readonly Step[],
  {
    curve,
    fraction,
    amplitude,
  }: { curve: FidelityCurve | null; fraction: number; amplitude: Estimate | undefined },
): Figure {
  const x = steps.map((step) => step.amplitude);
  const y = steps.map(({ fidelity }) => fidelity.value);
  const ends = [Math.min(...x), Math.max(...x)];
  const data = [
    errorBarsTrace(
      'fidelity',
      x,
      y,
      steps.map(({ fidelity }) => fidelity.error),
    ),
  ];
  if (curve !== null) {
    const wanted = fraction * curve.top;
    data.push(
      curveTrace('fit', x, curve.evaluate),
      lineTrace(`${Number((100 * fraction).toPrecision(4))} % of the best`, ends, [wanted, wanted]),
    );
  }
  if (amplitude !== undefined) {
    data.push(markerTrace('smallest amplitude with it', amplitude.value, Math.min(...y), Math.max(...y)));
  }
  const found = amplitude === undefined ? 'no usable amplitude' : estimateText(amplitude, 'a.u.');
  return composeFigure(data, {
    title: `${subjectOf({ task, qid })} · ${found}`,
    x: 'Readout amplitude (a.u.)',
    y: 'Average readout fidelity',
  });
}

/** The amplitude found, or the one with the best fidelity. */
function shownStep(steps: readonly Step[], amplitude?: Estimate): Step | undefined {
  return steps.reduce<Step | undefined>((best, step) => {
    if (best === undefined) return step;
    if (amplitude === undefined) return step.fidelity.value > best.fidelity.value ? step : best;
    const distance = ({ amplitude: each }: Step) => Math.abs(each - amplitude.value);
    return distance(step) < distance(best) ? step : best;
  }, undefined);
}

/** A prepared state's shots, on the same axes as those of the other state. */
function planeFigure({ task, qid }: AnalysisInput, shown: Step, state: 'ground' | 'excited'): Figure {
  const every = Math.max(1, Math.ceil(shown[state].x.length / SHOWN_SHOTS));
  const pick = (values: readonly number[]) => values.filter((_, index) => index % every === 0);
  const data = [pointsTrace('single shots', pick(shown[state].x), pick(shown[state].y))];
  if (shown.mixture !== null) {
    const { centres } = shown.mixture;
    data.push(
      lineTrace(
        'from centre to centre',
        centres.map(({ x }) => x),
        centres.map(({ y }) => y),
      ),
    );
  }
  const range = (side: 'x' | 'y'): [number, number] => {
    const all = [...pick(shown.ground[side]), ...pick(shown.excited[side])];
    return [Math.min(...all), Math.max(...all)];
  };
  return composeFigure(data, {
    title: `${subjectOf({ task, qid })} · prepared in ${state === 'ground' ? 0 : 1} at ${Number(shown.amplitude.toPrecision(4))} a.u.`,
    x: 'I (a.u.)',
    y: 'Q (a.u.)',
    equalAspect: true,
    ranges: { x: range('x'), y: range('y') },
  });
}
