import type { CurveModel, Fit } from './least-squares.ts';
import { fitWithOptionalMemory, predictedPoints } from './point-memory.ts';
import { fastestOscillation } from './sampling.ts';
import { mean } from './statistics.ts';
import { turning } from './turning.ts';

/** A point of either fringe. */
export interface FringePoint {
  time: number;
  /** 0 is X, 1 is Y. */
  axis: 0 | 1;
  value: number;
  /**
   * The previous measured value, of which this point may retain a fraction. Either all points of a fit have one, or
   * none.
   */
  before?: number;
}

/**
 * A further factor on a fringe besides its exponential decay, with one parameter q:
 * - `exponential`: none, without q;
 * - `gaussian`: e^(−q t²), caused by slow frequency noise;
 * - `beating`: cos(π q t), caused by two frequencies at a distance of q.
 */
export type Envelope = 'exponential' | 'gaussian' | 'beating';

/** The further factor of an envelope and its derivative by q. */
export function envelopeAt(envelope: Envelope, q: number, time: number): { value: number; slope: number } {
  switch (envelope) {
    case 'exponential':
      return { value: 1, slope: 0 };
    case 'gaussian': {
      const value = Math.exp(-q * time ** 2);
      return { value, slope: -(time ** 2) * value };
    }
    case 'beating':
      return {
        value: Math.cos(Math.PI * q * time),
        slope: -Math.PI * time * Math.sin(Math.PI * q * time),
      };
  }
}

/**
 * Both axes of a decaying precession, X(t) = A s(t) cos(2π f t + φ) + Cx and Y(t) = A s(t) sin(2π f t + φ) + Cy with
 * s(t) = e^(−t r) and the envelope's factor, as one curve over the index of the points. The sign of the frequency is
 * the sense of rotation. Parameters in the order A, f, φ, Cx, Cy, r and, except for an exponential envelope, q.
 */
export function precession(
  points: readonly Pick<FringePoint, 'time' | 'axis'>[],
  envelope: Envelope,
): CurveModel {
  return {
    evaluate([amplitude = 0, frequency = 0, phase = 0, offsetX = 0, offsetY = 0, rate = 0, q = 0], index) {
      const { time, axis } = points[index] ?? { time: 0, axis: 0 };
      const angle = 2 * Math.PI * frequency * time + phase;
      const size = amplitude * Math.exp(-time * rate) * envelopeAt(envelope, q, time).value;
      return axis === 0 ? size * Math.cos(angle) + offsetX : size * Math.sin(angle) + offsetY;
    },
    gradient([amplitude = 0, frequency = 0, phase = 0, , , rate = 0, q = 0], index) {
      const { time, axis } = points[index] ?? { time: 0, axis: 0 };
      const angle = 2 * Math.PI * frequency * time + phase;
      const decay = Math.exp(-time * rate);
      const { value: factor, slope: byQ } = envelopeAt(envelope, q, time);
      const turn = axis === 0 ? Math.cos(angle) : Math.sin(angle);
      const value = decay * factor * turn;
      const slope = amplitude * decay * factor * (axis === 0 ? -Math.sin(angle) : Math.cos(angle));
      const own = envelope === 'exponential' ? [] : [amplitude * decay * byQ * turn];
      return [
        value,
        2 * Math.PI * time * slope,
        slope,
        axis === 0 ? 1 : 0,
        axis === 0 ? 0 : 1,
        -time * amplitude * value,
        ...own,
      ];
    },
  };
}

export interface FringesFit {
  fit: Fit;
  envelope: Envelope;
  x(t: number): number;
  y(t: number): number;
  /** Values of the fit at the points. */
  fitted: number[];
}

/** Minimum number of points of both axes together. */
const MIN_POINTS = 12;
/** Decay rates tried as start values, in units of the inverse duration of the data. */
export const START_RATES = [0.3, 2, 6, 30];
/** Number of frequencies tried as start values for each turn over the data. */
export const STARTS_PER_TURN = 6;
/**
 * Number of start values for the distance of two frequencies for each factor of ten, and the smallest as a fraction of
 * a turn over the data.
 */
