import type { Dataset } from '../../science/datasets/model.ts';
import { composeFigure, heatmapTrace, markLineTrace } from '../../science/figures/compose.ts';
import type { Figure } from '../../science/figures/model.ts';
import { type ChevronMap, chevronEstimates, fitChevronMap } from '../../science/fitting/chevron-map.ts';
import { type Estimate, estimateText } from '../../science/fitting/estimate.ts';
import { deviationsFor } from '../../science/fitting/false-alarms.ts';
import { linesText } from '../../science/fitting/line-search.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { numberOf } from '../common/parameters.ts';
import type { NextPassSettings } from '../next-pass.ts';
import { sweepPoints } from '../run-parameters.ts';
import { moreShots, widerSweep } from '../suggested-run.ts';

/** The drive amplitude of all columns, if the backend states it in `<name>`. */
function drivenAmplitude(dataset: Dataset, name: string): number | undefined {
  const values = Object.hasOwn(dataset.variables, name) ? dataset.variables[name]?.values : undefined;
  const first = values?.[0];
  return typeof first === 'number' && values?.every((value) => value === first) ? first : undefined;
}

/**
 * Fits the chevron `iq_re`, `iq_im` over (`time`, `frequency`). `control_amplitude` over `frequency` is the drive
 * amplitude, which a search may have changed. By default it is the input.
 */
function analyseChevron(
  input: AnalysisInput,
  outputsOf: (found: NonNullable<ReturnType<typeof chevronEstimates>>) => Record<string, Estimate>,
  nextPassFor: (map: ChevronMap) => NextPassSettings | null = () => null,
): Analysis {
  const { dataset, inputs, runParameters } = input;
  const map = fitChevronMap(
    dataset,
    { times: 'time', frequencies: 'frequency', name: 'iq' },
    numberOf(runParameters.shots),
  );
  if (typeof map === 'string') return withoutFigures(map);
  const driven = drivenAmplitude(dataset, 'control_amplitude') ?? numberOf(inputs.control_amplitude);
  const found =
    driven === undefined || !(driven > 0) || map.refused !== null ? null : chevronEstimates(map, driven);
  const refused = map.refused ?? (found === null ? 'the control amplitude of the drive is unknown' : null);
  const resonance = found?.qubit_frequency;
  const figures = [
    chevronFigure(input, map, { resonance, role: 'raw' }),
    chevronFigure(input, map, { resonance, role: 'marked' }),
  ];
  const { r2 } = map.chevron.fit;
  if (refused !== null || found === null) {
    // The gate reports a low r2 first, so the lines are reported only if r2 is good.
    const isPoor = r2 !== null && r2 <= (input.task.r2Threshold ?? 0);
    const notes = isPoor && map.rivals !== null ? [`It may be that ${map.rivals}.`] : otherLine(map);
    const suggestion = suggestedRun(input, map);
    return {
      outputs: {},
      r2,
      figures,
      refused: refused ?? 'the fit gives no resonance',
      notes,
      ...(suggestion && { suggestion }),
    };
  }
  const again = nextPassFor(map);
  return again === null
    ? { outputs: outputsOf(found), r2, figures, notes: otherLine(map) }
    : { outputs: {}, r2, figures, refused: again.reason, again, notes: otherLine(map) };
}

/** A wider sweep if the resonance is outside of this one, otherwise more shots. */
function suggestedRun({ runParameters: run }: AnalysisInput, { frequencies, chevron: { fit } }: ChevronMap) {
  const [resonance = Number.NaN] = fit.ok ? fit.parameters : [];
  return resonance < Math.min(...frequencies) || resonance > Math.max(...frequencies)
    ? widerSweep(run, 'detuning_range', 'the resonance is outside of the sweep')
    : moreShots(run, 'the chevron is lost in noise');
}

function otherLine({ other }: ChevronMap): string[] {
  return other === undefined ? [] : [`A weaker line is at ${linesText([other])}.`];
}

/**
 * The fine chevron with the preceding rough search, `rough_re`, `rough_im` over (`rough_time`, `rough_frequency`). If
 * the search found two comparable lines, it may have led to the wrong one.
 */
export function analyseSearchedChevron(input: AnalysisInput): Analysis {
  const analysis = analyseChevron(input, (found) => found);
  const rough = fitChevronMap(input.dataset, {
    times: 'rough_time',
    frequencies: 'rough_frequency',
    name: 'rough',
  });
  if (typeof rough === 'string') return analysis;
  const figures = [...analysis.figures, roughFigure(input, rough)];
  if (analysis.refused !== undefined) return { ...analysis, figures };
  if (rough.rivals !== null) return { ...analysis, outputs: {}, figures, refused: rough.rivals };
  return { ...analysis, figures, notes: [...new Set([...(analysis.notes ?? []), ...otherLine(rough)])] };
}

function roughFigure(input: AnalysisInput, map: ChevronMap): Figure {
  const found = map.refused === null ? chevronEstimates(map, 1) : null;
  return chevronFigure(input, map, { what: 'search', resonance: found?.qubit_frequency });
}

