import type { Estimate } from './estimate.ts';
import type { IqPoints } from './iq-rotation.ts';
import { type CurveModel, type Fit, fitCurve } from './least-squares.ts';

/** Amplifiers are used below the point at which 1 dB of their gain is lost: the deviation of the loss that is expected. */
const USUAL_LOSS = 1 - 10 ** (-1 / 20);
/** How likely an amplifier compresses at all, before anything is measured. */
const COMPRESSES = 0.5;
/** Losses that are fitted. From a third on, a stronger signal would come out weaker, which no amplifier does. */
const LOSS_STEP = 0.02;
const LOSS_NODES = 15;
/** Losses between two of these. */
const BETWEEN = 10;

type Found = Extract<Fit, { ok: true }>;

/** A curve of populations that was fitted to points in the IQ plane, which an amplifier may have compressed. */
export interface CompressibleCurve {
  model: CurveModel;
  /** Its parameters as fitted, and their errors. */
  parameters: readonly number[];
  errors: readonly number[];
  x: readonly number[];
  /** The points along the line between both prepared states, as populations, and beside it in the same unit. */
  y: readonly number[];
  aside: readonly number[];
  /** Standard deviation of each point. */
  sigma: readonly number[];
  /** What is known besides the points of the curve, such as an asymptote: populations that no amplifier changes. */
  ends: readonly { x: number; known: Estimate }[];
  /** Places of the states of population 0 and 1. */
  prepared: IqPoints;
  /** Whether they were measured too, each as a point with its noise. */
  areMeasured: boolean;
  /** Standard deviation of a point across the line between both, as a part of their distance. */
  across: number;
  /** The loss that was undone in all of this, as if the amplifier had it: 0 for the points as measured. */
  undone: number;
}

/** The curve as an amplifier has it that loses a part of its gain. */
interface LossyFit {
  /** Twice how much less likely it makes the points, as a logarithm. */
  misfit: number;
  parameters: readonly number[];
  errors: readonly number[];
}

/** The curve as amplifiers have it that lose more and more of their gain; the first one loses nothing. */
export interface LossyFits {
  of: readonly LossyFit[];
  undone: number;
}

/**
 * Fits a curve as seen through amplifiers whose gain falls with the square of the signal's size, each by another part. Their
 * compression changes the shape of the curve along the line between both prepared states, and bends that line.
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
  const fits: { fit: Found; beside: number }[] = [];
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
  const squares = fits.map(({ fit }) => fit.whitened.residuals.reduce((sum, value) => sum + value ** 2, 0));
  // The smallest scatter of the points about a curve is that of their noise.
  const scatter = Math.min(...squares) / (rows.length - first.fit.parameters.length);
  const of = fits.map(({ fit: { parameters, errors }, beside }, index) => ({
    misfit: (squares[index] ?? 0) / scatter + beside,
    parameters,
    errors,
  }));
  return { of, undone };
}

/** Step of a population from which slopes are taken. */
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

/** A population as it comes out of an amplifier: along the line between both states, and beside it. */
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

/** The loss per square of the signal, of an amplifier that loses a part of its gain at the larger one of these signals. */
function lostOf(signals: readonly Point[], loss: number): number {
  return loss / Math.max(...signals.map(({ re, im }) => re ** 2 + im ** 2));
}

/** The same of signals that went through the amplifier. */
function lostBefore(amplified: readonly Point[], loss: number): number {
  return (1 - loss) ** 2 * lostOf(amplified, loss);
}

function afterAmplifier({ re, im }: Point, lost: number): Point {
  const gain = 1 - lost * (re ** 2 + im ** 2);
  return { re: gain * re, im: gain * im };
}

const NEWTON_STEPS = 30;
const EXACT = 1e-13;

/** The signal that an amplifier turns into this one: the root of r (1 − κ r²), from below. Noise may lie beyond its largest value. */
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

/** Points as an amplifier without loss has them, which loses a part of its gain at the larger one of the prepared states. */
export function undoLoss(points: IqPoints, prepared: IqPoints, loss: number): IqPoints {
  const pointsOf = ({ re, im }: IqPoints) => re.map((value, index) => ({ re: value, im: im[index] ?? 0 }));
  const lost = lostBefore(pointsOf(prepared), loss);
  const undone = pointsOf(points).map((point) => beforeAmplifier(point, lost));
  return { re: undone.map(({ re }) => re), im: undone.map(({ im }) => im) };
}

/**
 * What is left beside the line of the states. Measured states are as noisy as the points, so that the true line lies beside the
 * one between them, in another direction.
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

/** How likely an amplifier loses each part of its gain. */
export interface LossWeights {
  /** That it loses nothing, then each loss in turn. */
  weights: readonly { loss: number; weight: number }[];
  /** The loss, if the amplifier compresses. */
  loss: Estimate;
  /** By how many standard errors the points speak for a loss. */
  certainty: number;
}

/**
 * How likely losses are by measurements with the same amplifier: that of the points (Bayes), where as many amplifiers
 * compress as do not, and those that do lose a part of a usual size. Gain does not rise with the signal, so that the loss is
 * positive.
 */
export function weighLosses(measurements: readonly LossyFits[]): LossWeights {
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

/** A value by how likely it is. */
export interface Weighted {
  value: number;
  weight: number;
}

/** The loss that is undone before a curve is fitted; null if it is rather none. */
export function likelyLoss(fits: LossyFits | null): number | null {
  if (fits === null) return null;
  const { weights, loss } = weighLosses([fits]);
  return (weights[0]?.weight ?? 1) < COMPRESSES ? loss.value : null;
}

/** Mean and deviation of weighted values; no deviation if there are none. */
export function momentsOf(values: readonly Weighted[]): Estimate {
  if (values.length === 0) return { value: 0, error: 0 };
  const total = values.reduce((sum, { weight }) => sum + weight, 0);
  const mean = values.reduce((sum, { value, weight }) => sum + weight * value, 0) / total;
  const variance = values.reduce((sum, { value, weight }) => sum + weight * (value - mean) ** 2, 0) / total;
  return { value: mean, error: Math.sqrt(variance) };
}

/** A value between those at whole places, on the parabola through the nearest three. */
function between(values: readonly number[], place: number): number {
  const middle = Math.min(Math.max(1, Math.round(place)), Math.max(1, values.length - 2));
  const [before = 0, at = before, after = at] = values.slice(middle - 1, middle + 2);
  const offset = place - middle;
  return at + (offset * (after - before)) / 2 + (offset ** 2 * (after - 2 * at + before)) / 2;
}

/** By how much a loss moves a parameter, and by what it makes its error grow. */
interface MovedParameter extends Weighted {
  growth: number;
}

/** How each loss moves a parameter. */
export function movesOf(
  { of, undone }: LossyFits,
  { weights }: LossWeights,
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

/** A parameter averaged over the losses, with an error that contains what is not known of the loss. */
export function estimateOverLosses(
  { value, error }: Estimate,
  index: number,
  { fits, losses }: { fits: LossyFits; losses: LossWeights },
): Estimate {
  const moves = movesOf(fits, losses, index);
  const moved = momentsOf(moves);
  const own = moves.reduce((sum, { weight, growth }) => sum + weight * (growth * error) ** 2, 0);
  return { value: value + moved.value, error: Math.hypot(Math.sqrt(own), moved.error) };
}

/**
 * The fit of a curve if the amplifier may compress: its parameters averaged over the losses, with errors that contain what is not
 * known of the loss. Further parameters, which the curve does not have, remain.
 */
export function overLosses(fit: Found, fits: LossyFits, losses: LossWeights): Found {
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
