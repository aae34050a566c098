import { type Estimate, estimateText } from '../../../science/fitting/estimate.ts';
import { BEYOND_CHANCE } from '../../../science/fitting/further-parameter.ts';
import type { Fit } from '../../../science/fitting/least-squares.ts';

/** Results of a fitted train of pulses besides the error of its pulses. */
export interface TrainEvidence {
  /** Difference of its initial phase from that of the ground state, in standard errors. */
  outOfPhase: number;
  /** Loss of polarisation per pulse, or per ns. */
  loss: Estimate;
  /**
   * In units of the prepared states, if there are any: the polarisation before the first pulse, and the amplitude of
   * the oscillation.
   */
  prepared?: { start: Estimate; size: Estimate };
}

/**
 * The reason why points cannot be a train of pulses in the order of the sweep, with numbers; null if they can. A train
 * starts in the prepared ground state, reaches both states and only loses polarisation. Points that are stored in
 * reverse, or that retain a fraction of earlier ones, start elsewhere or gain polarisation, and give an error of the
 * wrong sign or size.
 */
export function misplacedTrain({ outOfPhase, loss, prepared }: TrainEvidence): string | null {
  const advice = 'the points may not be in the order of the sweep, or retain a fraction of the previous ones';
  if (Math.abs(outOfPhase) > BEYOND_CHANCE) {
    return `the pulses do not start in the ground state: their oscillation is shifted by ${Math.abs(outOfPhase).toFixed(1)} errors; ${advice}`;
  }
  if (loss.value < -BEYOND_CHANCE * loss.error) {
    return `the polarisation grows with the number of pulses, by ${estimateText({ value: -100 * loss.value, error: 100 * loss.error }, '%')} each; ${advice}`;
  }
  const { start, size } = prepared ?? NOTHING_PREPARED;
  const { beside, short } = strains({ loss, prepared });
  if (beside < -BEYOND_CHANCE) {
    return `the pulses do not start in the prepared ground state: the polarisation would be ${estimateText(start, '')}; ${advice}`;
  }
  if (short < -BEYOND_CHANCE) {
    return `the pulses do not reach the states that were prepared with them: they would reach this fraction of their distance: ${estimateText(size, '')}; ${advice}`;
  }
  const together = outOfPhase ** 2 + contradictionOfTrain({ loss, prepared });
  return together > BEYOND_CHANCE_TOGETHER
    ? `the train does not match the prepared states: its oscillation is shifted by ${Math.abs(outOfPhase).toFixed(1)} errors, and its amplitude is ${Math.abs(short).toFixed(1)} errors below theirs; ${advice}`
    : null;
}

/**
 * Contradictions of a train in standard errors, at most 0: its loss of polarisation, and its start and amplitude
 * relative to the prepared states.
 */
function strains({ loss, prepared }: Omit<TrainEvidence, 'outOfPhase'>) {
  const { start, size } = prepared ?? NOTHING_PREPARED;
  return {
    growth: Math.min(0, loss.value / loss.error),
    beside: Math.min(0, (start.value - 1) / start.error),
    // Badly prepared excited states make the oscillation seem larger, but its angles are correct.
    short: Math.min(0, (size.value - 1) / size.error),
  };
}

/** Contradiction of a train to the prepared states: a sum of squares, each in standard errors. */
export function contradictionOfTrain(evidence: Omit<TrainEvidence, 'outOfPhase'>): number {
  return Object.values(strains(evidence)).reduce((sum, each) => sum + each ** 2, 0);
}

const NOTHING_PREPARED = { start: { value: 1, error: 1 }, size: { value: 1, error: 1 } };
/** Limit for the sum of squares of three independent normal values, which exceeds it equally rarely. */
const BEYOND_CHANCE_TOGETHER = 17.7;

/** Population of the other state in a prepared state that its scatter does not reveal. */
const IMPURITY = 0.1;

/** Standard error of a prepared state's polarisation, from the noise of the points and its projection noise. */
export function preparedError(noise: number, shots: number): number {
  return Math.hypot(noise, 2 * Math.sqrt((IMPURITY * (1 - IMPURITY)) / shots));
}

/** Standard error of a sum of fitted parameters. */
export function sumError(fit: Fit, indices: readonly number[]): number {
  if (!fit.ok) return Number.NaN;
  const { covariance } = fit;
  return Math.sqrt(
    indices.reduce(
      (sum, row) => sum + indices.reduce((part, at) => part + (covariance[row]?.[at] ?? 0), 0),
      0,
    ),
  );
}

/** Smallest standard deviation of the fitted points, which is that of a prepared ground state. */
export function noiseOf(fit: Fit): number {
  return fit.ok ? Math.min(...fit.whitened.sigma) : Number.NaN;
}
