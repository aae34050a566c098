import { normalCumulative } from '../device/normal-distribution.ts';
import type { Estimate } from './estimate.ts';
import type { PlanePoints } from './gaussian-mixture.ts';
import { type CurveModel, fitCurve } from './least-squares.ts';
import { judgeResiduals } from './residuals.ts';
import { mean } from './statistics.ts';

/** The measurement at one readout amplitude. */
export interface FidelityStep {
  amplitude: number;
  /** Average fraction of correctly assigned shots. */
  fidelity: Estimate;
  /** Half the distance of the two clouds, in deviations of the noise. */
  apart: Estimate;
}

/** Fidelity over the readout amplitude. */
export interface FidelityCurve {
  /** The best amplitude between the first and the last one. */
  top: number;
  /** The smallest sufficient amplitude; null if it is the first one. */
  crossing: Estimate | null;
  /** The reason why the curve does not describe the fidelities, with numbers; null if it does. */
  misfit: string | null;
  evaluate(amplitude: number): number;
}

/**
 * Half the distance of two clouds at each amplitude, in deviations of the amplifier's noise. This noise is the same at
 * all amplitudes, and is the only source of scatter across the line between the clouds.
 */
export function halfDistances(clouds: readonly { ground: PlanePoints; excited: PlanePoints }[]): Estimate[] {
  const apart = clouds.map(({ ground, excited }) => {
    const [dx, dy] = [mean(excited.x) - mean(ground.x), mean(excited.y) - mean(ground.y)];
    const distance = Math.hypot(dx, dy);
    const [cos, sin] = distance > 0 ? [dx / distance, dy / distance] : [1, 0];
    const variances = [ground, excited].map((cloud) => ({
      along: varianceTowards(cloud, cos, sin) / cloud.x.length,
      across: varianceTowards(cloud, -sin, cos),
    }));
    return {
      distance,
      error: Math.sqrt(variances.reduce((sum, { along }) => sum + along, 0)),
      across: mean(variances.map(({ across }) => across)),
    };
  });
  const noise = Math.sqrt(mean(apart.map(({ across }) => across)));
  return apart.map(({ distance, error }) => ({ value: distance / (2 * noise), error: error / (2 * noise) }));
}

/** Variance of a cloud's points along a direction. */
function varianceTowards({ x, y }: PlanePoints, cos: number, sin: number): number {
  let [sum, squares] = [0, 0];
  for (const [index, value] of x.entries()) {
    const place = value * cos + (y[index] ?? 0) * sin;
    sum += place;
    squares += place ** 2;
  }
  return Math.max(0, squares / x.length - (sum / x.length) ** 2);
}

/** Number of points at which the curve is evaluated between two measured amplitudes. */
const BETWEEN = 20;
/**
 * Step of a parameter for derivatives, as a fraction of its error. The four parameters are strongly correlated, so a
 * step of a full error would leave the curve.
 */
const SMALL = 0.1;
/** Minimum fraction of wrong shots of any readout. */
const SMALLEST = 1e-3;

/** The coefficients c₀, c₁, c₂ of the contrast, and the factor k on the distances. */
type Parameters = readonly number[];

/**
 * The fidelity as a smooth curve over the amplitude A: ½ + c(A) (2Φ(k s(A)) − 1) / 2. Half the distance s of the two
 * clouds is interpolated linearly between amplitudes. Shots of the other state in a cloud make it too small at all
 * amplitudes, and the noise along the distance may differ from that across it; the factor k corrects both. c is the
 * contrast that remains after preparation errors, decay and flips by the readout. It falls with the number of photons,
 * which is proportional to the square of the amplitude: c₀ + c₁ A² + c₂ A⁴.
 * @param steps by rising amplitude
 * @param fraction fraction of the best fidelity that is sufficient
 * @returns null if the steps do not determine it
 */