const BEATS_PER_DECADE = 16;
const SLOWEST_BEAT = 0.3;

interface Start {
  explained: number;
  values: number[];
}

/**
 * Amplitude, phase and offsets at a fixed frequency, rate and further factor. The problem is linear: X + iY = Z s(t)
 * e^(2πi f t) + C. The points of X and Y may differ, so each axis has its own offset.
 */
export function startAt(
  points: readonly FringePoint[],
  [meanX, meanY]: readonly [number, number],
  { frequency, rate, factor }: { frequency: number; rate: number; factor(time: number): number },
): Start | undefined {
  let [n, sumRe, sumIm, squares, re, im] = [0, 0, 0, 0, 0, 0];
  for (const { time, axis, value } of points) {
    const size = Math.exp(-rate * time) * factor(time);
    const angle = 2 * Math.PI * frequency * time;
    const [a, b] = [size * Math.cos(angle), size * Math.sin(angle)];
    if (axis === 0) {
      n += 1;
      sumRe += a;
      sumIm += b;
      squares += size * size;
      re += (value - meanX) * a;
      im -= (value - meanX) * b;
    } else {
      re += (value - meanY) * b;
      im += (value - meanY) * a;
    }
  }
  const variance = squares - (sumRe ** 2 + sumIm ** 2) / n;
  if (!(variance > 1e-9 * n)) return undefined;
  const [zRe, zIm] = [re / variance, im / variance];
  return {
    explained: (re ** 2 + im ** 2) / variance,
    values: [
      Math.hypot(zRe, zIm),
      frequency,
      Math.atan2(zIm, zRe),
      meanX - (zRe * sumRe - zIm * sumIm) / n,
      meanY - (zRe * sumIm + zIm * sumRe) / n,
      rate,
    ],
  };
}

export function meansOf(points: readonly FringePoint[]): readonly [number, number] {
  const of = (axis: 0 | 1) => mean(points.filter((point) => point.axis === axis).map(({ value }) => value));
  return [of(0), of(1)];
}

/**
 * Start values of a fit with an exponential decay: the best of many frequencies, in both senses of rotation, and rates.
 * Undefined if there are too few points or these do not vary.
 */
export function fringesStart(points: readonly FringePoint[]): number[] | undefined {
  if (points.length < MIN_POINTS) return undefined;
  const times = points.map(({ time }) => time);
  const span = Math.max(...times) - Math.min(...times);
  const step = 1 / (STARTS_PER_TURN * span);
  const most = Math.floor(fastestOscillation(times) / step);
  const means = meansOf(points);
  const rates = START_RATES.map((perSpan) => perSpan / span);
  let best = { explained: 0, frequency: 0, rate: 0 };
  const sizes = rates.map((rate) => (time: number) => Math.exp(-rate * time));
  scanFrequencies(points, means, { step, most, sizes }, (explained, frequency, which) => {
    if (explained > best.explained) best = { explained, frequency, rate: rates[which] ?? 0 };
  });
  return startAt(points, means, { ...best, factor: () => 1 })?.values;
}

/**
 * The variance explained by a precession at each of `most` steps of frequency in both senses of rotation, for each
 * decay.
 */
export function scanFrequencies(
  points: readonly FringePoint[],
  means: readonly [number, number],
  { step, most, sizes }: { step: number; most: number; sizes: readonly ((time: number) => number)[] },
  see: (explained: number, frequency: number, which: number) => void,
): void {
  const { count, sums, advance } = turningPoints(points, means, { step, sizes });
  for (let steps = 0; steps <= most; steps++) {
    for (let which = 0; which < sizes.length; which++) {
      const { squares, cosine, sine, xCosine, xSine, yCosine, ySine } = sums(which);
      const variance = squares - (cosine * cosine + sine * sine) / count;
      if (!(variance > 1e-9 * count)) continue;
      const explained = (re: number, im: number) => (re * re + im * im) / variance;
      see(explained(xCosine - ySine, yCosine + xSine), -steps * step, which);
      see(explained(xCosine + ySine, yCosine - xSine), steps * step, which);
    }
    advance();
  }
}

