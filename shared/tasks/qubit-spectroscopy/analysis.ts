import type { ComplexMap } from '../../science/datasets/complex-map.ts';
import { composeFigure, divergingTrace, markLineTrace, markTrace } from '../../science/figures/compose.ts';
import type { Figure } from '../../science/figures/model.ts';
import { type Estimate, estimateText } from '../../science/fitting/estimate.ts';
import { BEYOND_CHANCE } from '../../science/fitting/further-parameter.ts';
import {
  fitSaturatedLine,
  fitWeakLine,
  type SaturatedLine,
  type Window,
} from '../../science/fitting/line-fit.ts';
import { chiSquareOf, photonsOf } from '../../science/fitting/line-growth.ts';
import { linesText } from '../../science/fitting/line-search.ts';
import { twoNearLines } from '../../science/fitting/near-lines.ts';
import {
  findLines,
  findQubitLine,
  findSecondLine,
  isComparable,
  type LineMask,
  lineRows,
  type MapRules,
  type PhaseMap,
  phaseMap,
  phaseProblem,
  type QubitLine,
  varianceOfMap,
} from '../../science/fitting/qubit-map.ts';
import { thresholdAtNoise } from '../common/analysis/attainable-r2.ts';
import { subjectOf } from '../common/analysis/figure-text.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { MIN_POWERS, readPowerMap } from '../common/analysis/spectroscopy.ts';
import { numberOf } from '../common/parameters.ts';
import type { ResolvedParameter } from '../model.ts';

/** Half width of the windows in which lines are fitted, GHz. */
const QUBIT_REACH = 0.04;
const SECOND_REACH = 0.035;
/** Maximum width of the second line in the rows of its fit, GHz. */
const WIDEST_SECOND = 0.012;
const LARGEST_ERROR = 5e-3;
/** Minimum height of a visible line, in standard errors. */
const SIGNIFICANT_LINE = 6;
/**
 * Maximum residuals of a line besides noise, as a fraction of its height. They allow for a slightly different line
 * shape.
 */
const MISFIT = 0.1;
/** Maximum number of repetitions without the highest power, if requested. */
const MAX_TRIMS = 2;

interface Settings extends MapRules {
  secondFrom: number;
  secondTo: number;
  secondLeastHeight: number;
  /** Maximum number of highest powers that are left out while no line is found. */
  trims: number;
  headroom: number;
  largestAmplitude: number;
}

interface Findings {
  mask: LineMask;
  line: QubitLine;
  fit: SaturatedLine;
  second?: Second;
}

interface Second {
  /** Lowest row in which it is visible. */
  tip: number;
  frequency: Estimate;
  anharmonicity: Estimate;
  /** Whether it is the two-photon line, half the anharmonicity below the first line. */
  twoPhoton: boolean;
}

/**
 * Finds and fits the line of the qubit in a map of readout phases over drive power and frequency. A second line below
 * it is usually the two-photon line to the second excited state, half the anharmonicity away. The growth of its width
 * with the power identifies it.
 */
export function analyseQubitSpectroscopy(input: AnalysisInput): Analysis {
  const signal = readPowerMap(input.dataset);
  if (typeof signal === 'string') return withoutFigures(signal);
  const settings = settingsOf(input.runParameters);
  const map = phaseMap(signal);
  const highest = map.powers.at(-1) ?? 0;
  const unfitParameters = settings.topPower <= highest;
  const unusable = unfitParameters
    ? `top_power ${settings.topPower} dB must be above the highest power of the sweep, ${highest} dB`
    : phaseProblem(signal);
  const found = unusable ?? findings(signal, map, settings);
  const raw = mapFigure(input, map, { role: 'raw', resultText: 'phase' });
  if (typeof found === 'string') {
    const marked = mapFigure(input, map, { role: 'marked', resultText: 'no usable line' });
    return { outputs: {}, r2: null, figures: [marked, raw], refused: found, unfitParameters };
  }
  const { line, fit, second } = found;
  const representative = map.powers[line.representative] ?? 0;
  const amplitude = 10 ** ((representative + settings.headroom) / 20);
  return {
    outputs: {
      coarse_qubit_frequency: { value: fit.frequency, error: fit.error },
      ...(second === undefined ? {} : { anharmonicity: second.anharmonicity }),
      // Values that are read off the map or chosen have no statistical error.
      f01_repr_db: { value: representative, error: 0 },
      f01_quality_level: { value: line.quality, error: 0 },
      coarse_control_amplitude: { value: Math.min(amplitude, settings.largestAmplitude), error: 0 },
    },
    r2: fit.fit.r2,
    ...thresholdOf(input, signal, fit),
    figures: [markedFigure(input, map, found), raw],
    notes: twoPhotonNote(map, found),
  };
}