export function fitFidelity(steps: readonly FidelityStep[], fraction: number): FidelityCurve | null {
  const most = Math.max(...steps.map(({ amplitude }) => amplitude));
  const terms = (amplitude: number) => [0, 2, 4].map((power) => (amplitude / most) ** power);
  const slopes = ([c0 = 0, c1 = 0, c2 = 0, k = 1]: Parameters, x: number, half: number) => {
    const kept = terms(x).reduce((sum, term, index) => sum + term * ([c0, c1, c2][index] ?? 0), 0);
    const contrast = 2 * normalCumulative(k * half) - 1;
    const density = Math.exp(-((k * half) ** 2) / 2) / Math.sqrt(2 * Math.PI);
    return { kept, contrast, density, k };
  };
  const model: CurveModel = {
    evaluate(parameters, x) {
      const { kept, contrast } = slopes(parameters, x, apartAt(steps, x));
      return 0.5 + (kept * contrast) / 2;
    },
    gradient(parameters, x) {
      const half = apartAt(steps, x);
      const { kept, contrast, density } = slopes(parameters, x, half);
      return [...terms(x).map((term) => (term * contrast) / 2), kept * density * half];
    },
  };
  const fitFrom = (start: Parameters) =>
    fitCurve({
      x: steps.map(({ amplitude }) => amplitude),
      y: steps.map(({ fidelity }) => fidelity.value),
      model,
      start,
      scale: [1, 1, 1, 0.1],
      // Errors computed from the measured fidelities would be too small for points that are high by chance.
      sigma: steps.map(({ amplitude, fidelity: { value, error }, apart }) => {
        const expected = inside(model.evaluate(start, amplitude));
        const counted =
          error * Math.sqrt((expected * (1 - expected)) / (inside(value) * (1 - inside(value))));
        const { kept, density, k } = slopes(start, amplitude, apart.value);
        return Math.hypot(counted, kept * density * k * apart.error);
      }),
    });
  const first = fitFrom([1, 0, 0, 1]);
  const fit = first.ok ? fitFrom(first.parameters) : first;
  if (!fit.ok) return null;
  const { parameters, covariance } = fit;
  const places = placesOf(steps);
  const curveWith = (of: Parameters, at: readonly FidelityStep[] = steps) =>
    places.map((place) => {
      const { kept, contrast } = slopes(of, place, apartAt(at, place));
      return 0.5 + (kept * contrast) / 2;
    });
  const curve = curveWith(parameters);
  const crossing = crossingOf(places, curve, fraction);
  const evaluate = (amplitude: number) => model.evaluate(parameters, amplitude);
  const top = Math.max(...curve);
  const noise = { parameters: parameters.length, estimatedShare: 0 };
  const misfit = judgeResiduals(fit.whitened.residuals, noise).problem;
  if (crossing === null) return { top, crossing, misfit, evaluate };
  const movedBy = (values: readonly number[]) =>
    (crossingOf(places, values, fraction) ?? crossing) - crossing;
  const perError = parameters.map(
    (_, index) =>
      movedBy(
        curveWith(
          parameters.map((value, at) => (at === index ? value + SMALL * (fit.errors[at] ?? 0) : value)),
        ),
      ) / SMALL,
  );
  const ofFit = perError.reduce((sum, one, i) => {
    const correlated = perError.map((other, j) => {
      const errors = (fit.errors[i] ?? 1) * (fit.errors[j] ?? 1);
      return (one * other * (covariance[i]?.[j] ?? 0)) / errors;
    });
    return sum + correlated.reduce((total, each) => total + each, 0);
  }, 0);
  // The positions of the clouds at the amplitudes around the crossing add their own uncertainty.
  const ofClouds = steps.map((step, index) => {
    const apart = { value: step.apart.value + step.apart.error, error: 0 };
    return movedBy(curveWith(parameters, steps.with(index, { ...step, apart })));
  });
  const error = Math.hypot(Math.sqrt(Math.max(0, ofFit)), ...ofClouds);
  return { top, crossing: { value: crossing, error }, misfit, evaluate };
}

function inside(fidelity: number): number {
  return Math.min(1 - SMALLEST, Math.max(SMALLEST, fidelity));
}

function placesOf(steps: readonly FidelityStep[]): number[] {
  return steps.flatMap(({ amplitude }, index) => {
    const next = steps[index + 1]?.amplitude;
    if (next === undefined) return [amplitude];
    return Array.from({ length: BETWEEN }, (_, part) => amplitude + (part / BETWEEN) * (next - amplitude));
  });
}

/** Linear interpolation between two steps. */
function apartAt(steps: readonly FidelityStep[], amplitude: number): number {
  const reached = steps.findIndex((step) => step.amplitude >= amplitude);
  const above = Math.max(1, reached < 0 ? steps.length - 1 : reached);
  const [from, to] = [steps[above - 1], steps[above]];
  if (from === undefined || to === undefined) return from?.apart.value ?? 0;
  const part = (amplitude - from.amplitude) / (to.amplitude - from.amplitude);
  return from.apart.value + part * (to.apart.value - from.apart.value);
}

/** Amplitude at which the curve first reaches a sufficient value, by linear interpolation; null if it starts above. */
function crossingOf(places: readonly number[], curve: readonly number[], fraction: number): number | null {
  const wanted = fraction * Math.max(...curve);
  const index = curve.findIndex((fidelity) => fidelity >= wanted);
  const [before, after] = [places[index - 1], places[index]];
  const [from, to] = [curve[index - 1], curve[index]];
  if (before === undefined || after === undefined || from === undefined || to === undefined) return null;
  return before + ((wanted - from) / (to - from)) * (after - before);
}