/** Sums over the points, each weighted by the decay at its time: of the points of X, and of the values of X and Y. */
interface TurnedSums {
  squares: number;
  cosine: number;
  sine: number;
  xCosine: number;
  xSine: number;
  yCosine: number;
  ySine: number;
}

/**
 * Points rotated by a frequency that starts at 0 and increases by `step` with each `advance`. Both senses of rotation
 * follow from the same sums, see {@link startAt}. Each distinct time is rotated once.
 */
function turningPoints(
  points: readonly FringePoint[],
  means: readonly [number, number],
  { step, sizes }: { step: number; sizes: readonly ((time: number) => number)[] },
) {
  const times = [...new Set(points.map(({ time }) => time))];
  const indexOf = new Map(times.map((time, index) => [time, index]));
  const numbers = new Float64Array(times.length);
  const values = means.map(() => new Float64Array(times.length));
  for (const { time, axis, value } of points) {
    const index = indexOf.get(time) ?? 0;
    if (axis === 0) numbers[index] = (numbers[index] ?? 0) + 1;
    const ofAxis = values[axis];
    if (ofAxis) ofAxis[index] = (ofAxis[index] ?? 0) + value - means[axis];
  }
  const decays = sizes.map((size) => {
    const decay = times.map(size);
    const sized = (of: Float64Array | undefined) =>
      Float64Array.from(decay, (each, index) => each * (of?.[index] ?? 0));
    return {
      n: sized(numbers),
      x: sized(values[0]),
      y: sized(values[1]),
      squares: decay.reduce((sum, each, index) => sum + each * each * (numbers[index] ?? 0), 0),
    };
  });
  const { cosines, sines, advance } = turning(times, { from: 0, step });
  // These loops run for each time and each frequency, so they do not allocate lists for pairs of numbers.
  return {
    count: numbers.reduce((sum, each) => sum + each, 0),
    sums(which: number): TurnedSums {
      const { n, x, y, squares } = decays[which] ?? { n: cosines, x: cosines, y: cosines, squares: 0 };
      let cosine = 0;
      let sine = 0;
      let xCosine = 0;
      let xSine = 0;
      let yCosine = 0;
      let ySine = 0;
      for (let index = 0; index < n.length; index++) {
        const c = cosines[index] ?? 0;
        const s = sines[index] ?? 0;
        const ofN = n[index] ?? 0;
        const ofX = x[index] ?? 0;
        const ofY = y[index] ?? 0;
        cosine += ofN * c;
        sine += ofN * s;
        xCosine += ofX * c;
        xSine += ofX * s;
        yCosine += ofY * c;
        ySine += ofY * s;
      }
      return { squares, cosine, sine, xCosine, xSine, yCosine, ySine };
    },
    advance,
  };
}

/** Start values for two frequencies around or beside the known one. */
function beatingStart(points: readonly FringePoint[], known: readonly number[], span: number): number[] {
  const [, centre = 0] = known;
  const means = meansOf(points);
  const highest = fastestOscillation(points.map(({ time }) => time));
  let best: Start = { explained: 0, values: [...known.slice(0, 6), SLOWEST_BEAT / span] };
  for (let count = 0; ; count++) {
    const beat = (SLOWEST_BEAT / span) * 10 ** (count / BEATS_PER_DECADE);
    if (beat > highest) return best.values;
    for (const frequency of [centre, centre - beat / 2, centre + beat / 2]) {
      for (const perSpan of START_RATES) {
        const factor = (time: number) => Math.cos(Math.PI * beat * time);
        const found = startAt(points, means, { frequency, rate: perSpan / span, factor });
        if (found !== undefined && found.explained > best.explained) {
          best = { ...found, values: [...found.values, beat] };
        }
      }
    }
  }
}

