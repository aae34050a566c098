import { readComplexMap } from '../../science/datasets/complex-map.ts';
import { composeFigure, heatmapTrace, markTrace } from '../../science/figures/compose.ts';
import { composeFit } from '../../science/figures/fit-figure.ts';
import type { Figure } from '../../science/figures/model.ts';
import {
  type CzChevronFit,
  type CzPoint,
  type CzStart,
  czStart,
  fitCzChevron,
  nearResonance,
} from '../../science/fitting/cz-chevron.ts';
import { type Estimate, estimateText, SIGNIFICANT } from '../../science/fitting/estimate.ts';
import { instrumentFault } from '../../science/fitting/instrument-fault.ts';
import { signalDeviations } from '../../science/fitting/measurement-noise.ts';
import { readPopulationScale } from '../../science/fitting/population-scale.ts';
import { fitName, subjectOf } from '../common/analysis/figure-text.ts';
import { fitJudged, type JudgedFit, parameterEstimate } from '../common/analysis/judged-fit.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { numberOf } from '../common/parameters.ts';
import type { NextPassSettings } from '../next-pass.ts';

const POPULATIONS = { ground: 0, excited: 1 };
const MIN_SIZE = { amplitudes: 8, times: 8 };
/** Maximum error of the amplitude, as a fraction of the splitting. */
const LARGEST_ERROR = 0.05;
/** Minimum fraction of the excitation that is exchanged at resonance. */
const MIN_EXCHANGED = 0.3;
/** Range of the next pass on either side of the resonance, in widths, and its number of amplitudes. */
const WIDTHS = 5;
const AMPLITUDES = 41;
/** Factor on the pulse lengths of the next pass if the excitation has not returned. */
const LONGER = 3;

/** The swept amplitudes and lengths in rising order, and the population at each. */
interface Sweep {
  amplitudes: number[];
  times: number[];
  points: CzPoint[];
}

/**
 * Fits the exchange of the lower qubit's excitation, `iq` over `time` (ns) and `flux_amplitude`. The amplitude of the
 * CZ pulse is that of the resonance, and its length is the time after which the excitation returns for the first time.
 */
export function analyseCzChevron(input: AnalysisInput): Analysis {
  const { dataset, runParameters } = input;
  const scale = readPopulationScale(dataset);
  if (typeof scale === 'string') return withoutFigures(scale);
  const fault = instrumentFault(dataset, ['iq'], scale);
  if (fault !== null) return withoutFigures(fault);
  const map = readComplexMap(dataset, 'time', 'flux_amplitude', 'iq');
  if (typeof map === 'string') return withoutFigures(map);
  const sweep: Sweep = {
    amplitudes: map.x,
    times: map.y,
    points: map.y.flatMap((time, row) =>
      map.x.flatMap((amplitude, column) => {
        const population = scale.population(
          map.re[row]?.[column] ?? Number.NaN,
          map.im[row]?.[column] ?? Number.NaN,
        );
        return Number.isFinite(population) ? [{ amplitude, time, population }] : [];
      }),
    ),
  };
  const limit = numberOf(input.inputs.flux_pulse_limit);
  if (map.x.length < MIN_SIZE.amplitudes || map.y.length < MIN_SIZE.times) {
    return withoutFigures(
      `${map.x.length} amplitudes and ${map.y.length} lengths are too few to find a resonance${cutText(map.x, limit)}`,
    );
  }
  const start = czStart(sweep.points);
  const near = nearResonance(sweep.points, start);
  const judged = fitJudged<CzChevronFit>({
    y: near.map(({ population }) => population),
    across: scale.across,
    fitTo: (indices, sigma) =>
      fitCzChevron(
        indices.flatMap((index) => near[index] ?? []),
        start,
        sigma,
      ),
    deviations: ({ fitted }) =>
      signalDeviations(fitted, POPULATIONS, scale.across, numberOf(runParameters.shots)),
  });
  const { fit } = judged.found;
  const problem = problemOf(sweep, judged, {
    start,
    limit,
    longestAllowed: input.task.runParameters.time_range?.bounds?.maximum,
  });
  const found = problem === null ? outputsOf(judged) : null;
  const figures = [mapFigure(input, sweep, found), lineFigure(input, near, judged)];
  if (problem !== null || found === null) {
    const { reason = 'no usable fit', again } = problem ?? {};
    return { outputs: {}, r2: fit.r2, figures, refused: reason, ...(again && { again }) };
  }
  return { outputs: found, r2: fit.r2, figures };
}

