import { type CurveModel, type Fit, fitCurve } from './least-squares.ts';
import { fitMaybeRemembering } from './point-memory.ts';
import { fastestOscillation } from './sampling.ts';
import { turning } from './turning.ts';

/**
 * y = A e^(−t/τ) cos(2π f t + φ) + C. Parameters in the order A, f, φ, C and, when damped, the rate 1/τ:
 * the rate may pass through zero where the time may not pass through infinity.
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
  /** If the points may keep a part of the ones before, that part is the last parameter, as it is of `decaying`. */
  fit: Fit;
  /** Amplitude A > 0, frequency in 1/unit of x, phase in (−π, π], offset, rate of decay in 1/unit of x. */
  start: number[];
  damped: boolean;
  /**
   * The same with a rate of decay of either sign, whether or not one is seen: a decay that hides in the noise makes the
   * amplitude of a cosine without one too small by more than its error. Not ok if the data do not determine both.
   */
  decaying: Fit;
  evaluate(t: number): number;
}

/** Sums over points (t, y) of the cosine and the sine of 2π f t, of their products with each other and with y. */
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

/** Points turned by a frequency that goes up by `step` with each `advance`. */
function turningPoints(
  t: readonly number[],
  y: readonly number[],
  { from, step }: { from: number; step: number },
) {
  const { cosines, sines, advance } = turning(t, { from, step });
  const values = Float64Array.from(t, (_, index) => y[index] ?? 0);
  // These loops run over each point at each frequency, so pairs of numbers are not put into lists.
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

/** Least-squares parts of cosine and sine by the sums at a frequency, and how much of the data they explain. */
function explainedBy({ n, cc, cs, ss, c1, s1, yc, ys, y1 }: TurnedSums) {
  // The offset is eliminated first, which leaves two equations for the cosine and sine parts.
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

/** Least-squares amplitude, phase and offset at a fixed frequency: linear, hence exact. */
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
 * Start values from a least-squares periodogram with floating mean (https://doi.org/10.1007/BF00648343):
 * like an FFT, but it takes fewer than one period and uneven spacing. Frequencies reach from a quarter period over the data to
 * the fastest that its points resolve.
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

/** Frequencies that explain at least this fraction of the best one's variance are fitted too. */
const NEARLY_AS_GOOD = 0.7;
/** Limit on the candidates that are fitted. */
const MAX_RIVALS = 8;
/** Deviations by which the better of two frequencies must describe the data better. The wrong one hardly ever does so. */
const TOLD_APART = 4.5;

/**
 * A frequency up to `highest` that describes the points about as well as the one that was fitted; null if the data
 * distinguish the two. With equal steps, an oscillation of f looks like its aliases k/step ± f.
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
    if (Math.abs(other - frequency) > 1 / span && weightedSquares(rival) - found < TOLD_APART ** 2 * noise)
      return other;
  }
  return null;
}

function weightedSquares(fit: Extract<Fit, { ok: true }>): number {
  return fit.whitened.residuals.reduce((sum, value) => sum + value ** 2, 0);
}

/** Amplitude and frequency positive and phase in (−π, π], which names the same curve. */
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

/** Akaike's criterion, corrected for few points: the penalty for a further parameter. */
function informationCriterion(
  { residualSumOfSquares, parameters }: Extract<Fit, { ok: true }>,
  points: number,
): number {
  const k = parameters.length + 1;
  return points * Math.log(residualSumOfSquares / points) + 2 * k + (2 * k * (k + 1)) / (points - k - 1);
}

/** Gain in Akaike's criterion that the damped curve must have: strong evidence. */
const EVIDENCE_FOR_DAMPING = 6;

/**
 * Fits a cosine to y(t), damped only if the data show a decay beyond doubt: over a sweep much shorter than the decay
 * its time cannot be found, and would only blur the frequency.
 *
 * @param t times in any unit; the frequency comes in its inverse
 * @param sigma standard deviation of each point up to a common factor
 * @param before the point before each of them, if the points may keep a part of it
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
  const plain = normalised(fitMaybeRemembering({ ...problem, start, scale }));
  const decaying = normalised(
    fitMaybeRemembering({
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
