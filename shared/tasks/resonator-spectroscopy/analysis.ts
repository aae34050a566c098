import { OTHER_KAPPAS_GHZ, USUAL_KAPPA_GHZ } from '../../science/conventions/readout.ts';
import type { ComplexMap } from '../../science/datasets/complex-map.ts';
import { composeFigure, heatmapTrace, markLineTrace, markTrace } from '../../science/figures/compose.ts';
import type { Figure } from '../../science/figures/model.ts';
import { type Estimate, estimateText } from '../../science/fitting/estimate.ts';
import {
  fitReflection,
  type ReflectionPoint,
  type ResonatorFit,
} from '../../science/fitting/resonator-fit.ts';
import { mean } from '../../science/fitting/statistics.ts';
import { subjectOf } from '../common/analysis/figure-text.ts';
import { finerSweep } from '../common/analysis/finer-sweep.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { type Assignment, assignmentOf, ownLine } from '../common/analysis/resonator-assignment.ts';
import {
  type CoarseMap,
  coarseMap,
  dressedBoundary,
  FIT_REACH_GHZ,
  followResonators,
  highestLike,
  highFrequencyStrength,
  likelyKappas,
  lowestClearRow,
  lowestUsableRow,
  type StepMap,
  spurColumns,
  type Trace,
  USUAL_SPACING_GHZ,
} from '../common/analysis/resonator-map.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { readPowerMap } from '../common/analysis/spectroscopy.ts';
import { numberOf } from '../common/parameters.ts';
import type { NextPassSettings } from '../next-pass.ts';

/** Distance of the readout power below the highest power at which the resonators are in their dressed state, dB. */
const BACKED_OFF = 5;
/** Maximum error of a frequency: in GHz, and as a fraction of the line width for fits that span more than the width. */
const LARGEST_ERROR = 1e-3;
const ERROR_OF_WIDTH = 0.1;
/** A fit with a larger chi-square and a smaller r2 than these does not describe a single resonator. */
const MISFIT = 5;
const SINGLE_RESONATOR_R2 = 0.97;

interface Settings extends Assignment {
  byStrength: boolean;
  strengthLimit: number;
  leastCorrelation: number;
  highPower: { from: number; to: number };
  lowPower: number;
}

/** The results of the line, which all its qubits share. */
interface LineFindings {
  map: StepMap;
  traces: Trace[];
  /**
   * Rows: the highest with resonators in their dressed state, the lowest above the noise, and that of the readout
   * power.
   */
  boundary: number;
  usable: number;
  optimal: number;
}

/** The fitted frequency of a resonator. */
interface Found {
  trace: Trace;
  /** Highest row that was fitted. */
  row: number;
  fit: ResonatorFit;
  estimate: Estimate;
}

/**
 * Finds the resonators of a readout line in a map of |phase step| over power and frequency, identifies that of this
 * qubit, and fits its reflection at the powers at which it is in its dressed state.
 */
export function analyseResonatorSpectroscopy(input: AnalysisInput): Analysis {
  const signal = readPowerMap(input.dataset);
  if (typeof signal === 'string') return withoutFigures(signal);
  const map = coarseMap(signal);
  const raw = mapFigure(input, map, { role: 'raw', resultText: 'phase steps' });
  const refuse = (refused: string, line?: LineFindings, again?: NextPassSettings): Analysis => ({
    outputs: {},
    r2: null,
    figures: [markedFigure(input, map, line), raw],
    refused,
    ...(again && { again }),
  });
  const settings = settingsOf(input);
  if (typeof settings === 'string') return refuse(settings);
  const line = findLine(map, settings);
  if (typeof line === 'string') return refuse(line);
  const trace = ownTrace(input, line, settings);
  if (typeof trace === 'string') {
    const isOneMissing = line.traces.length < settings.resonators;
    return refuse(trace, line, isOneMissing ? finerSweep(input, signal.x, USUAL_SPACING_GHZ / 2) : undefined);
  }
  const found = fitTrace(signal, line, trace, settings.leastCorrelation);
  if (typeof found === 'string') return refuse(found, line, finerSweep(input, signal.x));
  const power = map.powers[found.row] ?? 0;
  return {
    outputs: {
      readout_frequency: found.estimate,
      // The power is chosen from the sweep, not measured, so it has no error.
      optimal_power: { value: power, error: 0 },
      readout_amplitude: { value: 10 ** (power / 20), error: 0 },
    },
    r2: found.fit.fit.r2,
    figures: [markedFigure(input, map, line, found), raw],
  };
}

