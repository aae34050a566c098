import { furtherParameters } from './further-parameter.ts';
import { type CurveModel, type Fit, fitCurve } from './least-squares.ts';

/** One point of a chevron: drive frequency (GHz), pulse length (ns) and the signal. */
export interface ChevronPoint {
  frequency: number;
  time: number;
  signal: number;
}

export interface ChevronFit {
  fit: Fit;
  evaluate(frequency: number, time: number): number;
}

/**
 * The chevron C + A (Ω/W)² (1 − e^(−r T) cos(2π W T)) / 2 with the hyperbola W = √(Ω² + (f − f0)²) and T = t + t0, as a
 * curve over the index of a point. Parameters in the order f0 (as distance from `centre`), Ω, t0, A, C, r.
 */
function chevronModel(points: readonly ChevronPoint[], centre: number): CurveModel {
  const parts = (parameters: readonly number[], index: number) => {
    const [resonance = 0, rabi = 0, offsetTime = 0, , , rate = 0] = parameters;
    const { frequency = centre, time = 0 } = points[index] ?? {};
    const detuning = frequency - centre - resonance;
    const generalised = Math.hypot(rabi, detuning) || Number.MIN_VALUE;
    const total = time + offsetTime;
    const angle = 2 * Math.PI * generalised * total;
    const decay = Math.exp(-rate * total);
    return {
      detuning,
      generalised,
      total,
      contrast: (rabi / generalised) ** 2,
      cosine: decay * Math.cos(angle),
      sine: decay * Math.sin(angle),
    };
  };
  return {
    evaluate(parameters, index) {
      const [, , , amplitude = 0, offset = 0] = parameters;
      const { contrast, cosine } = parts(parameters, index);
      return offset + (amplitude * contrast * (1 - cosine)) / 2;
    },
    gradient(parameters, index) {
      const [, rabi = 0, , amplitude = 0, , rate = 0] = parameters;
      const { detuning, generalised, total, contrast, cosine, sine } = parts(parameters, index);
      const half = amplitude / 2;
      const byContrast = half * (1 - cosine);
      const byGeneralised = half * contrast * sine * 2 * Math.PI * total;
      const fourth = generalised ** 4;
      return [
        (byContrast * 2 * rabi ** 2 * detuning) / fourth - (byGeneralised * detuning) / generalised,
        (byContrast * 2 * rabi * detuning ** 2) / fourth + (byGeneralised * rabi) / generalised,
        half * contrast * (sine * 2 * Math.PI * generalised + rate * cosine),
        (contrast * (1 - cosine)) / 2,
        1,
        half * contrast * total * cosine,
      ];
    },
  };
}

/** Maximum phase difference between two neighbouring start values at the longest pulse, in turns. */
const START_PHASE = 0.3;
/** Maximum ratio of two neighbouring start values of the Rabi frequency. */
const START_RABI_STEP = 1.12;
/** Detunings that agree within this (GHz) share a curve, so an even grid of frequencies needs few curves. */
const SAME_DETUNING = 1e-9;

/** Start values of the resonance, at most `step` apart and evenly between the columns, so that detunings repeat. */
function startResonances(frequencies: readonly number[], step: number): number[] {
  const [lowest, highest] = [Math.min(...frequencies), Math.max(...frequencies)];
  const gaps = frequencies.length - 1;
  const count = gaps * Math.ceil((highest - lowest) / (gaps * step));
  return Array.from({ length: count + 1 }, (_, index) => lowest + ((highest - lowest) * index) / count);
}

/** The chevron's shape at one detuning, for all pulse lengths; `angles` are π times these. */
function shapeOf(rabi: number, detuning: number, angles: Float64Array): Float64Array {
  const square = rabi ** 2 + detuning ** 2;
  const [contrast, generalised] = [rabi ** 2 / square, Math.sqrt(square)];
  return angles.map((angle) => contrast * Math.sin(generalised * angle) ** 2);
}

/** A chevron without decay that was fitted linearly. */
interface ChevronPattern {
  /** The sum of squares that it explains. */
  explained: number;
  /** Parameters of the chevron. */
  values: number[];
}

