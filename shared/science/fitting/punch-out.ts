import { type Complex, times } from '../quantum/complex.ts';
import { type Fit, fitCurve } from './least-squares.ts';
import { type PhotonShift, type PulledLine, photonShift, shiftSlopes } from './photon-shift.ts';
import { bothQuadratures } from './quadratures.ts';
import { type ReflectionPoint, solveLine } from './resonator-fit.ts';

/**
 * A resonator fitted over power and frequency. Parameters: frequency without photons minus `centre`, pull, κ_ext, κ_in
 * (GHz), the power at which a tone on resonance sustains the critical number of photons (dB), Re and Im of the line,
 * and its delay (ns).
 */
export interface PunchOutFit {
  fit: Fit;
  centre: number;
  /** Indices of the fitted points, at which the resonator has a single steady state. */
  kept: number[];
  evaluate(frequency: number, power: number): { re: number; im: number };
  /** Resonance frequency for a tone of this power, GHz. */
  resonance(power: number): number;
}

const KAPPAS_GHZ = [0.0006, 0.0015, 0.003, 0.006, 0.012, 0.025];
const PULLS_GHZ = [0.002, 0.004, 0.007, 0.011, 0.017, 0.025];
/** Start value of the internal losses, as a fraction of the line width. */
const INTERNAL_SHARE = 0.07;
/** Step of the power in the initial search, dB. */
const POWER_STEP = 3;
/** Offsets of the delay to try around the one from the phases, in turns over the sweep. */
const DELAY_TURNS = [-0.12, -0.06, 0, 0.06, 0.12];
/** Minimum number of values at a power for an estimate of their scatter. */
const MIN_OF_POWER = 20;
/** Maximum number of rounds in which the fit and the selection of points with a single state converge. */
const ROUNDS = 4;

/**
 * A resonator is visible if the best start values leave less than this fraction of the variance that a bare line
 * leaves. In noise alone, the best start values explain a few percent.
 */
const SEEN = 0.9;
const NOTHING: Fit = {
  ok: false,
  failure: 'not-converged',
  message: 'no resonator exceeds the noise of the sweep',
  r2: null,
};

type Parameters = readonly number[];

function lineAt(parameters: Parameters, frequency: number, power: number): PulledLine {
  const [dressed = 0, pull = 0, external = 0, internal = 0, critical = 0] = parameters;
  return {
    offset: frequency - (dressed - pull),
    pull,
    half: (external + internal) / 2,
    photons: 10 ** ((power - critical) / 10),
  };
}

/** 1 − 2 κ_ex / (κ + 2iδ), and 1 / (κ + 2iδ). */
function reflectionAt([, , external = 0, internal = 0]: Parameters, { detuning }: PhotonShift) {
  const kappa = external + internal;
  const size = kappa ** 2 + 4 * detuning ** 2;
  const inverse = { re: kappa / size, im: (-2 * detuning) / size };
  return { reflection: { re: 1 - 2 * external * inverse.re, im: -2 * external * inverse.im }, inverse };
}

function lineFactor(parameters: Parameters, frequency: number): { line: Complex; turned: Complex } {
  const [re = 0, im = 0, delay = 0] = parameters.slice(5);
  const phase = -2 * Math.PI * frequency * delay;
  const turned = { re: Math.cos(phase), im: Math.sin(phase) };
  return { line: times({ re, im }, turned), turned };
}

function signalAt(parameters: Parameters, frequency: number, power: number): Complex {
  const [dressed = 0] = parameters;
  const atRest = { detuning: frequency - dressed, share: 1, isBistable: false };
  const shift =
    power === Number.NEGATIVE_INFINITY ? atRest : photonShift(lineAt(parameters, frequency, power));
  return times(lineFactor(parameters, frequency).line, reflectionAt(parameters, shift).reflection);
}

