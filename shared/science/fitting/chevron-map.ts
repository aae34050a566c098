import {
  DEFAULT_SHOTS,
  HIGHEST_CONTROL_AMPLITUDE,
  PULSE_RAMP_NS,
  TARGET_RABI_FREQUENCY_GHZ,
} from '../conventions/pulse.ts';
import { type ComplexMap, readComplexMap } from '../datasets/complex-map.ts';
import type { Dataset } from '../datasets/model.ts';
import {
  type ChevronFit,
  type ChevronPoint,
  fitChevron,
  HIDDEN,
  hiddenLine,
  type OtherChevron,
  twoChevrons,
  widening,
} from './chevron.ts';
import { type Estimate, estimateText, SIGNIFICANT } from './estimate.ts';
import { deviationsFor } from './false-alarms.ts';
import { rotateToPrincipalAxis } from './iq-rotation.ts';
import { linesText } from './line-search.ts';
import { signalDeviations } from './measurement-noise.ts';
import { type Judgement, judgeFitted, sweepFault } from './residuals.ts';
import { standardDeviation } from './statistics.ts';
import { sweepProblem } from './sweep-problem.ts';

const LARGEST_RELATIVE_ERROR = 0.1;

/** A measured chevron: its signals along their principal axis, and the fit to them. */
export interface ChevronMap {
  frequencies: number[];
  times: number[];
  points: ChevronPoint[];
  chevron: ChevronFit;
  /** Another visible line that is too weak to be the qubit's. */
  other: OtherChevron | undefined;
  /** The reason why it is unknown which of two comparable lines is the qubit's; null if one is much stronger. */
  rivals: string | null;
  /** Significance of another line in the pattern, in standard errors; 0 if it was not tested. */
  hidden: number;
  /**
   * Significance, in standard errors, of a pattern that is wider than that of one line, as by another close line; 0 if
   * it was not tested.
   */
  wider: number;
  /** The reason why the fit cannot be used; null if it can. */
  refused: string | null;
}

/**
 * Reads the complex variable `<name>_re`, `<name>_im` over (`times`, `frequencies`) and fits a chevron, weighted by the
 * measurement's noise.
 * @returns the map with its fit, or a message saying what is missing or unusable
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
  const { chevron, judgement } = fitWeighted(points, standardDeviation(rotated.across), shots);
  const isCertain = chevron.fit.ok && judgement !== null && judgement.chiSquare < ONLY_NOISE;
  const both = isCertain ? undefined : twoChevrons(points, PULSE_RAMP_NS);
  const rivals = rivalry(both);
  const unusable = sweepFault(flat, rotated.across) ?? rivals ?? refusal(map.x, chevron);
  const hidden = unusable === null ? hiddenBeside(points, { chevron, both }) : NONE;
  const refused = unusable ?? nearLine(hidden) ?? (judgement === null ? null : misfit(judgement, both));
  return {
    frequencies: map.x,
    times: map.y,
    points,
    chevron,
    other: both?.other,
    rivals,
    hidden: hidden.errors,
    wider: refused === null ? widening(points, chevron) : 0,
    refused,
  };
}

/** Below this chi-square, a map contains nothing but the fitted chevron. */
const ONLY_NOISE = 1.3;
/** A chevron with at least this fraction of the strongest amplitude may be the qubit's. */
const COMPARABLE = 1 / 3;

type TwoChevrons = NonNullable<ReturnType<typeof twoChevrons>>;

const bothLines = ({ first, other }: TwoChevrons) => linesText([{ frequency: first }, other]);

/** The reason why it is unknown which of two chevrons is the qubit's; null if one of them is much stronger. */
function rivalry(both: TwoChevrons | undefined): string | null {
  if (both === undefined || both.other.share < COMPARABLE) return null;
  return `lines at ${bothLines(both)} are about equally strong, and it is unknown which is the qubit's: sweep the neighbourhood of one of them`;
}

/**
 * Significance above which the signal of another line is not noise. One in 2,000 chevrons exceeds it by chance at any
 * of the tested distances.
 */
const CERTAIN = deviationsFor(1 / 2000 / (2 * HIDDEN.length));

type Hidden = ReturnType<typeof hiddenLine>;

const NONE: Hidden = { errors: 0, distance: 0 };