function settingsOf(input: AnalysisInput): Settings | string {
  const { runParameters: run } = input;
  const number = (name: string, otherwise: number) => numberOf(run[name]) ?? otherwise;
  const assignment = assignmentOf(input);
  if (typeof assignment === 'string') return assignment;
  const estimator = run.bare_shift_estimator_type?.value ?? 'high_frequency_strength';
  if (estimator !== 'high_frequency_strength' && estimator !== 'config') {
    return `there is no bare_shift_estimator_type ${JSON.stringify(estimator)}`;
  }
  return {
    ...assignment,
    byStrength: estimator === 'high_frequency_strength',
    strengthLimit: number('bare_shift_strength_limit', 4),
    leastCorrelation: number('minimum_usable_power_correlation_coefficient_min', 0.9),
    highPower: { from: number('high_power_min', -20), to: number('high_power_max', 0) },
    lowPower: number('low_power', -30),
  };
}

/** The row of a power, or of the next lower one. */
function rowAt(powers: readonly number[], power: number): number {
  return Math.max(0, powers.filter((each) => each <= power + 1e-9).length - 1);
}

function findLine(map: CoarseMap, settings: Settings): LineFindings | string {
  const { powers, steps, thinned } = map;
  let [boundary, high] = [rowAt(powers, settings.lowPower), [] as number[]];
  if (settings.byStrength) {
    const found = dressedBoundary(thinned.map(highFrequencyStrength), settings.strengthLimit);
    const row =
      'row' in found
        ? highestLike(steps, found, settings.leastCorrelation)
        : lowestClearRow(map, settings.leastCorrelation, 2 * BACKED_OFF);
    if (row === undefined) {
      const lowest = 'lowest' in found ? found.lowest : Number.NaN;
      return `no power shows resonators at rest: the strength of fast changes is at least ${lowest.toFixed(2)}, its limit ${settings.strengthLimit}, and no power looks like the next`;
    }
    boundary = row;
    high = powers.flatMap((_, row) => (row > boundary ? [row] : []));
  } else {
    const { from, to } = settings.highPower;
    high = powers.flatMap((power, row) => (power >= from - 1e-9 && power <= to + 1e-9 ? [row] : []));
  }
  const traces = followResonators(map, high.reverse(), boundary, settings.resonators);
  const usable = lowestUsableRow(steps, boundary, settings.leastCorrelation);
  const optimal = Math.max(usable, rowAt(powers, (powers[boundary] ?? 0) - BACKED_OFF));
  return { map, traces, boundary, usable, optimal };
}

/** The resonator of this qubit. */
function ownTrace(
  { qid, inputs }: AnalysisInput,
  { map, traces }: LineFindings,
  settings: Settings,
): Trace | string {
  const seen = {
    at: traces.map(({ low }) => map.frequencies[low] ?? 0),
    earlier: numberOf(inputs.readout_frequency),
    reach: FIT_REACH_GHZ,
  };
  const own = ownLine(qid, seen, settings);
  return typeof own === 'string' ? own : (traces[own] ?? `line ${own} is not there`);
}

/** Rows of a fit, and its start values: frequency and line width, GHz. */
interface Attempt {
  from: number;
  to: number;
  frequency: number;
  kappa: number;
}