/** The best of a grid of resonances and Rabi frequencies. Amplitude and offset follow linearly for each. */
function bestPattern(
  points: readonly ChevronPoint[],
  centre: number,
  offsetTime: number,
): ChevronPattern | undefined {
  const times = [...new Set(points.map(({ time }) => time))];
  const rowOf = new Map(times.map((time, row) => [time, row]));
  const mean = points.reduce((sum, { signal }) => sum + signal, 0) / points.length;
  const columns = new Map<number, { rows: number[]; deviations: number[] }>();
  for (const { frequency, time, signal } of points) {
    const column = columns.get(frequency - centre) ?? { rows: [], deviations: [] };
    column.rows.push(rowOf.get(time) ?? 0);
    column.deviations.push(signal - mean);
    columns.set(frequency - centre, column);
  }
  const angles = Float64Array.from(times, (time) => Math.PI * (time + offsetTime));
  const longest = Math.max(...times) + offsetTime;
  const fastest = (0.6 * (times.length - 1)) / (Math.max(...times) - Math.min(...times));
  const step = START_PHASE / longest;
  const resonances = startResonances([...columns.keys()], step);
  let best: ChevronPattern | undefined;
  for (let rabi = 0.25 / longest; rabi <= fastest; rabi = Math.min(rabi * START_RABI_STEP, rabi + step)) {
    const shapes = new Map<number, Float64Array>();
    for (const resonance of resonances) {
      let [sum, squares, product] = [0, 0, 0];
      for (const [frequency, { rows, deviations }] of columns) {
        const detuning = Math.abs(Math.round((frequency - resonance) / SAME_DETUNING));
        let shape = shapes.get(detuning);
        if (shape === undefined) {
          shape = shapeOf(rabi, detuning * SAME_DETUNING, angles);
          shapes.set(detuning, shape);
        }
        for (let index = 0; index < rows.length; index++) {
          const value = shape[rows[index] ?? 0] ?? 0;
          sum += value;
          squares += value * value;
          product += value * (deviations[index] ?? 0);
        }
      }
      const variance = squares - sum ** 2 / points.length;
      if (!(variance > 0)) continue;
      const explained = product ** 2 / variance;
      if (explained <= (best?.explained ?? 0)) continue;
      const amplitude = product / variance;
      const offset = mean - (amplitude * sum) / points.length;
      best = { explained, values: [resonance, rabi, offsetTime, amplitude, offset, 0] };
    }
  }
  return best;
}

/** Ratio of explained variance to noise above which a second chevron is significant, although many are tried. */
const STANDS_OUT = 50;
/** A chevron weaker than this fraction of the first may come from the first one's shape. */
const MIN_SHARE = 0.1;

/** The chevron of a line other than that of the qubit. */
export interface OtherChevron {
  /** Its resonance, GHz. */
  frequency: number;
  /** Absolute ratio of its amplitude to that of the first. */
  share: number;
}

/**
 * Looks for a second chevron in the residuals of the best one. Its resonance is at least half the Rabi frequency and a step
 * of the sweep away, because closer ones form one pattern with the first.
 *
 * @returns both resonances, GHz; undefined if only one chevron is significant
 */
export function twoChevrons(
  points: readonly ChevronPoint[],
  offsetTime: number,
): { first: number; other: OtherChevron } | undefined {
  const frequencies = [...new Set(points.map(({ frequency }) => frequency))];
  const [lowest, highest] = [Math.min(...frequencies), Math.max(...frequencies)];
  const centre = (lowest + highest) / 2;
  const first = bestPattern(points, centre, offsetTime);
  if (first === undefined) return undefined;
  const model = chevronModel(points, centre);
  const left = points.map((point, index) => ({
    ...point,
    signal: point.signal - model.evaluate(first.values, index),
  }));
  const second = bestPattern(left, centre, offsetTime);
  if (second === undefined) return undefined;
  const [place = 0, rabi = 0, , amplitude = 0] = first.values;
  const [otherPlace = 0, , , otherAmplitude = 0] = second.values;
  const unexplained = left.reduce((sum, { signal }) => sum + signal ** 2, 0) - second.explained;
  const share = Math.abs(otherAmplitude / amplitude);
  const step = (highest - lowest) / (frequencies.length - 1);
  const isOther =
    second.explained > (STANDS_OUT * unexplained) / points.length &&
    share > MIN_SHARE &&
    Math.abs(otherPlace - place) > Math.max(step, rabi / 2);
  return isOther ? { first: centre + place, other: { frequency: centre + otherPlace, share } } : undefined;
}

/** Distances at which another line can be hidden in the pattern of the first, in units of the Rabi frequency. */
export const HIDDEN = [0.15, 0.3, 0.5, 0.75];

