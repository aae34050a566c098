import type { Estimate } from './estimate.ts';
import type { IqPoints } from './iq-rotation.ts';
import { type CurveModel, fitCurve, type SuccessfulFit, weightedSquares } from './least-squares.ts';

/** Prior standard deviation of the loss: amplifiers are operated below their 1 dB compression point. */
const USUAL_LOSS = 1 - 10 ** (-1 / 20);
/** Prior probability that an amplifier compresses at all. */
const COMPRESSES = 0.5;
/** Grid of fitted losses. Beyond a third, a stronger input would give a weaker output, which no amplifier does. */
const LOSS_STEP = 0.02;
const LOSS_NODES = 15;
/** Number of interpolated losses between two grid points. */
const BETWEEN = 10;

/** A curve of populations, fitted to points in the IQ plane that an amplifier may have compressed. */
export interface CompressibleCurve {
  model: CurveModel;
  /** The fitted parameters and their errors. */
  parameters: readonly number[];
  errors: readonly number[];
  x: readonly number[];
  /**
   * Coordinates of the points along the line between both prepared states, as populations, and across it in the same
   * unit.
   */
  y: readonly number[];
  aside: readonly number[];
  /** Standard deviation of each point. */
  sigma: readonly number[];
  /**
   * Known values besides the points of the curve, such as an asymptote. They are populations, which no amplifier
   * changes.
   */
  ends: readonly { x: number; known: Estimate }[];
  /** Positions of the states of population 0 and 1. */
  prepared: IqPoints;
  /** Whether the prepared states were measured, each as a point with its noise. */
  areMeasured: boolean;
  /** Standard deviation of a point across the line between both states, as a fraction of their distance. */
  across: number;
  /** The loss that has already been corrected in all of these values; 0 for raw points. */
  undone: number;
}

/** The fit of the curve for one loss of the amplifier. */
interface LossyFit {
  /** −2 log-likelihood of the points, up to a constant. */
  misfit: number;
  parameters: readonly number[];
  errors: readonly number[];
}

/** The fits for increasing losses of the amplifier. The first one has no loss. */
export interface LossyFits {
  of: readonly LossyFit[];
  undone: number;
}

/**
 * Fits a curve for several amplifiers whose gain falls with the square of the signal's size, each with another loss.
 * Compression changes the shape of the curve along the line between both prepared states, and bends that line.
 *
 * @returns null if the states are unknown, or nothing can be fitted
 */
export function fitLosses({
  prepared,
  areMeasured,
  across,
  undone,
  ...curve
}: CompressibleCurve): LossyFits | null {
  const { x, y, aside, ends } = curve;
  const [g, e] = [0, 1].map((state) => ({ re: prepared.re[state], im: prepared.im[state] }));
  if (g?.re === undefined || g.im === undefined || e?.re === undefined || e.im === undefined) return null;
  const plane = planeOf({ re: g.re, im: g.im }, { re: e.re, im: e.im });
  if (!(plane.size > 0 && across > 0)) return null;
  const rows = [...x.keys(), ...ends.map((_, index) => x.length + index)];
  const values = [...y, ...ends.map(({ known }) => known.value)];
  const sigma = [...curve.sigma, ...ends.map(({ known }) => known.error)];
  const placeOf = (row: number) => x[row] ?? ends[row - x.length]?.x ?? 0;
  const fits: { fit: SuccessfulFit; beside: number }[] = [];
  let start = curve.parameters;
  for (let node = 0; node < LOSS_NODES; node++) {
    const amplified = amplifierOf(plane, node * LOSS_STEP, undone);
    const model: CurveModel = {
      evaluate(parameters, row) {
        const population = curve.model.evaluate(parameters, placeOf(row));
        return row < x.length ? amplified(population).along : population;
      },
      gradient(parameters, row) {
        const slopes = curve.model.gradient(parameters, placeOf(row));
        if (row >= x.length) return slopes;
        const population = curve.model.evaluate(parameters, placeOf(row));
        const slope =
          (amplified(population + SMALL).along - amplified(population - SMALL).along) / (2 * SMALL);
        return slopes.map((each) => slope * each);
      },
    };
    const found = fitCurve({
      x: rows,
      y: values,
      model,
      start,
      scale: curve.errors.map((error) => error || 1),
      sigma,
    });
    if (!found.ok) break;
    start = found.parameters;
    const populations = x.map((place) => curve.model.evaluate(found.parameters, place));
    fits.push({
      fit: found,
      beside: misfitBeside(populations, aside, { amplified, areMeasured }) / across ** 2,
    });
  }
  const [first] = fits;
  if (first === undefined) return null;
  const squares = fits.map(({ fit }) => weightedSquares(fit));
  // The smallest scatter of the points about any of the curves is their noise.
  const scatter = Math.min(...squares) / (rows.length - first.fit.parameters.length);
  const of = fits.map(({ fit: { parameters, errors }, beside }, index) => ({
    misfit: (squares[index] ?? 0) / scatter + beside,
    parameters,
    errors,
  }));
  return { of, undone };
}