type Outputs = Record<'cz_flux_amplitude' | 'cz_gate_time' | 'cz_splitting', Estimate>;

function outputsOf({ found: { fit } }: JudgedFit<CzChevronFit>): Outputs | null {
  if (!fit.ok) return null;
  const [, splitting = 0, , ramp = 0] = fit.parameters;
  // t = t₀ + 1/g, whose errors are correlated.
  const slope = -1 / splitting ** 2;
  const variance =
    (fit.covariance[3]?.[3] ?? 0) +
    slope ** 2 * (fit.covariance[1]?.[1] ?? 0) +
    2 * slope * (fit.covariance[1]?.[3] ?? 0);
  const inMHz = (estimate: Estimate) => ({ value: 1000 * estimate.value, error: 1000 * estimate.error });
  return {
    cz_flux_amplitude: parameterEstimate(fit, 0),
    cz_gate_time: { value: ramp + 1 / splitting, error: Math.sqrt(Math.max(0, variance)) },
    cz_splitting: inMHz(parameterEstimate(fit, 1)),
  };
}

/**
 * Position and width of the resonance in amplitude, and the exchanged fraction: from the fit, or from its start values
 * if it failed.
 */
function resonanceOf({ found: { fit } }: JudgedFit<CzChevronFit>, start: CzStart) {
  const { centre, splitting, slope, part } = start;
  const begun = { centre, width: splitting / slope, part: { value: part, error: 0 } };
  if (!fit.ok) return begun;
  const [found = 0, g = 0, s = 0] = fit.parameters;
  const exchanged = parameterEstimate(fit, 5);
  const isSane = g > 0 && exchanged.value < 2;
  return isSane ? { centre: found, width: Math.abs(g / s), part: exchanged } : begun;
}

/** The end of a message if the sweep ends at the limit of the flux line; otherwise empty. */
function cutText(amplitudes: readonly number[], limit = Number.POSITIVE_INFINITY): string {
  const [before, last] = amplitudes.slice(-2);
  const isCut = last !== undefined && last + Math.max(0, last - (before ?? last)) > limit;
  return isCut ? `; flux_pulse_limit limits the sweep to ${limit}` : '';
}

/** The reason why the chevron cannot be used, and the sweep to measure instead; null if it can be used. */
function problemOf(
  { amplitudes, times }: Sweep,
  judged: JudgedFit<CzChevronFit>,
  {
    start,
    limit = 1,
    longestAllowed = Number.POSITIVE_INFINITY,
  }: { start: CzStart; limit: number | undefined; longestAllowed: number | undefined },
): { reason: string; again?: NextPassSettings } | null {
  const { fit } = judged.found;
  const { centre, width, part } = resonanceOf(judged, start);
  const cut = cutText(amplitudes, limit);
  const [from, to] = [amplitudes[0] ?? 0, amplitudes.at(-1) ?? 0];
  if (!(part.value > SIGNIFICANT * part.error && part.value > MIN_EXCHANGED)) {
    return {
      reason: `no amplitude takes the excitation away: ${estimateText(part, '')} of it would leave at ${centre.toPrecision(3)}${cut}`,
    };
  }
  const about = (reach: number) => [Math.max(0, centre - reach), Math.min(limit, centre + reach)] as const;
  const count = amplitudes.length;
  if (!(centre > from + width && centre < to - width)) {
    const again = nextSweep(about((to - from) / 2), count, 'the resonance is at the edge of the sweep');
    const isPlayable = centre > 0 && centre + width < limit;
    return {
      reason: `the resonance is not within the sweep: it would be at ${centre.toPrecision(3)}${cut}`,
      ...(isPlayable && { again }),
    };
  }
  const step = (to - from) / (count - 1);
  if (step > width / 2) {
    const reach = Math.max(WIDTHS * width, 2 * step);
    return {
      reason: `amplitudes ${step.toPrecision(2)} apart are too coarse for a resonance ${width.toPrecision(2)} wide`,
      again: nextSweep(about(reach), AMPLITUDES, 'only a few amplitudes determine the resonance'),
    };
  }
  if (!fit.ok) return { reason: fit.message };
  const [, splitting = 0, , ramp = 0] = fit.parameters;
  const longest = times.at(-1) ?? 0;
  const timeStep = (longest - (times[0] ?? 0)) / (times.length - 1);
  if (splitting > 0.5 / timeStep) return { reason: 'the exchange is too fast for the sweep of lengths' };
  if (ramp + 1 / splitting > longest) {
    const reason = `the excitation is not back within ${longest} ns`;
    if (!(longest < longestAllowed)) return { reason };
    // The number of lengths stays the same.
    const factor = Math.min(LONGER, longestAllowed / longest);
    const value = [0, Math.min(longestAllowed, factor * longest + timeStep), factor * timeStep];
    return { reason, again: { run: { time_range: { value, value_type: 'np.arange' } }, reason } };
  }
  const amplitude = parameterEstimate(fit, 0);
  if (!(amplitude.error < LARGEST_ERROR * width)) {
    return { reason: `the resonance is lost in noise: the fit gives ${estimateText(amplitude, '')}` };
  }
  return judged.judgement?.problem ? { reason: judged.judgement.problem } : null;
}