/** A message about lines that are taken for f02/2 although they are visible down to about the same power. */
function twoPhotonNote({ frequencies }: PhaseMap, { line, fit }: Findings): string[] {
  const others = line.twoPhoton.map((column) => ({ frequency: frequencies[column] ?? 0 }));
  return others.length === 0
    ? []
    : [
        `Of several lines, the one at ${linesText([fit])} is taken for f01; the signal at ${linesText(others)} grows with the square of the drive's amplitude, as f02/2 does.`,
      ];
}

/** Most of a window contains no signal, so r2 is low for a narrow or weak line, even if the line is certain. */
function thresholdOf({ task }: AnalysisInput, signal: ComplexMap, { fit }: SaturatedLine) {
  if (!fit.ok) return {};
  const [points, parameters] = [fit.whitened.residuals.length, fit.parameters.length];
  const noise = varianceOfMap(signal);
  const chiSquare = fit.residualSumOfSquares / (points - parameters) / noise;
  if (!(noise > 0)) return {};
  const r2Threshold = thresholdAtNoise(task.r2Threshold, { r2: fit.r2, chiSquare, points, parameters });
  return r2Threshold === undefined ? {} : { r2Threshold };
}

function settingsOf(run: Readonly<Record<string, ResolvedParameter>>): Settings {
  const number = (name: string, otherwise: number) => numberOf(run[name]) ?? otherwise;
  const trim = run.retry_with_trim?.value;
  return {
    plus: number('binarize_threshold_sigma_plus', 3),
    minus: number('binarize_threshold_sigma_minus', -2),
    topPower: number('top_power', 0),
    leastHeight: number('f01_height_min', 14.9),
    secondFrom: number('f12_distance_min', 0.125),
    secondTo: number('f12_distance_max', 0.5),
    secondLeastHeight: number('f12_height_min', 14.9),
    trims: trim === true || trim === 'true' ? MAX_TRIMS : 0,
    headroom: number('seed_amplitude_headroom_db', 10),
    largestAmplitude: number('max_coarse_control_amplitude', 1),
  };
}

function findings(signal: ComplexMap, map: PhaseMap, settings: Settings): Findings | string {
  const mask = findLines(map, settings);
  const line = findQubitLine(map, mask, settings, (each) => photonsOf(signal, mask, each));
  if (typeof line === 'string') {
    if (settings.trims === 0 || map.powers.length <= MIN_POWERS) return line;
    const rest = {
      ...map,
      powers: map.powers.slice(0, -1),
      phases: map.phases.slice(0, -1),
    };
    const topPower = rest.powers.at(-1) ?? settings.topPower;
    return findings(signal, rest, { ...settings, topPower, trims: settings.trims - 1 });
  }
  const fit = fitQubitLine(signal, mask, line);
  if (typeof fit === 'string') return fit;
  const second = findSecond(signal, { map, mask, line }, fit, settings);
  return { mask, line, fit, ...(second === undefined ? {} : { second }) };
}

/** Fits the line in the rows that show it well. */
function fitQubitLine(signal: ComplexMap, mask: LineMask, line: QubitLine): SaturatedLine | string {
  const seen = signal.x[line.column] ?? 0;
  const window = { rows: lineRows(mask, line), centre: seen, reach: QUBIT_REACH };
  const fit = fitSaturatedLine(signal, window);
  if (!fit.fit.ok) return `the line at ${seen.toFixed(3)} GHz cannot be fitted: ${fit.fit.message}`;
  if (!(fit.error < LARGEST_ERROR) || Math.abs(fit.frequency - seen) > QUBIT_REACH / 2) {
    const found = estimateText({ value: fit.frequency, error: fit.error }, 'GHz');
    return `the line seen at ${seen.toFixed(3)} GHz is not resolved: the fit gives ${found}`;
  }
  return notOneLine(signal, window, fit) ?? fit;
}

/** The reason why the window of a fitted line contains more than that line; null if there is no evidence. */
function notOneLine(signal: ComplexMap, window: Window, line: SaturatedLine): string | null {
  const noise = varianceOfMap(signal);
  if (!line.fit.ok || !(noise > 0)) return null;
  const { residuals } = line.fit.whitened;
  const [, , dRe = 0, dIm = 0] = line.fit.parameters;
  const highest = Math.max(...window.rows.map((row) => signal.y[row] ?? 0));
  const driven = line.rabiFrequency ** 2 * 10 ** (highest / 10);
  const chiSquare = chiSquareOf(line, noise);
  const ofChance = 1 + BEYOND_CHANCE * Math.sqrt(2 / (residuals.length - line.fit.parameters.length));
  const height = (Math.hypot(dRe, dIm) * driven) / (2 * (driven + line.widthSquared));
  const misfit = Math.sqrt(noise * Math.max(0, chiSquare - 1));
  if (chiSquare < ofChance || misfit < MISFIT * height) return null;
  const [one, other] = twoNearLines(signal, window, line);
  return `the signal around ${line.frequency.toFixed(3)} GHz is not one line but looks like two, at ${linesText([{ frequency: one }, { frequency: other }])}, and it is unknown which is the qubit's: sweep one of them more finely, or drive more weakly`;
}