/** Step of a population for derivatives. */
const SMALL = 1e-4;

interface Point {
  re: number;
  im: number;
}

interface Plane {
  g: Point;
  e: Point;
  /** From the ground state to the excited one, and the square of its length. */
  d: Point;
  size: number;
}

function planeOf(g: Point, e: Point): Plane {
  const d = { re: e.re - g.re, im: e.im - g.im };
  return { g, e, d, size: d.re ** 2 + d.im ** 2 };
}

/** Converts a population to coordinates after the amplifier: along the line between both states, and across it. */
type Amplified = (population: number) => { along: number; beside: number };

function amplifierOf({ g, e, d, size }: Plane, loss: number, undone: number): Amplified {
  const [ground, excited] = [
    afterAmplifier(g, lostOf([g, e], undone)),
    afterAmplifier(e, lostOf([g, e], undone)),
  ];
  const lost = lostBefore([ground, excited], loss);
  const [from, to] = [beforeAmplifier(ground, lost), beforeAmplifier(excited, lost)];
  const again = lostOf([g, e], undone);
  return (population) => {
    const at = {
      re: from.re + population * (to.re - from.re),
      im: from.im + population * (to.im - from.im),
    };
    const seen = beforeAmplifier(afterAmplifier(at, lost), again);
    const [re, im] = [seen.re - g.re, seen.im - g.im];
    return { along: (re * d.re + im * d.im) / size, beside: (d.re * im - d.im * re) / size };
  };
}

/**
 * Coefficient κ of an amplifier's gain 1 − κ r², which loses a given fraction at the larger one of these input signals.
 */
function lostOf(signals: readonly Point[], loss: number): number {
  return loss / Math.max(...signals.map(({ re, im }) => re ** 2 + im ** 2));
}

/** The same coefficient, from output signals of the amplifier. */
function lostBefore(amplified: readonly Point[], loss: number): number {
  return (1 - loss) ** 2 * lostOf(amplified, loss);
}

function afterAmplifier({ re, im }: Point, lost: number): Point {
  const gain = 1 - lost * (re ** 2 + im ** 2);
  return { re: gain * re, im: gain * im };
}

const NEWTON_STEPS = 30;
const EXACT = 1e-13;

/**
 * The input signal of an amplifier for a given output: the smaller root of r (1 − κ r²). Noise may exceed the largest
 * possible output.
 */
function beforeAmplifier({ re, im }: Point, lost: number): Point {
  const seen = Math.hypot(re, im);
  const largest = 0.99 / Math.sqrt(3 * lost);
  let size = Math.min(seen, largest);
  for (let step = 0; step < NEWTON_STEPS; step++) {
    const missing = seen - size * (1 - lost * size ** 2);
    size = Math.min(largest, size + missing / (1 - 3 * lost * size ** 2));
    if (!(missing > EXACT * seen)) break;
  }
  const gain = seen > 0 ? size / seen : 1;
  return { re: gain * re, im: gain * im };
}

