import { DEFAULT_SHOTS, PULSE_RAMP_NS, TARGET_RABI_RATE } from '../../science/conventions/pulse.ts';
import { type ComplexMap, readComplexMap } from '../../science/datasets/complex-map.ts';
import type { Dataset } from '../../science/datasets/model.ts';
import { composeFigure, heatmapTrace, markLineTrace } from '../../science/figures/compose.ts';
import type { Figure } from '../../science/figures/model.ts';
import { type ChevronFit, type ChevronPoint, fitChevron } from '../../science/fitting/chevron.ts';
import { estimateText } from '../../science/fitting/estimate-text.ts';
import { rotateToPrincipalAxis } from '../../science/fitting/iq-rotation.ts';
import { signalDeviations } from '../../science/fitting/measurement-noise.ts';
import { standardDeviation } from '../../science/fitting/statistics.ts';
import type { AnalysisInput, Estimate } from '../common/analysis/model.ts';
import { sweepProblem } from '../common/analysis/parts.ts';

/** A chevron counts as seen when its amplitude is this many standard errors. */
const SIGNIFICANT = 5;
const LARGEST_RELATIVE_ERROR = 0.1;
const HIGHEST_CONTROL_AMPLITUDE = 0.99;

/** A chevron as measured, its signals along their principal axis, and the fit to them. */
export interface ChevronMap {
  frequencies: number[];
  times: number[];
  points: ChevronPoint[];
  chevron: ChevronFit;
  /** Why the fit cannot be used; null when it can. */
  refused: string | null;
}

/**
 * Reads the complex variable `<name>_re`, `<name>_im` over (`times`, `frequencies`) and fits a chevron, weighted by the
 * measurement's noise.
 * @returns the map with its fit, or a sentence saying what is missing or unusable
 */
export function fitChevronMap(
  dataset: Dataset,
  axes: { times: string; frequencies: string; name: string },
  shots: number = DEFAULT_SHOTS,
): ChevronMap | string {
  const map = readComplexMap(dataset, axes.times, axes.frequencies, axes.name);
  if (typeof map === 'string') return map;
  const measured = measuredPoints(map);
  const flat = {
    x: measured.map(({ frequency }) => frequency),
    re: measured.map(({ re }) => re),
    im: measured.map(({ im }) => im),
  };
  const problem = sweepProblem(flat);
  if (problem !== null) return problem;
  const rotated = rotateToPrincipalAxis(flat);
  const points = measured.map(({ frequency, time }, index) => ({
    frequency,
    time,
    signal: rotated.along[index] ?? 0,
  }));
  const chevron = fitWeighted(points, standardDeviation(rotated.across), shots);
  return { frequencies: map.x, times: map.y, points, chevron, refused: refusal(map.x, chevron) };
}

function measuredPoints({ x, y, re, im }: ComplexMap) {
  return y.flatMap((time, row) =>
    x.flatMap((frequency, column) => {
      const point = {
        frequency,
        time,
        re: re[row]?.[column] ?? Number.NaN,
        im: im[row]?.[column] ?? Number.NaN,
      };
      return Number.isFinite(point.re) && Number.isFinite(point.im) ? [point] : [];
    }),
  );
}

/** First all points alike, then weighted by the noise that the first fit lets expect. */
function fitWeighted(points: readonly ChevronPoint[], across: number, shots: number): ChevronFit {
  const first = fitChevron(points, PULSE_RAMP_NS);
  if (!first.fit.ok) return first;
  const [, , , amplitude = 0, offset = 0] = first.fit.parameters;
  const deviations = signalDeviations(
    points.map(({ frequency, time }) => first.evaluate(frequency, time)),
    { ground: offset, excited: offset + amplitude },
    across,
    shots,
  );
  return deviations === undefined
    ? first
    : fitChevron(points, PULSE_RAMP_NS, { from: first, sigma: deviations });
}

function refusal(frequencies: readonly number[], { fit }: ChevronFit): string | null {
  if (!fit.ok) return fit.message;
  if (![...fit.parameters, ...fit.errors].every(Number.isFinite)) return 'the fit gives no finite values';
  const [resonance = 0, rabi = 0, , amplitude = 0] = fit.parameters;
  const [resonanceError = 0, rabiError = 0, , amplitudeError = 0] = fit.errors;
  if (Math.abs(amplitude) < SIGNIFICANT * amplitudeError) {
    const found = estimateText({ value: Math.abs(amplitude), error: amplitudeError }, 'a.u.');
    return `no chevron stands out of the noise: its amplitude would be ${found}`;
  }
  const found = estimateText({ value: resonance, error: resonanceError }, 'GHz');
  const [lowest, highest] = [Math.min(...frequencies), Math.max(...frequencies)];
  if (resonance < lowest || resonance > highest) {
    return `the resonance lies outside of the sweep: ${found} where it goes from ${lowest} to ${highest} GHz`;
  }
  if (!(rabi > 0) || rabiError > LARGEST_RELATIVE_ERROR * rabi || resonanceError > rabi) {
    const speed = estimateText({ value: 1000 * rabi, error: 1000 * rabiError }, 'MHz');
    return `the chevron is not resolved: resonance ${found}, Rabi frequency ${speed}`;
  }
  return null;
}

/** Resonance of an accepted chevron, and the control amplitude for 12.5 MHz given the one it was driven with. */
export function chevronEstimates(
  { chevron }: ChevronMap,
  driven: number,
): { qubit_frequency: Estimate; control_amplitude: Estimate } | null {
  const { fit } = chevron;
  if (!fit.ok) return null;
  const [resonance = 0, rabi = 0] = fit.parameters;
  const [resonanceError = 0, rabiError = 0] = fit.errors;
  const control = (driven * TARGET_RABI_RATE) / rabi;
  return {
    qubit_frequency: { value: resonance, error: resonanceError },
    control_amplitude:
      control > HIGHEST_CONTROL_AMPLITUDE
        ? { value: HIGHEST_CONTROL_AMPLITUDE, error: 0 }
        : { value: control, error: (control * rabiError) / rabi },
  };
}

/** The measured signals, as population where a fit tells it; marked with the resonance where it is given. */
export function chevronFigure(
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
