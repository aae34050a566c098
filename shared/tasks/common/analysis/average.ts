import { AVERAGED_RUNS } from '../../../science/conventions/averages.ts';
import type { Dataset } from '../../../science/datasets/model.ts';
import { datasetProblem } from '../../../science/datasets/rules.ts';
import {
  errorBarsTrace,
  histogramTrace,
  lineTrace,
  pointsTrace,
  unnamed,
} from '../../../science/figures/compose.ts';
import type { Figure } from '../../../science/figures/model.ts';
import { composePanels } from '../../../science/figures/panels.ts';
import { type Estimate, estimateText } from '../../../science/fitting/estimate.ts';
import { lossProbabilities, momentsOf, type Weighted } from '../../../science/fitting/gain-compression.ts';
import { mean, standardDeviation } from '../../../science/fitting/statistics.ts';
import { studentReach } from '../../../science/fitting/student.ts';
import { numberOf } from '../parameters.ts';
import { lossNotes } from './compressed-decay.ts';
import { type DecayFit, type DecayName, decayFigure, fitDecay, movesOfTime, withLosses } from './decay.ts';
import { subjectOf } from './figure-text.ts';
import type { Analysis, AnalysisInput } from './model.ts';
import { withoutFigures } from './results.ts';

/** Minimum fraction of the runs in which a decay must be found. */
const NEEDED_SHARE = 0.5;

/** One run in which a decay was found. */
interface Run {
  number: number;
  time: Estimate;
  r2: number;
  /** Shift of the decay time for each possible loss of the amplifier, us; empty if unknown. */
  moves: readonly Weighted[];
}

/**
 * Fits the decay of every run separately and averages the times. The runs' standard deviation is the separate output
 * `spread`: the scatter to expect of a single run.
 */
export function analyseAverage(input: AnalysisInput, name: DecayName & { spread: string }): Analysis {
  const parts = splitRuns(input.dataset);
  if (typeof parts === 'string') return withoutFigures(parts);
  const shots = numberOf(input.runParameters.shots);
  // The asymptote has the same error in all n runs. An error that is √n times larger in each run gives the correct
  // error of their mean.
  const end = { ...name.end, error: Math.sqrt(parts.length) * name.end.error };
  const plain = parts.map((dataset) => fitDecay(dataset, shots, { ...name, end }));
  const { losses, fits } = allowingForLosses(plain);
  const drawn = fits.flatMap((fit, index) =>
    typeof fit === 'string' ? [] : [decayFigure(input, name, fit, `run ${index + 1}`)],
  );
  const runs = fits.flatMap((fit, index): Run[] =>
    typeof fit === 'string' || fit.time === null
      ? []
      : [{ number: index + 1, time: fit.time, r2: fit.r2 ?? 0, moves: movesOfTime(fit, losses) }],
  );
  const qualities = fits.flatMap((fit) => (typeof fit === 'string' || fit.r2 === null ? [] : [fit.r2]));
  const r2 = qualities.length === 0 ? null : mean(qualities);
  const needed = Math.max(AVERAGED_RUNS.fewest, Math.ceil(NEEDED_SHARE * parts.length));
  if (runs.length < needed) {
    const refused = `${runs.length} of ${parts.length} runs give a decay; ${needed} are needed${firstReason(fits)}`;
    return { outputs: {}, r2, figures: drawn, refused };
  }
  const times = runs.map(({ time }) => time.value);
  const spread = standardDeviation(times);
  const notes = lossNotes(losses);
  const average = { value: mean(times), error: errorOfMean(runs, spread) };
  return {
    outputs: {
      [name.output]: average,
      [name.spread]: { value: spread, error: spread / Math.sqrt(2 * (runs.length - 1)) },
    },
    r2,
    figures: [overview(input, name, runs, { average, spread }), ...drawn],
    ...(notes.length > 0 && { notes }),
  };
}

/** The fits with times that take a compressing amplifier into account, which is the same in all runs. */
function allowingForLosses(fits: readonly (DecayFit | string)[]) {
  const lossy = fits.flatMap((fit) => (typeof fit === 'string' || fit.lossy === null ? [] : [fit.lossy]));
  if (lossy.length === 0) return { losses: null, fits };
  const losses = lossProbabilities(lossy);
  return { losses, fits: fits.map((fit) => (typeof fit === 'string' ? fit : withLosses(fit, losses))) };
}

/**
 * Error of the mean of runs: from their scatter, with the quantile of Student's t for their number. Runs may agree by
 * chance, as two often do, so the error is at least that which follows from the runs' own errors. The uncertainty of
 * the amplifier is common to all runs, so their number does not reduce it.
 */