/** Another line that is so close that both form one pattern. */
function hiddenBeside(
  points: readonly ChevronPoint[],
  { chevron, both }: { chevron: ChevronFit; both: TwoChevrons | undefined },
): Hidden {
  const [, rabi = 0] = chevron.fit.ok ? chevron.fit.parameters : [];
  // A weaker line further away is found separately.
  const isApart = both !== undefined && Math.abs(both.other.frequency - both.first) > rabi;
  return isApart ? NONE : hiddenLine(points, chevron);
}

/** The reason to refuse the fit if another line is certain, because the fitted frequency then belongs to neither. */
function nearLine({ errors, distance }: Hidden): string | null {
  return errors > CERTAIN
    ? `there seems to be another line about ${(1000 * Math.abs(distance)).toFixed(1)} MHz ${distance < 0 ? 'below' : 'above'} the one found, whose pattern is not that of a single line: drive more weakly, which narrows both`
    : null;
}

function misfit({ problem }: Judgement, both: TwoChevrons | undefined): string | null {
  if (problem === null || both === undefined) return problem;
  return `${problem}: lines at ${bothLines(both)} overlap`;
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

/**
 * Fits first with equal weights, then weighted by the noise that follows from the first fit.
 * @returns the fit with the quality of its residuals; null if the noise is unknown
 */
function fitWeighted(
  points: readonly ChevronPoint[],
  across: number,
  shots: number,
): { chevron: ChevronFit; judgement: Judgement | null } {
  const first = fitChevron(points, PULSE_RAMP_NS);
  if (!first.fit.ok) return { chevron: first, judgement: null };
  const [, , , amplitude = 0, offset = 0] = first.fit.parameters;
  const deviations = signalDeviations(
    points.map(({ frequency, time }) => first.evaluate(frequency, time)),
    { ground: offset, excited: offset + amplitude },
    across,
    shots,
  );
  if (deviations === undefined) return { chevron: first, judgement: null };
  const chevron = fitChevron(points, PULSE_RAMP_NS, { from: first, sigma: deviations });
  if (!chevron.fit.ok) return { chevron, judgement: null };
  const judgement = judgeFitted(
    points.map(({ signal }) => signal),
    {
      fitted: points.map(({ frequency, time }) => chevron.evaluate(frequency, time)),
      sigma: deviations,
      across,
      parameters: chevron.fit.parameters.length,
      // Chevrons are also measured before the readout is calibrated, when the noise may have other sources.
      isLeast: true,
      acrossRows: columnOrder(points),
    },
  );
  return { chevron, judgement };
}

/** Indices of the points sorted by frequency, then by time. The points themselves are sorted by time. */
function columnOrder(points: readonly ChevronPoint[]): number[] {
  const columns = new Map<number, number[]>();
  for (const [index, { frequency }] of points.entries()) {
    const column = columns.get(frequency) ?? [];
    column.push(index);
    columns.set(frequency, column);
  }
  return [...columns.values()].flat();
}

function refusal(frequencies: readonly number[], { fit }: ChevronFit): string | null {
  if (!fit.ok) return fit.message;
  if (![...fit.parameters, ...fit.errors].every(Number.isFinite)) return 'the fit gives no finite values';
  const [resonance = 0, rabi = 0, , amplitude = 0] = fit.parameters;
  const [resonanceError = 0, rabiError = 0, , amplitudeError = 0] = fit.errors;
  if (Math.abs(amplitude) < SIGNIFICANT * amplitudeError) {
    const found = estimateText({ value: Math.abs(amplitude), error: amplitudeError }, 'a.u.');
    return `no chevron exceeds the noise: its amplitude would be ${found}`;
  }
  const found = estimateText({ value: resonance, error: resonanceError }, 'GHz');
  const [lowest, highest] = [Math.min(...frequencies), Math.max(...frequencies)];
  if (resonance < lowest || resonance > highest) {
    return `the resonance is outside of the sweep: ${found}, and the sweep is from ${lowest} to ${highest} GHz`;
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
  const control = (driven * TARGET_RABI_FREQUENCY_GHZ) / rabi;
  return {
    qubit_frequency: { value: resonance, error: resonanceError },
    control_amplitude:
      control > HIGHEST_CONTROL_AMPLITUDE
        ? { value: HIGHEST_CONTROL_AMPLITUDE, error: 0 }
        : { value: control, error: (control * rabiError) / rabi },
  };
}