/** Derivatives of the signal by each parameter. */
function slopesAt(parameters: Parameters, frequency: number, power: number): Complex[] {
  const [, , external = 0] = parameters;
  const at = lineAt(parameters, frequency, power);
  const shift = photonShift(at);
  const slopes = shiftSlopes(at, shift);
  const { reflection, inverse } = reflectionAt(parameters, shift);
  const { line, turned } = lineFactor(parameters, frequency);
  const square = times(inverse, inverse);
  const byDetuning = { re: -4 * external * square.im, im: 4 * external * square.re };
  const byWidth = { re: 2 * external * square.re, im: 2 * external * square.im };
  const moved = (detuning: number, width = 0, outer: Complex = { re: 0, im: 0 }) =>
    times(line, {
      re: byDetuning.re * detuning + byWidth.re * width + outer.re,
      im: byDetuning.im * detuning + byWidth.im * width + outer.im,
    });
  const signal = times(line, reflection);
  const perNs = -2 * Math.PI * frequency;
  const plain = times(turned, reflection);
  return [
    moved(-slopes.offset),
    moved(slopes.offset + slopes.pull),
    moved(slopes.half / 2, 1, { re: -2 * inverse.re, im: -2 * inverse.im }),
    moved(slopes.half / 2, 1),
    moved((-slopes.photons * at.photons * Math.LN10) / 10),
    plain,
    { re: -plain.im, im: plain.re },
    { re: -perNs * signal.im, im: perNs * signal.re },
  ];
}

/**
 * Fits a resonator whose photons reduce the shift by its qubit to complex points, by rising frequency at several
 * powers.
 *
 * In a bistable range, the resonator is in one of two states, which depends on noise and on its history, so points in
 * such a range are left out.
 *
 * @param delay delay of the line from its phases, ns
 */
export function fitPunchOut(points: readonly ReflectionPoint[], delay: number): PunchOutFit {
  const frequencies = points.map(({ frequency }) => frequency);
  const [lowest, highest] = [Math.min(...frequencies), Math.max(...frequencies)];
  const centre = (lowest + highest) / 2;
  const shifted = points.map((point) => ({ ...point, frequency: point.frequency - centre }));
  const start = startOf(shifted, { delay, width: highest - lowest });
  let { parameters } = start;
  let kept = single(shifted, parameters);
  let fit = start.isSeen ? fitTo(shifted, kept, parameters) : NOTHING;
  for (let round = 1; round < ROUNDS && fit.ok; round++) {
    parameters = fit.parameters;
    const now = single(shifted, parameters);
    if (now.length === kept.length && now.every((index, place) => index === kept[place])) break;
    kept = now;
    fit = fitTo(shifted, kept, parameters);
  }
  if (fit.ok) {
    const weighed = fitTo(weighedByScatter(shifted, kept, fit.parameters), kept, fit.parameters);
    if (weighed.ok) fit = weighed;
  }
  const used = fit.ok ? fit.parameters : parameters;
  const [dressed = 0, pull = 0] = used;
  return {
    fit,
    centre,
    kept,
    evaluate: (frequency, power) => signalAt(used, frequency - centre, power),
    resonance: (power) => centre + dressed - pull + pull / Math.sqrt(1 + lineAt(used, centre, power).photons),
  };
}

function fitTo(points: readonly ReflectionPoint[], kept: readonly number[], start: Parameters): Fit {
  const used = kept.flatMap((index) => points[index] ?? []);
  const [, , external = 0, internal = 0] = start;
  const kappa = external + internal;
  return fitCurve({
    ...bothQuadratures(used, signalAt, slopesAt),
    start,
    scale: [kappa, start[1] ?? kappa, kappa, kappa, 1, 1, 1, 1 / (20 * Math.PI * kappa)],
  });
}

/**
 * The points, each with the scatter of the points of its power about a fit as its deviation. At high powers the
 * amplifier's noise is small, so deviations from the model dominate. Their size is unknown before the fit, and wrong
 * weights give wrong errors.
 */
function weighedByScatter(
  points: readonly ReflectionPoint[],
  kept: readonly number[],
  parameters: Parameters,
): ReflectionPoint[] {
  const sums = new Map<number, { squares: number; count: number }>();
  for (const index of kept) {
    const point = points[index];
    if (point === undefined) continue;
    const model = signalAt(parameters, point.frequency, point.power);
    const sum = sums.get(point.power) ?? { squares: 0, count: 0 };
    sum.squares += (point.re - model.re) ** 2 + (point.im - model.im) ** 2;
    sum.count += 2;
    sums.set(point.power, sum);
  }
  return points.map((point) => {
    const { squares = 0, count = 0 } = sums.get(point.power) ?? {};
    return count > MIN_OF_POWER ? { ...point, sigma: Math.sqrt(squares / count) } : point;
  });
}