/** Fits a chevron on a grid, and reports the readout amplitude with which it was measured. */
export function analyseGridChevron(
  input: AnalysisInput,
  nextPassFor?: (map: ChevronMap) => NextPassSettings | null,
): Analysis {
  const readout = numberOf(input.runParameters.readout_amplitude) ?? numberOf(input.inputs.readout_amplitude);
  if (readout === undefined) return withoutFigures('the readout amplitude is unknown');
  const outputsOf = (found: NonNullable<ReturnType<typeof chevronEstimates>>) => ({
    ...found,
    readout_amplitude: { value: readout, error: 0 },
  });
  return analyseChevron(input, outputsOf, nextPassFor);
}

/** The same analysis for a task that can request longer pulses. */
export function analyseCoarseChevron(input: AnalysisInput): Analysis {
  const isAllowed = ({ times }: ChevronMap) => isAsAsked(input.runParameters.time_range, times);
  return analyseGridChevron(input, (map) => (isAllowed(map) ? longerPulses(map) : null));
}

/** Relative difference below which two lengths count as equal. */
const SAME_LENGTH = 0.01;

/** Whether the backend measured the requested pulse lengths; otherwise it is useless to request others. */
function isAsAsked(asked: AnalysisInput['runParameters'][string] | undefined, times: readonly number[]) {
  const sweep = asked === undefined ? undefined : sweepPoints(asked);
  if (sweep?.ok !== true || sweep.value.length !== times.length) return false;
  const [longest, measured] = [Math.max(...sweep.value), Math.max(...times)];
  return Math.abs(longest - measured) < SAME_LENGTH * longest;
}

/**
 * Finds only the frequency, from a chevron around the stored one. If another line may be hidden in its pattern, it
 * requests longer pulses, because the phase between two lines grows with the square of the length.
 */
export function analyseQubitFrequency(input: AnalysisInput): Analysis {
  const analysis = analyseChevron(input, ({ qubit_frequency }) => ({ qubit_frequency }), longerPulses);
  return { ...analysis, figures: analysis.figures.slice(1) };
}

/** Standard errors from which the signal of another line is suspicious. Noise alone exceeds them in one of fifty chevrons. */
const SUSPICIOUS = 2.8;
/** Standard errors from which a wider pattern is suspicious. Noise alone exceeds them equally often. */
const TOO_WIDE = deviationsFor(2 / 50);
/**
/**
 * The same where pulses turn the qubit once or twice: there a line that moves the vertex by ten errors widens the pattern
 * by less than one error. Noise alone makes three of ten patterns as wide.
 */
const RATHER_WIDE = 0.5;
/** Turns in the longest pulse between which two lines are hardly visible; shorter pulses would have to be doubled too often. */
const FEW_TURNS = { from: 0.5, to: 2 } as const;
/**
 * Number of turns in the longest pulse that is sufficient to distinguish two lines that shift each other by more than a
 * few standard errors.
 */
const ENOUGH_TURNS = 4;

/** A request for longer pulses if these would show a suspected second line; otherwise null. */
function longerPulses({ times, chevron: { fit }, hidden, wider }: ChevronMap): NextPassSettings | null {
  const [, rabi = 0] = fit.ok ? fit.parameters : [];
  const [shortest, longest] = [Math.min(...times), Math.max(...times)];
  const turns = longest * rabi;
  const areFew = turns > FEW_TURNS.from && turns < FEW_TURNS.to;
  const isSuspicious = hidden >= SUSPICIOUS || wider >= (areFew ? RATHER_WIDE : TOO_WIDE);
  if (!isSuspicious || turns > ENOUGH_TURNS) return null;
  const step = (2 * (longest - shortest)) / (times.length - 1);
  const until = shortest + step * (times.length - 0.5);
  return {
    run: { time_range: { value: [shortest, until, step], value_type: 'np.arange' } },
    reason: 'another line may hide in the pattern of the one that was found, which longer pulses show',
  };
}

/** The measured signals, as population if a fit gives the scale; marked with the resonance if it is given. */
function chevronFigure(
  { task, qid }: AnalysisInput,
  map: ChevronMap,
  text: { what?: string; resonance?: Estimate; role?: 'raw' | 'marked' },
): Figure {
  const { frequencies, times, points, chevron } = map;
  const [, , , amplitude = 0, offset = 0] = chevron.fit.ok ? chevron.fit.parameters : [];
  const scaled = chevron.fit.ok && map.refused === null && amplitude !== 0;
  const known = new Map(points.map((point) => [`${point.frequency}|${point.time}`, point.signal]));
  const z = times.map((time) =>
    frequencies.map((frequency) => {
      const signal = known.get(`${frequency}|${time}`);
      if (signal === undefined) return null;
      return scaled ? 1 - (2 * (signal - offset)) / amplitude : signal;
    }),
  );
  const data = [heatmapTrace(scaled ? 'Normalised <Z>' : 'Signal (a.u.)', frequencies, times, z)];
  const { what, resonance, role } = text;
  if (resonance !== undefined && role !== 'raw') {
    const ends = [Math.min(...times), Math.max(...times)];
    data.push(markLineTrace('f01', [resonance.value, resonance.value], ends));
  }
  const found = resonance === undefined ? 'no usable fit' : `f01 = ${estimateText(resonance, 'GHz')}`;
  return composeFigure(data, {
    title: `${task.name}${what === undefined ? '' : ` ${what}`} · qubit ${qid} · ${found}`,
    x: 'Drive frequency (GHz)',
    y: 'Pulse length (ns)',
    role,
  });
}