/** The column near a frequency at which the phase of a row changes fastest. */
function steepestNear({ frequencies, steps }: StepMap, row: number, near: number): number {
  const there = frequencies.flatMap((each, column) =>
    Math.abs(each - near) < FIT_REACH_GHZ ? [{ frequency: each, step: steps[row]?.[column] ?? 0 }] : [],
  );
  return there.reduce((best, each) => (each.step > best.step ? each : best), { frequency: near, step: 0 })
    .frequency;
}

function fitTrace(
  signal: ComplexMap,
  line: LineFindings,
  trace: Trace,
  leastCorrelation: number,
): Found | string {
  const { map, usable, optimal } = line;
  const seen = map.frequencies[trace.low] ?? 0;
  const noise = noiseSquare(signal);
  const attempt = (rows: Attempt) => fitRows(signal, { map, trace, noise }, rows);
  let refused: string | undefined;
  for (const kappa of likelyKappas(map, optimal, trace.low)) {
    const found = attempt({ from: usable, to: optimal, frequency: seen, kappa });
    if (typeof found !== 'string') return found;
    refused ??= found;
  }
  // At this power the resonators of the line are in their dressed state, except a narrow one. That one is dressed at
  // powers that agree with the next lower one.
  let above: Found | undefined;
  for (let row = optimal - 1; row >= 0; row -= 1) {
    const from = lowestUsableRow(map.steps, row, leastCorrelation);
    for (const kappa of OTHER_KAPPAS_GHZ.filter((each) => each < USUAL_KAPPA_GHZ)) {
      const found = attempt({ from, to: row, frequency: steepestNear(map, row, seen), kappa });
      if (typeof found === 'string') continue;
      if (above !== undefined && agree(above.estimate, found.estimate)) return found;
      above = found;
      break;
    }
  }
  return refused ?? 'there is nothing to fit';
}

/** Differences beyond this many standard errors are significant. */
const CHANCE = 3;

function agree(one: Estimate, other: Estimate): boolean {
  return Math.abs(one.value - other.value) < CHANCE * Math.hypot(one.error, other.error);
}

/** Fits the reflection in the given rows near the frequency at which the resonator was seen. */
function fitRows(
  signal: ComplexMap,
  { map, trace, noise }: { map: StepMap; trace: Trace; noise: number },
  { from, to, frequency, kappa }: Attempt,
): Found | string {
  const seen = map.frequencies[trace.low] ?? 0;
  const bare = map.frequencies[trace.points[0]?.column ?? trace.low] ?? seen;
  const reach = Math.max(FIT_REACH_GHZ, 2 * kappa);
  const spurs = spurColumns(signal.x).filter((_, index) => index % 2 === 1);
  const points: ReflectionPoint[] = [];
  for (const [row, power] of signal.y.entries()) {
    if (row < from || row > to) continue;
    for (const [column, at] of signal.x.entries()) {
      const [re, im] = [signal.re[row]?.[column], signal.im[row]?.[column]];
      if (Math.abs(at - seen) > reach || spurs.includes(column)) continue;
      if (re === undefined || im === undefined || Number.isNaN(re) || Number.isNaN(im)) continue;
      points.push({ frequency: at, power, re, im, sigma: 10 ** (-power / 20) });
    }
  }
  const fit = fitReflection(points, {
    // At the highest power the resonator is at its bare frequency.
    pull: Math.max(2e-3, seen - bare),
    start: { frequency, kappa, delay: map.delay },
  });
  return judgeFit({ trace, fit, seen, row: to, reach }, points, noise);
}

interface FittedRows extends Pick<Found, 'trace' | 'fit' | 'row'> {
  /** Frequency at which the resonator was seen, and range of the points around it, GHz. */
  seen: number;
  reach: number;
}

