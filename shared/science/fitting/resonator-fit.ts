import { type Complex, times } from '../quantum/complex.ts';
import { type Fit, fitCurve } from './least-squares.ts';
import { bothQuadratures, type ComplexPoint, slopesByDifferences } from './quadratures.ts';
import type { SeenReflection } from './reflection-search.ts';

/**
 * A measured reflection of one resonator. The power is irrelevant for a linear resonator, whose frequency does not
 * depend on its photons.
 */
export type ReflectionPoint = ComplexPoint;

export interface ResonatorFit {
  fit: Fit;
  /** Frequency without photons and line widths, GHz; only if the fit succeeded. */
  frequency: number;
  evaluate(frequency: number, power: number): { re: number; im: number };
}

/** Maximum shift of the resonator by its photons, GHz; undefined for a linear resonator. */
export interface ReflectionOptions {
  pull?: number;
  /** Start values: frequency of the resonator, line width, and the line's delay (ns). */
  start: { frequency: number; kappa: number; delay: number };
  /** Start values of all parameters. If given, the fit tries no others. */
  seen?: SeenReflection;
}

/** Number of Newton steps. A few are enough, because the share is a smooth function below the onset of bistability. */
const NEWTON_STEPS = 6;

/**
 * Photons in a nonlinear resonator as a fraction u of those on resonance: u = (κ/2)² / ((κ/2)² + δ(u)²), where δ(u) =
 * δ₀ + S₀ (1 − 1/√(1 + q u)).
 * @returns δ at that fraction
 */
function movedDetuning(half: number, bare: number, pull: number, q: number): number {
  let share = half ** 2 / (half ** 2 + bare ** 2);
  for (let step = 0; step < NEWTON_STEPS; step++) {
    const detuning = detuningAt(share, bare, pull, q);
    const size = half ** 2 + detuning ** 2;
    const slope = (-2 * half ** 2 * detuning * pull * q) / (2 * radicand(share, q) ** 1.5 * size ** 2);
    share = Math.min(1, Math.max(0, share - (half ** 2 / size - share) / (slope - 1)));
  }
  return detuningAt(share, bare, pull, q);
}

function radicand(share: number, q: number): number {
  return Math.max(0.01, 1 + q * share);
}

function detuningAt(share: number, bare: number, pull: number, q: number): number {
  return bare + pull * (1 - 1 / Math.sqrt(radicand(share, q)));
}

/**
 * Fits S = c e^(−2πi (f − f₀) τ) (1 − 2 κ_ex / (κ_ex + κ_in + 2i (f − f_r))) to complex points. If `pull` S₀ is given,
 * f_r falls with the photons n as f₀ − S₀ (1 − 1/√(1 + 2 k n / S₀)), as the dispersive shift by a transmon does.
 * Parameters: f₀, κ_ex, κ_in, Re c, Im c, τ (ns) and, with a pull, k: the first-order shift at 0 dB. GHz throughout.
 */