/**
 * Looks for another line so close to that of a fitted chevron that both form one pattern.
 * @returns the significance of the other line's signal in standard errors, at the most significant distance, and that
 * distance (GHz)
 */
export function hiddenLine(
  points: readonly ChevronPoint[],
  { fit }: Pick<ChevronFit, 'fit'>,
): { errors: number; distance: number } {
  if (!fit.ok) return { errors: 0, distance: 0 };
  const [resonance = 0, rabi = 0, ...rest] = fit.parameters;
  const model = chevronModel(points, resonance);
  // A chevron has hundreds of points, so their scatter determines the noise.
  const errorsOf = furtherParameters(fit, true);
  return HIDDEN.flatMap((part) => [-part * rabi, part * rabi])
    .map((distance) => ({
      distance,
      errors: Math.abs(
        errorsOf((index) => model.evaluate([distance, rabi, ...rest], index) - (rest[2] ?? 0)),
      ),
    }))
    .reduce((best, found) => (found.errors > best.errors ? found : best));
}

/** Step of the second difference in `widening`, in units of the Rabi frequency. */
const SMALL = 0.02;

/**
 * Looks for lines that are much closer to that of a fitted chevron than its Rabi frequency. All of them change the
 * pattern in the same way: they widen it by its second derivative by the resonance.
 * @returns the significance, in standard errors, of a pattern that is wider than that of one line; negative if it is
 * narrower
 */
export function widening(points: readonly ChevronPoint[], { fit }: Pick<ChevronFit, 'fit'>): number {
  if (!fit.ok) return 0;
  const [resonance = 0, rabi = 0, ...rest] = fit.parameters;
  const model = chevronModel(points, resonance);
  const at = (distance: number, index: number) => model.evaluate([distance, rabi, ...rest], index);
  const bend = (index: number) => at(SMALL * rabi, index) + at(-SMALL * rabi, index) - 2 * at(0, index);
  return furtherParameters(fit, true)(bend);
}

/**
 * Fits a chevron to all points at once. Parameters: resonance f0 (GHz), Rabi frequency Ω > 0 at resonance (GHz), excess
 * of the pulse length over its set value (ns), amplitude, offset, decay rate (1/ns).
 *
 * @param offsetTime start value of the excess pulse length, ns
 * @param again a fit of the same points to start from, and the deviation of each point up to a common factor
 */
export function fitChevron(
  points: readonly ChevronPoint[],
  offsetTime: number,
  again?: { from: ChevronFit; sigma: readonly number[] },
): ChevronFit {
  const frequencies = new Set(points.map(({ frequency }) => frequency));
  const times = new Set(points.map(({ time }) => time));
  if (frequencies.size < 3 || times.size < 5) {
    const message = `${frequencies.size} frequencies with ${times.size} pulse lengths are too few to fit a chevron`;
    const fit: Fit = { ok: false, failure: 'too-little-data', message, r2: null };
    return { fit, evaluate: () => Number.NaN };
  }
  const centre = (Math.min(...frequencies) + Math.max(...frequencies)) / 2;
  const before = again?.from.fit.ok ? again.from.fit.parameters : undefined;
  const start =
    before === undefined
      ? bestPattern(points, centre, offsetTime)?.values
      : [(before[0] ?? 0) - centre, ...before.slice(1)];
  if (start === undefined) {
    const fit: Fit = { ok: false, failure: 'too-little-data', message: 'the data do not vary', r2: null };
    return { fit, evaluate: () => Number.NaN };
  }
  const longest = Math.max(...times);
  const [, rabi = 1, , amplitude = 1] = start;
  const scale = [0.1 * rabi, 0.1 * rabi, 0.1 / rabi, Math.abs(amplitude), Math.abs(amplitude), 0.1 / longest];
  const fit = fitCurve({
    x: points.map((_, index) => index),
    y: points.map(({ signal }) => signal),
    model: chevronModel(points, centre),
    start,
    scale,
    sigma: again?.sigma,
  });
  const used = fit.ok ? fit.parameters : start;
  const evaluate = (frequency: number, time: number) =>
    chevronModel([{ frequency, time, signal: 0 }], centre).evaluate(used, 0);
  if (!fit.ok) return { fit, evaluate };
  const [resonance = 0, omega = 0, ...rest] = fit.parameters;
  return { fit: { ...fit, parameters: [centre + resonance, Math.abs(omega), ...rest] }, evaluate };
}
