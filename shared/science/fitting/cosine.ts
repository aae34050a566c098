import { type CurveModel, type Fit, fitCurve, type SuccessfulFit, weightedSquares } from './least-squares.ts';
import { fitWithOptionalMemory } from './point-memory.ts';
import { fastestOscillation } from './sampling.ts';
import { turning } from './turning.ts';

/**
 * y = A e^(−t/τ) cos(2π f t + φ) + C. Parameters in the order A, f, φ, C and, when damped, the rate 1/τ: during a fit,
 * a rate can pass through zero, whereas a time cannot pass through infinity.
 */
const dampedCosine: CurveModel = {
  evaluate([amplitude = 0, frequency = 0, phase = 0, offset = 0, rate = 0], t) {
    return amplitude * Math.exp(-t * rate) * Math.cos(2 * Math.PI * frequency * t + phase) + offset;
  },
  gradient(parameters, t) {
    const [amplitude = 0, frequency = 0, phase = 0, , rate = 0] = parameters;
    const decay = Math.exp(-t * rate);
    const angle = 2 * Math.PI * frequency * t + phase;
    const slope = -amplitude * decay * Math.sin(angle);
    const derivatives = [decay * Math.cos(angle), 2 * Math.PI * t * slope, slope, 1];
    if (parameters.length === 5) derivatives.push(-t * amplitude * decay * Math.cos(angle));
    return derivatives;
  },
};

export interface CosineFit {
  /**
   * If the points may retain a fraction of the previous one, that fraction is the last parameter, also of `decaying`.
   */
  fit: Fit;
  /** Amplitude A > 0, frequency in 1/unit of x, phase in (−π, π], offset, rate of decay in 1/unit of x. */
  start: number[];
  damped: boolean;
  /**
   * The same fit with a decay rate of either sign, whether or not a decay is significant. A decay below the noise would
   * make the amplitude of an undamped cosine too small by more than its error. Not ok if the data do not determine
   * both.
   */
  decaying: Fit;
  evaluate(t: number): number;
}

/** Sums over points (t, y) of cos 2π f t and sin 2π f t, and of their products with each other and with y. */
interface TurnedSums {
  n: number;
  cc: number;
  cs: number;
  ss: number;
  c1: number;
  s1: number;
  yc: number;
  ys: number;
  y1: number;
}

/** Points rotated by a frequency that increases by `step` with each `advance`. */
function turningPoints(
  t: readonly number[],
  y: readonly number[],
  { from, step }: { from: number; step: number },
) {
  const { cosines, sines, advance } = turning(t, { from, step });
  const values = Float64Array.from(t, (_, index) => y[index] ?? 0);
  // These loops run for each point and each frequency, so they do not allocate lists for pairs of numbers.
  return {
    sums(): TurnedSums {
      let cc = 0;
      let cs = 0;
      let ss = 0;
      let c1 = 0;
      let s1 = 0;
      let yc = 0;
      let ys = 0;
      let y1 = 0;
      for (let index = 0; index < values.length; index++) {
        const cosine = cosines[index] ?? 0;
        const sine = sines[index] ?? 0;
        const value = values[index] ?? 0;
        cc += cosine * cosine;
        cs += cosine * sine;
        ss += sine * sine;
        c1 += cosine;
        s1 += sine;
        yc += value * cosine;
        ys += value * sine;
        y1 += value;
      }
      return { n: values.length, cc, cs, ss, c1, s1, yc, ys, y1 };
    },
    advance,
  };
}

/** Least-squares coefficients of cosine and sine from the sums at a frequency, and the variance that they explain. */
function explainedBy({ n, cc, cs, ss, c1, s1, yc, ys, y1 }: TurnedSums) {
  // Eliminating the offset leaves two equations for the coefficients of cosine and sine.
  const a = cc - (c1 * c1) / n;
  const b = cs - (c1 * s1) / n;
  const d = ss - (s1 * s1) / n;
  const u = yc - (c1 * y1) / n;
  const v = ys - (s1 * y1) / n;
  const determinant = a * d - b * b;
  if (!(determinant > 1e-9 * n * n)) return undefined;
  const cosinePart = (u * d - v * b) / determinant;
  const sinePart = (v * a - u * b) / determinant;
  return { cosinePart, sinePart, explained: cosinePart * u + sinePart * v };
}

