import { type Estimate, estimateText } from '../../../science/fitting/estimate.ts';
import { BEYOND_CHANCE } from '../../../science/fitting/further-parameter.ts';
import type { Fit } from '../../../science/fitting/least-squares.ts';

/** Results of a fitted train of pulses besides the error of its pulses. */
export interface TrainEvidence {
  /** By how many standard errors the start of its oscillation differs from the ground state. */
  outOfPhase: number;
  /** Loss of polarisation per pulse, or per ns. */
  loss: Estimate;
  /** In units of the prepared states, if there are any: the polarisation before the first pulse, and the size of the oscillation. */
  prepared?: { start: Estimate; size: Estimate };
}

/**
 * Why points cannot be a train of pulses in the order of the sweep, with numbers; null if they can. A train begins in the ground
 * state, as the prepared state shows it, reaches both states and only loses polarisation. Points that are stored backwards, or
 * that retain a fraction of earlier ones, begin elsewhere or gain polarisation, and give an error of the wrong sign or size.
 */
export function misplacedTrain({ outOfPhase, loss, prepared }: TrainEvidence): string | null {
  const advice = 'the points may not be in the order of the sweep, or keep a part of those before';
  if (Math.abs(outOfPhase) > BEYOND_CHANCE) {
    return `the pulses do not begin in the ground state: their oscillation is shifted by ${Math.abs(outOfPhase).toFixed(1)} errors; ${advice}`;
  }
  if (loss.value < -BEYOND_CHANCE * loss.error) {
    return `the polarisation grows with the number of pulses, by ${estimateText({ value: -100 * loss.value, error: 100 * loss.error }, '%')} each; ${advice}`;
  }
  const { start, size } = prepared ?? NOTHING_PREPARED;
  const { beside, short } = strains({ loss, prepared });
  if (beside < -BEYOND_CHANCE) {
    return `the pulses do not begin in the ground state as it was prepared: the polarisation would be ${estimateText(start, '')}; ${advice}`;
  }
  if (short < -BEYOND_CHANCE) {
    return `the pulses do not reach the states that were prepared with them: of their distance they would reach ${estimateText(size, '')}; ${advice}`;
  }
  const together = outOfPhase ** 2 + strainOfTrain({ loss, prepared });
  return together > BEYOND_CHANCE_TOGETHER
    ? `the train does not match the prepared states: its oscillation is shifted by ${Math.abs(outOfPhase).toFixed(1)} errors, and its size lies ${Math.abs(short).toFixed(1)} errors below theirs; ${advice}`
    : null;
}

/** By how many standard errors a train gains polarisation, and begins and ends short of the prepared states; none above 0. */
function strains({ loss, prepared }: Omit<TrainEvidence, 'outOfPhase'>) {
  const { start, size } = prepared ?? NOTHING_PREPARED;
  return {
    growth: Math.min(0, loss.value / loss.error),
    beside: Math.min(0, (start.value - 1) / start.error),
    // Excited states that were prepared badly make the oscillation seem larger, and its angles are right.
    short: Math.min(0, (size.value - 1) / size.error),
  };
}

/** How much a train contradicts what was prepared with it: a sum of squares, each in standard errors. */
export function strainOfTrain(evidence: Omit<TrainEvidence, 'outOfPhase'>): number {
  return Object.values(strains(evidence)).reduce((sum, each) => sum + each ** 2, 0);
}

const NOTHING_PREPARED = { start: { value: 1, error: 1 }, size: { value: 1, error: 1 } };
/** The sum of the squares of three independent normal values exceeds this equally rarely. */
const BEYOND_CHANCE_TOGETHER = 17.7;

/** Population of the other state that a prepared state may have without its scatter showing it. */
const IMPURITY = 0.1;

/** Standard error of the polarisation of a prepared state, from what the points show and its projection noise. */
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

/** Standard deviation of the quietest of the fitted points, the precision to which a prepared ground state is known. */
export function noiseOf(fit: Fit): number {
  return fit.ok ? Math.min(...fit.whitened.sigma) : Number.NaN;
}