function findSecond(
  signal: ComplexMap,
  { map, mask, line }: { map: PhaseMap; mask: LineMask; line: QubitLine },
  first: SaturatedLine,
  settings: Settings,
): Second | undefined {
  const candidate = findSecondLine(map, mask, {
    from: first.frequency - settings.secondTo,
    to: first.frequency - settings.secondFrom,
    leastHeight: settings.secondLeastHeight,
  });
  if (candidate === undefined) return undefined;
  const centre = map.frequencies[candidate.column] ?? 0;
  const distance = first.frequency - centre;
  const rabi = (power: number) => first.rabiFrequency * 10 ** (power / 20);
  // The Rabi frequency of the two-photon line is Ω₂ = √2 Ω² / 2 |α|; that of the one-photon line of a thermally excited
  // qubit is √2 Ω.
  const laws = {
    two: (power: number) => first.widthSquared + (Math.SQRT2 * rabi(power) ** 2) ** 2 / (4 * distance) ** 2,
    one: (power: number) => first.widthSquared + 2 * rabi(power) ** 2,
  };
  const rows = signal.y.flatMap((power, row) =>
    row >= candidate.tip - 1 && (row <= candidate.tip || laws.two(power) < WIDEST_SECOND ** 2) ? [row] : [],
  );
  const window = { rows, centre, reach: SECOND_REACH };
  const residual = (law: (power: number) => number) => {
    const { fit } = fitWeakLine(signal, window, law, false);
    return fit.ok ? fit.residualSumOfSquares : Number.POSITIVE_INFINITY;
  };
  const twoPhoton = residual(laws.two) <= residual(laws.one);
  const fit = fitWeakLine(signal, window, twoPhoton ? laws.two : laws.one, true);
  const clear =
    fit.fit.ok &&
    fit.significance >= SIGNIFICANT_LINE &&
    fit.error < LARGEST_ERROR &&
    Math.abs(fit.frequency - centre) < SECOND_REACH / 2;
  // A one-photon line with such a large phase belongs to another qubit.
  const isForeign = !twoPhoton && isComparable(map, mask, candidate.column, line.column);
  if (!clear || isForeign) return undefined;
  const factor = twoPhoton ? 2 : 1;
  return {
    tip: candidate.tip,
    twoPhoton,
    frequency: { value: fit.frequency, error: fit.error },
    anharmonicity: {
      value: factor * (fit.frequency - first.frequency),
      error: factor * Math.hypot(fit.error, first.error),
    },
  };
}

function mapFigure(
  { task, qid }: AnalysisInput,
  { frequencies, powers, phases }: PhaseMap,
  { role, resultText, marks = [] }: { role: 'raw' | 'marked'; resultText: string; marks?: Figure['data'] },
): Figure {
  return composeFigure([divergingTrace('Phase (rad)', frequencies, powers, phases), ...marks], {
    title: `${subjectOf({ task, qid })} · ${resultText}`,
    x: 'Drive frequency (GHz)',
    y: 'Drive power (dB)',
    role,
  });
}

function markedFigure(input: AnalysisInput, map: PhaseMap, { line, fit, second }: Findings): Figure {
  const power = (row: number) => map.powers[row] ?? 0;
  const visible = power(line.representative);
  // Drawn below the line, so that the line stays visible.
  const marks = [
    markLineTrace('f01', [fit.frequency, fit.frequency], [power(0), visible], 'diverging'),
    markTrace('visible from', { x: [fit.frequency], y: [visible] }, 'found', 'diverging'),
  ];
  if (second !== undefined) {
    const { frequency, anharmonicity, tip, twoPhoton } = second;
    const inMhz = { value: 1000 * anharmonicity.value, error: 1000 * anharmonicity.error };
    const name = `${twoPhoton ? 'two photons' : 'f12'}, α = ${estimateText(inMhz, 'MHz')}`;
    marks.push(markTrace(name, { x: [frequency.value], y: [power(tip)] }, 'points', 'diverging'));
  }
  const found = estimateText({ value: fit.frequency, error: fit.error }, 'GHz');
  return mapFigure(input, map, { role: 'marked', resultText: `f = ${found}`, marks });
}