/** Least-squares amplitude, phase and offset at a fixed frequency. The problem is linear, so the solution is exact. */
function solveAt(frequency: number, t: readonly number[], y: readonly number[]) {
  const sums = turningPoints(t, y, { from: frequency, step: 0 }).sums();
  const found = explainedBy(sums);
  if (found === undefined) return undefined;
  const { cosinePart, sinePart } = found;
  return {
    amplitude: Math.hypot(cosinePart, sinePart),
    phase: Math.atan2(-sinePart, cosinePart),
    offset: (sums.y1 - cosinePart * sums.c1 - sinePart * sums.s1) / sums.n,
  };
}

/**
 * Start values from a least-squares periodogram with floating mean (https://doi.org/10.1007/BF00648343): like an FFT,
 * but it works for less than one period and uneven spacing. Frequencies range from a quarter period over the data to
 * the highest that the points resolve.
 */
export function cosineStart(t: readonly number[], y: readonly number[]): number[] | undefined {
  const span = Math.max(...t) - Math.min(...t);
  const highest = fastestOscillation(t);
  const step = 1 / (10 * span);
  const turns = turningPoints(t, y, { from: 0.25 / span, step });
  let best: { frequency: number; explained: number } | undefined;
  for (let frequency = 0.25 / span; frequency <= highest; frequency += step) {
    const explained = explainedBy(turns.sums())?.explained ?? 0;
    if (explained > (best?.explained ?? 0)) best = { frequency, explained };
    turns.advance();
  }
  const solution = best === undefined ? undefined : solveAt(best.frequency, t, y);
  if (best === undefined || solution === undefined) return undefined;
  return [solution.amplitude, best.frequency, solution.phase, solution.offset];
}

/** Frequencies that explain at least this fraction of the best one's variance are also fitted. */
const NEARLY_AS_GOOD = 0.7;
/** Limit on the candidates that are fitted. */
const MAX_RIVALS = 8;
/**
 * Significance, in deviations, with which one frequency must describe the data better than another. The wrong one
 * almost never does.
 */
const DISTINGUISHED = 4.5;

/**
 * A frequency up to `highest` that describes the points about as well as the fitted one; null if the data distinguish
 * the two. With equal steps, an oscillation of f is identical to its aliases k/step ± f.
 *
 * @param sigma deviations of the points, up to a common factor
 */
export function rivalCosine(
  t: readonly number[],
  y: readonly number[],
  { fit, damped }: Pick<CosineFit, 'fit' | 'damped'>,
  { sigma, highest }: { sigma?: readonly number[] | undefined; highest: number },
): number | null {
  if (!fit.ok) return null;
  const span = Math.max(...t) - Math.min(...t);
  const [, frequency = 0, , , rate = 0] = fit.parameters;
  const step = 1 / (10 * span);
  const turns = turningPoints(t, y, { from: 0, step });
  const explained: number[] = [];
  const fastest = Math.max(highest, fastestOscillation(t));
  for (let index = 0; index * step <= fastest; index++) {
    explained.push(explainedBy(turns.sums())?.explained ?? 0);
    turns.advance();
  }
  const best = Math.max(...explained);
  const candidates = explained
    .map((value, index) => ({ value, index }))
    .filter(
      ({ value, index }) =>
        value > NEARLY_AS_GOOD * best &&
        value >= (explained[index - 1] ?? 0) &&
        value >= (explained[index + 1] ?? 0) &&
        Math.abs(index * step - frequency) > 1 / span,
    )
    .sort((a, b) => b.value - a.value)
    .slice(0, MAX_RIVALS);
  const found = weightedSquares(fit);
  const noise = Math.max(found / Math.max(1, t.length - fit.parameters.length), Number.MIN_VALUE);
  for (const { index } of candidates) {
    const start = solveAt(index * step, t, y);
    if (start === undefined) continue;
    const { amplitude, phase, offset } = start;
    const rival = fitCurve({
      x: t,
      y,
      model: dampedCosine,
      start: [amplitude, index * step, phase, offset, ...(damped ? [rate] : [])],
      scale: [amplitude, 1 / (2 * Math.PI * span), 1, amplitude, ...(damped ? [1 / span] : [])],
      ...(sigma === undefined ? {} : { sigma }),
    });
    if (!rival.ok) continue;
    const other = Math.abs(rival.parameters[1] ?? 0);
    if (Math.abs(other - frequency) > 1 / span && weightedSquares(rival) - found < DISTINGUISHED ** 2 * noise)
      return other;
  }
  return null;
}