function nextSweep([from, to]: readonly [number, number], count: number, reason: string): NextPassSettings {
  return {
    run: { flux_amplitude_range: { value: [from, to, count], value_type: 'np.linspace' } },
    reason,
  };
}

function mapFigure(
  input: AnalysisInput,
  { amplitudes, times, points }: Sweep,
  found: Outputs | null,
): Figure {
  const byPlace = new Map(
    points.map(({ amplitude, time, population }) => [`${amplitude} ${time}`, population]),
  );
  const rows = times.map((time) =>
    amplitudes.map((amplitude) => byPlace.get(`${amplitude} ${time}`) ?? null),
  );
  const mark =
    found === null
      ? []
      : [
          markTrace(
            'CZ pulse',
            { x: [found.cz_flux_amplitude.value], y: [found.cz_gate_time.value] },
            'found',
          ),
        ];
  const resultText =
    found === null
      ? 'no usable fit'
      : `CZ: ${estimateText(found.cz_flux_amplitude, 'a.u.')}, ${estimateText(found.cz_gate_time, 'ns')}`;
  return composeFigure([heatmapTrace('population of the lower qubit', amplitudes, times, rows), ...mark], {
    title: `${subjectOf(input)} · ${resultText}`,
    x: 'Flux amplitude (a.u.)',
    y: 'Length (ns)',
  });
}

function lineFigure(
  input: AnalysisInput,
  points: readonly CzPoint[],
  { found, kept, sigma }: JudgedFit<CzChevronFit>,
): Figure {
  const centre = found.fit.ok ? (found.fit.parameters[0] ?? 0) : 0;
  const nearest = points.reduce(
    (best, { amplitude }) => (Math.abs(amplitude - centre) < Math.abs(best - centre) ? amplitude : best),
    points[0]?.amplitude ?? 0,
  );
  const shown = kept.flatMap((index, place) => {
    const point = points[index];
    return point?.amplitude === nearest ? [{ ...point, sigma: sigma?.[place] }] : [];
  });
  const deviations = shown.flatMap((point) => point.sigma ?? []);
  return composeFit(
    [
      {
        name: 'data',
        x: shown.map(({ time }) => time),
        y: shown.map(({ population }) => population),
        sigma: deviations.length === shown.length ? deviations : undefined,
        curve: found.fit.ok
          ? { name: fitName(found.fit.r2), at: (time: number) => found.evaluate(nearest, time) }
          : null,
      },
    ],
    {
      title: `${subjectOf(input)} · flux amplitude ${nearest.toPrecision(4)}`,
      x: 'Length of the flux pulse (ns)',
      y: 'Population of the lower qubit',
    },
  );
}