export function fitReflection(points: readonly ReflectionPoint[], options: ReflectionOptions): ResonatorFit {
  const { pull, start, seen } = options;
  const moves = pull !== undefined && pull > 0;
  const centre = start.frequency;
  const reflectionAt = (parameters: readonly number[], frequency: number, power: number): Complex => {
    const [offset = 0, external = 0, internal = 0, , , , kerr = 0] = parameters;
    const kappa = external + internal;
    const bare = frequency - centre - offset;
    const detuning = moves
      ? movedDetuning(kappa / 2, bare, pull, (2 * kerr * 10 ** (power / 10)) / pull)
      : bare;
    const size = kappa ** 2 + (2 * detuning) ** 2;
    return { re: 1 - (2 * external * kappa) / size, im: (4 * external * detuning) / size };
  };
  const turnAt = (frequency: number, delay: number): Complex => {
    const phase = -2 * Math.PI * (frequency - centre) * delay;
    return { re: Math.cos(phase), im: Math.sin(phase) };
  };
  const evaluate = (parameters: readonly number[], frequency: number, power: number): Complex => {
    const [, , , re = 0, im = 0, delay = 0] = parameters;
    return times(reflectionAt(parameters, frequency, power), times({ re, im }, turnAt(frequency, delay)));
  };
  const scale = [start.kappa, start.kappa, start.kappa, 1, 1, 1 / (2 * Math.PI * 10 * start.kappa)];
  // Start value of the critical photon number: the resonator shifts by a tenth of the pull at −20 dB, which is within a
  // decade for any device.
  if (moves) scale.push(10 * pull);
  const fit = fitCurve({
    ...bothQuadratures(
      points,
      evaluate,
      slopesByDifferences(
        evaluate,
        scale.map((each) => 1e-5 * each),
      ),
    ),
    start:
      seen === undefined
        ? bestStart(points, start, { reflectionAt, turnAt, further: moves ? [10 * pull] : [] })
        : [seen.frequency - centre, seen.external, seen.internal, seen.line.re, seen.line.im, seen.delay],
    scale,
  });
  const parameters = fit.ok ? fit.parameters : [];
  return {
    fit,
    frequency: centre + (parameters[0] ?? Number.NaN),
    evaluate: (frequency, power) => evaluate(parameters, frequency, power),
  };
}

/** A signal model: both quadratures, and the parameters besides those of the line. */
interface SignalParts {
  reflectionAt(parameters: readonly number[], frequency: number, power: number): Complex;
  turnAt(frequency: number, delay: number): Complex;
  further: readonly number[];
}

/** Offsets of further start values: fractions of the line width for the frequency, and of its inverse for the delay. */
const START_WIDTHS = [0.4, 0.7, 1, 1.5, 2.5];
const START_OFFSETS = [-0.8, -0.4, 0, 0.4, 0.8];
const START_DELAYS = [-0.6, -0.4, -0.2, 0, 0.2, 0.4, 0.6];

/** The best of several frequencies, widths and delays. Amplitude and phase of the line follow linearly for each. */
function bestStart(
  points: readonly ReflectionPoint[],
  { kappa, delay }: ReflectionOptions['start'],
  { reflectionAt, turnAt, further }: SignalParts,
): number[] {
  let best = { residual: Number.POSITIVE_INFINITY, parameters: [0, kappa, 0, 1, 0, delay, ...further] };
  const delays = START_DELAYS.map((part) => {
    const tried = delay + part / kappa / (2 * Math.PI);
    return { tried, turns: points.map(({ frequency }) => turnAt(frequency, tried)) };
  });
  for (const offset of START_OFFSETS) {
    for (const factor of START_WIDTHS) {
      const widths = [offset * kappa, 0.93 * factor * kappa, 0.07 * factor * kappa];
      const reflections = points.map(({ frequency, power }) =>
        reflectionAt([...widths, 1, 0, delay, ...further], frequency, power),
      );
      for (const { tried, turns } of delays) {
        const signals = reflections.map((each, index) => times(each, turns[index] ?? { re: 1, im: 0 }));
        const line = solveLine(points, signals);
        if (line.residual >= best.residual) continue;
        best = { residual: line.residual, parameters: [...widths, line.re, line.im, tried, ...further] };
      }
    }
  }
  return best.parameters;
}

/**
 * Amplitude and phase of the line by linear least squares.
 * @param signals at each point, the signal of the resonator on a line of amplitude one
 */
export function solveLine(points: readonly ReflectionPoint[], signals: readonly Complex[]) {
  let [re, im, weight, size] = [0, 0, 0, 0];
  for (const [index, point] of points.entries()) {
    const model = signals[index] ?? { re: 0, im: 0 };
    const w = 1 / point.sigma ** 2;
    re += w * (model.re * point.re + model.im * point.im);
    im += w * (model.re * point.im - model.im * point.re);
    weight += w * (model.re ** 2 + model.im ** 2);
    size += w * (point.re ** 2 + point.im ** 2);
  }
  return { re: re / weight, im: im / weight, residual: size - (re ** 2 + im ** 2) / weight };
}