/** The same curve with positive amplitude and frequency and a phase in (−π, π]. */
function normalised(fit: Fit): Fit {
  if (!fit.ok) return fit;
  const [amplitude = 0, frequency = 0, phase = 0, ...rest] = fit.parameters;
  const forward = frequency < 0 ? -1 : 1;
  const upright = amplitude < 0 ? -1 : 1;
  const shifted = forward * phase + (upright < 0 ? Math.PI : 0);
  const wrapped = shifted - 2 * Math.PI * Math.ceil((shifted - Math.PI) / (2 * Math.PI));
  const signs = [upright, forward, forward];
  const covariance = fit.covariance.map((row, i) =>
    row.map((value, j) => value * (signs[i] ?? 1) * (signs[j] ?? 1)),
  );
  return { ...fit, parameters: [upright * amplitude, forward * frequency, wrapped, ...rest], covariance };
}

/** The penalty for a further parameter by Akaike's criterion, corrected for few points. */
function informationCriterion({ residualSumOfSquares, parameters }: SuccessfulFit, points: number): number {
  const k = parameters.length + 1;
  return points * Math.log(residualSumOfSquares / points) + 2 * k + (2 * k * (k + 1)) / (points - k - 1);
}

/** Minimum gain in Akaike's criterion of the damped curve: strong evidence. */
const EVIDENCE_FOR_DAMPING = 6;

/**
 * Fits a cosine to y(t), damped only if the data clearly show a decay. A sweep that is much shorter than the decay does
 * not determine its time, which would only increase the error of the frequency.
 *
 * @param t times in any unit; the frequency is in the inverse unit
 * @param sigma standard deviation of each point up to a common factor
 * @param before the point before each point, if the points may retain a fraction of it
 */
export function fitCosine(
  t: readonly number[],
  y: readonly number[],
  { sigma, before }: { sigma?: readonly number[] | undefined; before?: readonly number[] | undefined } = {},
): CosineFit {
  const start = t.length < 6 ? undefined : cosineStart(t, y);
  if (start === undefined) {
    const message = t.length < 6 ? `${t.length} points are too few to fit a cosine` : 'the data do not vary';
    return {
      fit: { ok: false, failure: 'too-little-data', message, r2: null },
      start: [],
      damped: false,
      decaying: { ok: false, failure: 'too-little-data', message, r2: null },
      evaluate: () => Number.NaN,
    };
  }
  const span = Math.max(...t) - Math.min(...t);
  const amplitude = start[0] || 1;
  const scale = [amplitude, 1 / (2 * Math.PI * span), 1, amplitude];
  const problem = { x: t, y, model: dampedCosine, sigma, before };
  const plain = normalised(fitWithOptionalMemory({ ...problem, start, scale }));
  const decaying = normalised(
    fitWithOptionalMemory({
      ...problem,
      start: [...(plain.ok ? plain.parameters.slice(0, start.length) : start), 0.3 / span],
      scale: [...scale, 1 / span],
    }),
  );
  const damped =
    decaying.ok &&
    (decaying.parameters[4] ?? 0) > 0 &&
    (!plain.ok ||
      informationCriterion(decaying, t.length) + EVIDENCE_FOR_DAMPING <
        informationCriterion(plain, t.length));
  const fit = damped ? decaying : plain;
  const parameters = fit.ok ? fit.parameters.slice(0, damped ? start.length + 1 : start.length) : start;
  return { fit, start, damped, decaying, evaluate: (time) => dampedCosine.evaluate(parameters, time) };
}
