import type { DatasetVariable } from '../../science/datasets/model.ts';
import { readComplexSweep } from '../../science/datasets/rules.ts';
import {
  errorBarsTrace,
  lineTrace,
  markerTrace,
  pointsTrace,
  unnamed,
} from '../../science/figures/compose.ts';
import type { Figure } from '../../science/figures/model.ts';
import { composePanels } from '../../science/figures/panels.ts';
import { type Estimate, estimateText } from '../../science/fitting/estimate.ts';
import { correlation } from '../../science/fitting/statistics.ts';
import { sweepProblem } from '../../science/fitting/sweep-problem.ts';
import { subjectOf } from '../common/analysis/figure-text.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { numberOf } from '../common/parameters.ts';

/**
 * Minimum correlation of signal and amplitude. The signal is proportional to the amplitude until the line saturates.
 */
const MIN_CORRELATION = 0.8;

interface Ratio {
  amplitude: number;
  signal: number;
  noise: number;
  ratio: number;
  error: number;
}

/** Finds the smallest amplitude at which |mean IQ| divided by the scatter of single shots reaches the threshold. */
export function analyseReadoutAmplitude(input: AnalysisInput): Analysis {
  const read = readComplexSweep(input.dataset, 'amplitude', 'iq');
  if (typeof read === 'string') return withoutFigures(read);
  const unusable = sweepProblem(read);
  if (unusable !== null) return withoutFigures(unusable);
  const noise = input.dataset.variables.noise;
  if (noise === undefined || noise.dims.length !== 1 || noise.dims[0] !== 'amplitude') {
    return withoutFigures('the dataset has no noise over the amplitude');
  }
  const threshold = numberOf(input.runParameters.snr_threshold) ?? 1;
  const ratios = ratiosOf(input, noise);
  const found = firstCrossing(ratios, threshold);
  const figure = figureOf(input, ratios, threshold, found);
  if (typeof found === 'string') return { outputs: {}, r2: null, figures: [figure], refused: found };
  return { outputs: { readout_amplitude: found }, r2: null, figures: [figure] };
}

/**
 * Signal, noise and their ratio over the amplitude, one below the other. The ratio has the threshold and the result.
 */
function figureOf(
  { task, qid }: AnalysisInput,
  ratios: readonly Ratio[],
  threshold: number,
  found: Estimate | string,
): Figure {
  const amplitudes = ratios.map(({ amplitude }) => amplitude);
  const [first = 0, last = 0] = [amplitudes[0], amplitudes.at(-1)];
  const highest = Math.max(threshold, ...ratios.map(({ ratio }) => ratio));
  const x = 'Readout amplitude (a.u.)';
  const points = (name: string, value: (ratio: Ratio) => number) =>
    pointsTrace(name, amplitudes, ratios.map(value));
  return composePanels(
    [
      { data: [unnamed(points('signal', ({ signal }) => signal))], x, y: 'Signal (a.u.)' },
      { data: [unnamed(points('noise', ({ noise }) => noise))], x, y: 'Noise (a.u.)' },
      {
        data: [
          errorBarsTrace(
            'signal over noise',
            amplitudes,
            ratios.map(({ ratio }) => ratio),
            ratios.map(({ error }) => error),
          ),
          lineTrace(`threshold ${threshold}`, [first, last], [threshold, threshold]),
          ...(typeof found === 'string' ? [] : [markerTrace('chosen amplitude', found.value, 0, highest)]),
        ],
        x,
        y: 'Signal over noise',
      },
    ],
    {
      title: `${subjectOf({ task, qid })} · ${typeof found === 'string' ? 'no usable amplitude' : `amplitude ${estimateText(found, 'a.u.')}`}`,
      columns: 1,
      legend: true,
    },
  );
}

/**
 * Signal over noise with its standard error: the mean of N shots scatters by σ/√N along its direction, where σ² is half
 * the square of the scatter in the plane; the relative error of that scatter is 1/√(4 N).
 */
function ratiosOf({ dataset, runParameters }: AnalysisInput, noise: DatasetVariable): Ratio[] {
  const shots = numberOf(runParameters.shots) ?? 1024;
  const values = (variable: DatasetVariable | undefined) => variable?.values ?? [];
  const [re, im] = [values(dataset.variables.iq_re), values(dataset.variables.iq_im)];
  return values(dataset.coordinates.amplitude)
    .flatMap((amplitude, index) => {
      const [a, b, scatter] = [re[index], im[index], noise.values[index]];
      if (typeof a !== 'number' || typeof b !== 'number' || amplitude === null) return [];
      if (typeof scatter !== 'number' || !(scatter > 0)) return [];
      const signal = Math.hypot(a, b);
      const ratio = signal / scatter;
      const error = Math.sqrt(1 / (2 * shots) + ratio ** 2 / (4 * shots));
      return [{ amplitude, signal, noise: scatter, ratio, error }];
    })
    .sort((a, b) => a.amplitude - b.amplitude);
}

function firstCrossing(ratios: readonly Ratio[], threshold: number): Estimate | string {
  const found = correlation(
    ratios.map(({ amplitude }) => amplitude),
    ratios.map(({ ratio }) => ratio),
  );
  const follows = Number.isFinite(found) ? found : 0;
  if (!(follows >= MIN_CORRELATION)) {
    return `signal over noise does not grow with the amplitude: their correlation is ${follows.toFixed(2)}, less than ${MIN_CORRELATION}`;
  }
  const index = ratios.findIndex(({ ratio }) => ratio >= threshold);
  const [below, above] = [ratios[index - 1], ratios[index]];
  if (above === undefined) {
    const best = Math.max(0, ...ratios.map(({ ratio }) => ratio));
    return `signal over noise reaches ${best.toPrecision(3)}, less than the required ${threshold}`;
  }
  if (below === undefined) {
    return `signal over noise is ${above.ratio.toPrecision(3)} already at the lowest amplitude, ${above.amplitude}`;
  }
  const slope = (above.ratio - below.ratio) / (above.amplitude - below.amplitude);
  const part = (threshold - below.ratio) / (above.ratio - below.ratio);
  return {
    value: below.amplitude + part * (above.amplitude - below.amplitude),
    error: Math.hypot((1 - part) * below.error, part * above.error) / slope,
  };
}
