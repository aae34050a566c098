import { type PlainPulse, PULSES_PER_TURN } from '../conventions/pulse.ts';
import { sizeOfSquare } from './bounded-estimate.ts';
import { type Estimate, estimateText } from './estimate.ts';
import type { CurveModel, Fit } from './least-squares.ts';
import { fitWithOptionalMemory } from './point-memory.ts';
import { mean } from './statistics.ts';

/** Largest relative error of the rotation among the start values. */
const LARGEST_START = 0.3;
const START_STEP = 0.005;

/** cos(√q), continued to negative q, and its derivative. Fits an even function of the rotation error. */
function cosineOfRoot(q: number): { value: number; slope: number } {
  if (Math.abs(q) < 1e-6) return { value: 1 - q / 2, slope: -0.5 + q / 12 };
  const root = Math.sqrt(Math.abs(q));
  return q > 0
    ? { value: Math.cos(root), slope: -Math.sin(root) / (2 * root) }
    : { value: Math.cosh(root), slope: -Math.sinh(root) / (2 * root) };
}

/**
 * z = A e^(−k ε) cos(k θ (1 + δ)) + C over the number of pulses k. Parameters A, C, ε and for pi/2 pulses δ; for pi
 * pulses, whose pattern is the same for δ and −δ, δ².
 */
function rotationModel(pulse: PlainPulse): CurveModel {
  const turn = (2 * Math.PI) / PULSES_PER_TURN[pulse];
  const oscillation = (count: number, error: number) => {
    if (pulse === 'pi') {
      const { value, slope } = cosineOfRoot((count * turn) ** 2 * error);
      const sign = Math.cos(count * turn);
      return { value: sign * value, slope: sign * slope * (count * turn) ** 2 };
    }
    const angle = count * turn * (1 + error);
    return { value: Math.cos(angle), slope: -count * turn * Math.sin(angle) };
  };
  return {
    evaluate([amplitude = 0, offset = 0, loss = 0, error = 0], count) {
      return amplitude * Math.exp(-count * loss) * oscillation(count, error).value + offset;
    },
    gradient([amplitude = 0, , loss = 0, error = 0], count) {
      const decay = Math.exp(-count * loss);
      const { value, slope } = oscillation(count, error);
      return [decay * value, 1, -count * amplitude * decay * value, amplitude * decay * slope];
    },
  };
}

/** The rotation of a pulse, fitted to the pattern of its repetitions. */
export interface RotationFit {
  /** Parameters A, C, ε, and δ or δ². */
  fit: Fit;
  evaluate(count: number): number;
}

/**
 * @param sigma deviations of the points, up to a common factor
 * @param before the point before each, if points may retain a fraction of it; that fraction is then the last parameter
 */
export function fitRotation(
  counts: readonly number[],
  z: readonly number[],
  { pulse, sigma, before }: { pulse: PlainPulse; sigma?: readonly number[]; before?: readonly number[] },
): RotationFit {
  const model = rotationModel(pulse);
  const offset = mean(z);
  let start = { residual: Number.POSITIVE_INFINITY, error: 0 };
  for (let error = pulse === 'pi' ? 0 : -LARGEST_START; error <= LARGEST_START; error += START_STEP) {
    const candidate = pulse === 'pi' ? error ** 2 : error;
    const residual = counts.reduce(
      (sum, count, index) => sum + ((z[index] ?? 0) - model.evaluate([1, offset, 0, candidate], count)) ** 2,
      0,
    );
    if (residual < start.residual) start = { residual, error: candidate };
  }
  const parameters = [1, offset, 0, start.error];
  const scale = [1, 1, 0.01, pulse === 'pi' ? 1e-4 : 0.01];
  const problem = { x: counts, y: z, model, start: parameters, scale, sigma };
  const fit = fitWithOptionalMemory({ ...problem, before });
  const used = fit.ok ? fit.parameters : parameters;
  return { fit, evaluate: (count) => model.evaluate(used, count) };
}

/** Rotation error of a pulse relative to its angle; null if it cannot be determined. For a pi pulse, its absolute value. */
export function rotationError({ fit }: RotationFit, pulse: PlainPulse): Estimate | null {
  if (!fit.ok) return null;
  const found = { value: fit.parameters[3] ?? Number.NaN, error: fit.errors[3] ?? Number.NaN };
  return pulse === 'hpi' ? found : sizeOfSquare(found);
}

/**
 * The rotation error as text. For pi pulses it is the absolute value, or an upper limit if that is not significant.
 * @param betterError a better estimate of a pi/2 pulse's error than that of the fit, if there is one
 */
export function rotationText(
  { fit }: RotationFit,
  pulse: PlainPulse,
  betterError: Estimate | null = null,
): string {
  if (!fit.ok) return 'no usable fit';
  const { value, error } = betterError ?? { value: fit.parameters[3] ?? 0, error: fit.errors[3] ?? 0 };
  if (pulse === 'hpi')
    return `rotation error ${estimateText({ value: 100 * value, error: 100 * error }, '%')}`;
  if (value > 2 * error) {
    const size = Math.sqrt(value);
    return `rotation error ${estimateText({ value: 100 * size, error: (50 * error) / size }, '%')} in size`;
  }
  return `rotation error below ${(100 * Math.sqrt(Math.max(0, value) + 2 * error)).toPrecision(2)} %`;
}