/** Points at which the resonator has a single state, also at the neighbouring points of the same power. */
function single(points: readonly ReflectionPoint[], parameters: Parameters): number[] {
  const bistable = points.map(
    ({ frequency, power }) => photonShift(lineAt(parameters, frequency, power)).isBistable,
  );
  const isBeside = (index: number, step: 1 | -1) =>
    bistable[index + step] === true && points[index + step]?.power === points[index]?.power;
  return points.flatMap((_, index) =>
    bistable[index] || isBeside(index, 1) || isBeside(index, -1) ? [] : [index],
  );
}

/**
 * Start values: the frequency at low powers, then the pull and the critical power that describe the other powers best.
 */
function startOf(
  points: readonly ReflectionPoint[],
  { delay, width }: { delay: number; width: number },
): { parameters: number[]; isSeen: boolean } {
  const powers = [...new Set(points.map(({ power }) => power))].sort((a, b) => a - b);
  const rest = powers[Math.floor(powers.length / 3)] ?? 0;
  const quiet = averaged(points.filter(({ power }) => power <= rest));
  const still = bestOf(
    quiet.map(({ frequency }) => frequency).filter((_, index) => index % 2 === 0),
    (dressed) =>
      bestOf(KAPPAS_GHZ, (kappa) =>
        bestOf(DELAY_TURNS, (turns) =>
          tried(quiet, [
            dressed,
            0,
            (1 - INTERNAL_SHARE) * kappa,
            INTERNAL_SHARE * kappa,
            0,
            1,
            0,
            delay + turns / width,
          ]),
        ),
      ),
  );
  const coarse = points.filter((_, index) => index % 3 === 0);
  const [dressed = 0, , external = 0, internal = 0, , , , ns = 0] = still.parameters;
  const criticals = Array.from(
    { length: Math.ceil(((powers.at(-1) ?? 0) - (powers[0] ?? 0)) / POWER_STEP) + 1 },
    (_, step) => (powers[0] ?? 0) + step * POWER_STEP,
  );
  const best = bestOf(
    PULLS_GHZ.flatMap((pull) => [pull, -pull]),
    (pull) =>
      bestOf(criticals, (critical) => tried(coarse, [dressed, pull, external, internal, critical, 1, 0, ns])),
  );
  const empty = bestOf(DELAY_TURNS, (turns) => tried(coarse, [0, 1, 0, 1, 0, 1, 0, delay + turns / width]));
  return { parameters: best.parameters, isSeen: best.residual < SEEN * empty.residual };
}

interface Tried {
  residual: number;
  parameters: number[];
}

function bestOf<Candidate>(candidates: readonly Candidate[], of: (candidate: Candidate) => Tried): Tried {
  return candidates.map(of).reduce((best, each) => (each.residual < best.residual ? each : best), {
    residual: Number.POSITIVE_INFINITY,
    parameters: [0, 0.01, 0.005, 0, 0, 1, 0, 0],
  });
}

/** The parameters with the best amplitude and phase of the line. */
function tried(points: readonly ReflectionPoint[], parameters: readonly number[]): Tried {
  const signals = points.map(({ frequency, power }) => signalAt(parameters, frequency, power));
  const { re, im, residual } = solveLine(points, signals);
  return { residual, parameters: [...parameters.slice(0, 5), re, im, ...parameters.slice(7)] };
}

/** The weighted mean over the powers at each frequency, treated as a measurement without photons. */
function averaged(points: readonly ReflectionPoint[]): ReflectionPoint[] {
  const sums = new Map<number, { re: number; im: number; weight: number }>();
  for (const { frequency, re, im, sigma } of points) {
    const sum = sums.get(frequency) ?? { re: 0, im: 0, weight: 0 };
    const weight = 1 / sigma ** 2;
    sums.set(frequency, {
      re: sum.re + weight * re,
      im: sum.im + weight * im,
      weight: sum.weight + weight,
    });
  }
  return [...sums].map(([frequency, { re, im, weight }]) => ({
    frequency,
    power: Number.NEGATIVE_INFINITY,
    re: re / weight,
    im: im / weight,
    sigma: 1 / Math.sqrt(weight),
  }));
}