function errorOfMean(runs: readonly Run[], spread: number): number {
  const ofScatter = (studentReach(runs.length - 1) * spread) / Math.sqrt(runs.length);
  const own = runs.map(({ time, moves }) =>
    Math.sqrt(Math.max(0, time.error ** 2 - momentsOf(moves).error ** 2)),
  );
  return Math.hypot(Math.max(ofScatter, Math.hypot(...own) / runs.length), momentsOf(meanMoves(runs)).error);
}

/** Shift of the mean of the runs for each loss of the amplifier. */
function meanMoves(runs: readonly Run[]): Weighted[] {
  const weights = runs.find(({ moves }) => moves.length > 0)?.moves ?? [];
  return weights.map(({ weight }, index) => ({
    value: mean(runs.map(({ moves }) => moves[index]?.value ?? 0)),
    weight,
  }));
}

function firstReason(fits: readonly (DecayFit | string)[]): string {
  for (const fit of fits) {
    if (typeof fit === 'string') return `: ${fit}`;
    if (fit.refused !== null) return `: ${fit.refused}`;
  }
  return '';
}

/** The dataset of each run along the first dimension `run`; a message if that dimension is missing. */
function splitRuns(dataset: Dataset): Dataset[] | string {
  const problem = datasetProblem(dataset);
  if (problem !== null) return problem;
  const { run: count, ...dims } = dataset.dims;
  if (count === undefined) return 'the dataset has no dimension run';
  if (count > AVERAGED_RUNS.most)
    return `${count} runs are more than the ${AVERAGED_RUNS.most} that are fitted`;
  const { run: _, ...coordinates } = dataset.coordinates;
  const variables = Object.entries(dataset.variables);
  const other = variables.find(([, variable]) => variable.dims[0] !== 'run');
  if (other !== undefined) return `${other[0]} must have run as its first dimension`;
  return Array.from({ length: count }, (_run, index) => ({
    dims,
    coordinates,
    variables: Object.fromEntries(
      variables.map(([name, variable]) => {
        const size = variable.values.length / count;
        const values = variable.values.slice(index * size, (index + 1) * size);
        return [name, { ...variable, dims: variable.dims.slice(1), values }];
      }),
    ),
  }));
}

/** Four panels: the runs with their errors, their deviations in percent, the histogram of the values, and the fits' r². */
function overview(
  { task, qid }: AnalysisInput,
  { symbol }: DecayName,
  runs: readonly Run[],
  { average, spread }: { average: Estimate; spread: number },
): Figure {
  const numbers = runs.map(({ number }) => number);
  const values = runs.map(({ time }) => time.value);
  const ends = [Math.min(...numbers) - 0.5, Math.max(...numbers) + 0.5];
  const level = (name: string, value: number) => lineTrace(name, ends, [value, value]);
  const dashed = (name: string, value: number) => ({
    ...level(name, value),
    line: { dash: 'dash' as const },
  });
  const { middles, counts } = histogram(values);
  return composePanels(
    [
      {
        data: [
          errorBarsTrace(
            'runs',
            numbers,
            values,
            runs.map(({ time }) => time.error),
          ),
          level('mean', average.value),
          dashed('mean + std', average.value + spread),
          dashed('mean − std', average.value - spread),
        ],
        x: 'Run',
        y: `${symbol} (µs)`,
      },
      {
        data: [
          unnamed(
            pointsTrace(
              'fluctuation',
              numbers,
              values.map((value) => 100 * (value / average.value - 1)),
            ),
          ),
          unnamed(level('average', 0)),
        ],
        x: 'Run',
        y: 'Deviation (%)',
      },
      { data: [unnamed(histogramTrace('runs', middles, counts))], x: `${symbol} (µs)`, y: 'Runs' },
      {
        data: [
          unnamed(
            pointsTrace(
              'r²',
              numbers,
              runs.map(({ r2 }) => r2),
            ),
          ),
        ],
        x: 'Run',
        y: 'r² of the fit',
      },
    ],
    {
      title: `${subjectOf({ task, qid })} · ${symbol} = ${estimateText(average, 'µs')}, std ${spread.toPrecision(2)} µs`,
      columns: 2,
      legend: true,
    },
  );
}

/** Histogram with bins of equal width; their number is the square root of the number of values, but at least five. */
function histogram(values: readonly number[]): { middles: number[]; counts: number[] } {
  const bins = Math.max(5, Math.ceil(Math.sqrt(values.length)));
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  const width = (highest - lowest) / bins || Math.abs(lowest) * 0.01 || 1;
  const counts = Array.from({ length: bins }, () => 0);
  for (const value of values) {
    const bin = Math.min(bins - 1, Math.floor((value - lowest) / width));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return { middles: counts.map((_, index) => lowest + (index + 0.5) * width), counts };
}