/** Start values with half the exponential rate, and a Gaussian that replaces the other half at the decay time. */
function gaussianStart([amplitude = 0, frequency = 0, phase = 0, x = 0, y = 0, rate = 0]: readonly number[]) {
  return [amplitude, frequency, phase, x, y, rate / 2, rate ** 2 / 2];
}

export function fitFrom(
  points: readonly FringePoint[],
  start: readonly number[],
  { sigma, envelope }: { sigma?: readonly number[] | undefined; envelope: Envelope },
): Fit {
  const times = points.map(({ time }) => time);
  const span = Math.max(...times) - Math.min(...times);
  const [amplitude = 1, , , , , rate = 0] = start;
  const ofQ = { exponential: [], gaussian: [1 / span ** 2], beating: [1 / (Math.PI * span)] }[envelope];
  const ofRate = Math.max(1 / span, rate);
  const problem = {
    x: points.map((_, index) => index),
    y: points.map(({ value }) => value),
    model: precession(points, envelope),
    start,
    scale: [amplitude, 1 / (2 * Math.PI * span), 1, amplitude, amplitude, ofRate, ...ofQ],
    ...(sigma === undefined ? {} : { sigma }),
  };
  return fitWithOptionalMemory({ ...problem, before: beforeOf(points) });
}

/** The signal before each point; undefined if points do not retain it. */
function beforeOf(points: readonly FringePoint[]): number[] | undefined {
  const before = points.flatMap((point) => point.before ?? []);
  return before.length === points.length ? before : undefined;
}

/**
 * Fits a decaying precession to points of both axes at once, which determines the sense of rotation and the frequency.
 *
 * @param points points, each with the previous one if it may retain a fraction of it; that fraction is then the last
 * parameter
 * @param sigma deviations of the points, up to a common factor
 * @param known parameters of an exponential decay as start values, if known
 */
export function fitFringePoints(
  points: readonly FringePoint[],
  sigma?: readonly number[],
  { envelope = 'exponential', known }: { envelope?: Envelope; known?: readonly number[] } = {},
): FringesFit {
  const times = points.map(({ time }) => time);
  const span = Math.max(...times) - Math.min(...times);
  const plain = points.length < MIN_POINTS ? undefined : (known ?? fringesStart(points));
  if (plain === undefined) {
    const count = new Set(times).size;
    const message =
      points.length < MIN_POINTS ? `${count} points are too few to fit fringes` : 'the data do not vary';
    const fit: Fit = { ok: false, failure: 'too-little-data', message, r2: null };
    return { fit, envelope, x: () => Number.NaN, y: () => Number.NaN, fitted: [] };
  }
  const starts = {
    exponential: () => plain,
    gaussian: () => gaussianStart(plain),
    beating: () => beatingStart(points, plain, span),
  };
  const start = starts[envelope]();
  const model = precession(points, envelope);
  const fit = fitFrom(points, start, { sigma, envelope });
  const used = fit.ok ? fit.parameters : start;
  const along = (axis: 0 | 1) => (time: number) => precession([{ time, axis }], envelope).evaluate(used, 0);
  const curve = points.map((_, index) => model.evaluate(used, index));
  return {
    fit,
    envelope,
    x: along(0),
    y: along(1),
    fitted: predictedPoints(curve, { before: beforeOf(points), fit }),
  };
}

/** All points of X, then all of Y. */
export function fringePoints(
  t: readonly number[],
  x: readonly number[],
  y: readonly number[],
): FringePoint[] {
  return ([x, y] as const).flatMap((values, axis) =>
    t.map((time, index): FringePoint => ({ time, axis: axis === 0 ? 0 : 1, value: values[index] ?? 0 })),
  );
}

/**
 * Fits a decaying precession to both axes, measured at the same times.
 *
 * @param sigma deviations of X and then of Y, up to a common factor
 */
export function fitFringes(
  t: readonly number[],
  x: readonly number[],
  y: readonly number[],
  sigma?: readonly number[],
): FringesFit {
  return fitFringePoints(fringePoints(t, x, y), sigma);
}