/** Points corrected for the loss of an amplifier, which is given at the larger one of the prepared states. */
export function undoLoss(points: IqPoints, prepared: IqPoints, loss: number): IqPoints {
  const pointsOf = ({ re, im }: IqPoints) => re.map((value, index) => ({ re: value, im: im[index] ?? 0 }));
  const lost = lostBefore(pointsOf(prepared), loss);
  const undone = pointsOf(points).map((point) => beforeAmplifier(point, lost));
  return { re: undone.map(({ re }) => re), im: undone.map(({ im }) => im) };
}

/**
 * Sum of squared distances from the line of the states. Measured states are as noisy as the points, so the true line
 * may be shifted and rotated against the one between them.
 */
function misfitBeside(
  populations: readonly number[],
  aside: readonly number[],
  { amplified, areMeasured }: { amplified: Amplified; areMeasured: boolean },
): number {
  const states = areMeasured ? [0, 1] : [];
  const places = [...populations, ...states];
  const left = [
    ...populations.map((population, index) => (aside[index] ?? 0) - amplified(population).beside),
    ...states.map(() => 0),
  ];
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [centre, level] = [mean(places), mean(left)];
  const squares = places.reduce((sum, place) => sum + (place - centre) ** 2, 0);
  const slope =
    places.reduce((sum, place, index) => sum + (place - centre) * (left[index] ?? 0), 0) / squares;
  return left.reduce(
    (sum, value, index) => sum + (value - level - slope * ((places[index] ?? 0) - centre)) ** 2,
    0,
  );
}

/** Probabilities of the amplifier's losses. */
export interface LossProbabilities {
  /** Probability of no loss, then of each loss. */
  weights: readonly { loss: number; weight: number }[];
  /** The loss, given that the amplifier compresses. */
  loss: Estimate;
  /** Significance of a loss, in standard errors. */
  certainty: number;
}

/**
 * Posterior probabilities of losses from measurements with the same amplifier (Bayes). The prior: half of all
 * amplifiers compress, with losses of usual size. Gain does not increase with the signal, so a loss is positive.
 */
export function lossProbabilities(measurements: readonly LossyFits[]): LossProbabilities {
  const nodes = Math.min(...measurements.map(({ of }) => of.length));
  const misfits = Array.from({ length: nodes }, (_, node) =>
    measurements.reduce((sum, { of }) => sum + (of[node]?.misfit ?? 0), 0),
  );
  const steps = (nodes - 1) * BETWEEN;
  const grid = Array.from({ length: steps + 1 }, (_, index) => index / BETWEEN);
  const at = grid.map((place) => between(misfits, place));
  const least = Math.min(...at);
  const density = (place: number) => {
    const loss = place * LOSS_STEP;
    return (Math.exp(-((loss / USUAL_LOSS) ** 2) / 2) * 2) / (USUAL_LOSS * Math.sqrt(2 * Math.PI));
  };
  const likelihood = at.map((misfit) => Math.exp((least - misfit) / 2));
  const compressed = grid.map((place, index) => {
    const ends = index === 0 || index === steps ? 0.5 : 1;
    const width = (ends * LOSS_STEP) / BETWEEN;
    return {
      loss: place * LOSS_STEP,
      weight: COMPRESSES * width * density(place) * (likelihood[index] ?? 0),
    };
  });
  const all = [{ loss: 0, weight: (1 - COMPRESSES) * (likelihood[0] ?? 0) }, ...compressed];
  const total = all.reduce((sum, { weight }) => sum + weight, 0);
  return {
    weights: all.map(({ loss, weight }) => ({ loss, weight: weight / total })),
    loss: momentsOf(compressed.map(({ loss, weight }) => ({ value: loss, weight }))),
    certainty: Math.sqrt(Math.max(0, (misfits[0] ?? 0) - least)),
  };
}

/** A value and its weight. */
export interface Weighted {
  value: number;
  weight: number;
}