/** A usable fit; a message if the fit cannot be used. */
function judgeFit(
  { trace, fit, seen, row, reach }: FittedRows,
  points: readonly ReflectionPoint[],
  noise: number,
): Found | string {
  if (!fit.fit.ok) return `the reflection at ${seen.toFixed(3)} GHz cannot be fitted: ${fit.fit.message}`;
  const estimate = { value: fit.frequency, error: fit.fit.errors[0] ?? Number.NaN };
  const [, external = 0, internal = 0] = fit.fit.parameters;
  const largest = Math.max(LARGEST_ERROR, ERROR_OF_WIDTH * Math.min(external + internal, reach));
  if (!(estimate.error < largest) || Math.abs(estimate.value - seen) > FIT_REACH_GHZ) {
    return `the resonator seen at ${seen.toFixed(3)} GHz is not resolved: the fit gives ${estimateText(estimate, 'GHz')}`;
  }
  const misfit = meanSquare(points, fit) / noise;
  if (misfit > MISFIT && fit.fit.r2 < SINGLE_RESONATOR_R2) {
    return `the signal at ${seen.toFixed(3)} GHz is not one resonator: the residuals of the fit are ${misfit.toFixed(0)} times the noise; there may be two`;
  }
  return { trace, fit, estimate, row };
}

/** Mean square of a fit's residuals, in units of each point's deviation. */
function meanSquare(points: readonly ReflectionPoint[], { evaluate }: ResonatorFit): number {
  const squares = points.map(({ frequency, power, re, im, sigma }) => {
    const model = evaluate(frequency, power);
    return ((re - model.re) ** 2 + (im - model.im) ** 2) / (2 * sigma ** 2);
  });
  return mean(squares);
}

/** Variance of the noise in the same units, from the second differences at the lowest power, where noise dominates. */
function noiseSquare({ x, y, re, im }: ComplexMap): number {
  const jumps = [re[0] ?? [], im[0] ?? []].flatMap((row) =>
    x.slice(2).map((_, column) => {
      const [a = Number.NaN, b = Number.NaN, c = Number.NaN] = row.slice(column, column + 3);
      return Math.abs(a - 2 * b + c);
    }),
  );
  const ordered = jumps.filter(Number.isFinite).sort((a, b) => a - b);
  // The second differences of white noise are √6 times as wide, and half of them are within 0.6745 deviations.
  const deviation = (ordered[Math.floor(ordered.length / 2)] ?? 0) / (0.6745 * Math.sqrt(6));
  return (deviation * 10 ** ((y[0] ?? 0) / 20)) ** 2;
}

function mapFigure(
  { task, qid }: AnalysisInput,
  { frequencies, powers, steps }: StepMap,
  { role, resultText, marks = [] }: { role: 'raw' | 'marked'; resultText: string; marks?: Figure['data'] },
): Figure {
  return composeFigure([heatmapTrace('|phase step| (rad)', frequencies, powers, steps), ...marks], {
    title: `${subjectOf({ task, qid })} · ${resultText}`,
    x: 'Readout frequency (GHz)',
    y: 'Readout power (dB)',
    role,
  });
}

function markedFigure(input: AnalysisInput, map: StepMap, line?: LineFindings, found?: Found): Figure {
  if (line === undefined) return mapFigure(input, map, { role: 'marked', resultText: 'no resonators found' });
  const ends = [map.frequencies[0] ?? 0, map.frequencies.at(-1) ?? 0];
  const boundary = map.powers[line.boundary] ?? 0;
  const seen = line.traces.flatMap(({ points }) => points);
  const marks = [
    markLineTrace('highest power at rest', ends, [boundary, boundary]),
    markTrace('resonators', {
      x: seen.map(({ column }) => map.frequencies[column] ?? 0),
      y: seen.map(({ row }) => map.powers[row] ?? 0),
    }),
  ];
  if (found === undefined)
    return mapFigure(input, map, { role: 'marked', resultText: `no usable resonator`, marks });
  const power = map.powers[found.row] ?? 0;
  const own = found.estimate.value;
  marks.push(markLineTrace(`of qubit ${input.qid}`, [own, own], [map.powers[0] ?? 0, boundary]));
  marks.push(markTrace('readout', { x: [own], y: [power] }, 'found'));
  return mapFigure(input, map, {
    role: 'marked',
    resultText: `f = ${estimateText(found.estimate, 'GHz')} at ${power} dB`,
    marks,
  });
}