/** The loss to correct before a curve is fitted; null if no loss is more likely. */
export function likelyLoss(fits: LossyFits | null): number | null {
  if (fits === null) return null;
  const { weights, loss } = lossProbabilities([fits]);
  return (weights[0]?.weight ?? 1) < COMPRESSES ? loss.value : null;
}

/** Mean and standard deviation of weighted values; the deviation is 0 if there are none. */
export function momentsOf(values: readonly Weighted[]): Estimate {
  if (values.length === 0) return { value: 0, error: 0 };
  const total = values.reduce((sum, { weight }) => sum + weight, 0);
  const mean = values.reduce((sum, { value, weight }) => sum + weight * value, 0) / total;
  const variance = values.reduce((sum, { value, weight }) => sum + weight * (value - mean) ** 2, 0) / total;
  return { value: mean, error: Math.sqrt(variance) };
}

/** Interpolates between values at whole indices, by the parabola through the nearest three. */
function between(values: readonly number[], place: number): number {
  const middle = Math.min(Math.max(1, Math.round(place)), Math.max(1, values.length - 2));
  const [before = 0, at = before, after = at] = values.slice(middle - 1, middle + 2);
  const offset = place - middle;
  return at + (offset * (after - before)) / 2 + (offset ** 2 * (after - 2 * at + before)) / 2;
}

/** Shift of a parameter by a loss, and the factor on its error. */
interface MovedParameter extends Weighted {
  growth: number;
}

/** The shift of a parameter for each loss. */
export function movesOf(
  { of, undone }: LossyFits,
  { weights }: LossProbabilities,
  index: number,
): MovedParameter[] {
  const [values, errors] = [
    of.map(({ parameters }) => parameters[index] ?? 0),
    of.map((fit) => fit.errors[index] ?? 1),
  ];
  const from = { value: between(values, undone / LOSS_STEP), error: between(errors, undone / LOSS_STEP) };
  return weights.map(({ loss, weight }) => ({
    value: between(values, loss / LOSS_STEP) - from.value,
    growth: between(errors, loss / LOSS_STEP) / from.error,
    weight,
  }));
}

/** A parameter averaged over the losses, with an error that includes the uncertainty of the loss. */
export function estimateOverLosses(
  { value, error }: Estimate,
  index: number,
  { fits, losses }: { fits: LossyFits; losses: LossProbabilities },
): Estimate {
  const moves = movesOf(fits, losses, index);
  const moved = momentsOf(moves);
  const own = moves.reduce((sum, { weight, growth }) => sum + weight * (growth * error) ** 2, 0);
  return { value: value + moved.value, error: Math.hypot(Math.sqrt(own), moved.error) };
}

/**
 * The fit of a curve if the amplifier may compress: its parameters are averaged over the losses, with errors that
 * include the uncertainty of the loss. Further parameters, which the curve does not have, are unchanged.
 */
export function overLosses(fit: SuccessfulFit, fits: LossyFits, losses: LossProbabilities): SuccessfulFit {
  const own = fits.of[0]?.parameters.length ?? 0;
  const moves = fit.parameters.map((_, index) => (index < own ? movesOf(fits, losses, index) : []));
  const means = moves.map((each) => each.reduce((sum, { value, weight }) => sum + weight * value, 0));
  const covariance = fit.covariance.map((row, i) =>
    row.map((value, j) => {
      const [one = [], other = []] = [moves[i], moves[j]];
      if (i >= own || j >= own) return value;
      return one.reduce((sum, { value: move, growth, weight }, at) => {
        const second = other[at];
        const apart = (move - (means[i] ?? 0)) * ((second?.value ?? 0) - (means[j] ?? 0));
        return sum + weight * (growth * (second?.growth ?? 1) * value + apart);
      }, 0);
    }),
  );
  return {
    ...fit,
    parameters: fit.parameters.map((value, index) => value + (means[index] ?? 0)),
    covariance,
    errors: covariance.map((row, index) => Math.sqrt(row[index] ?? 0)),
  };
}
