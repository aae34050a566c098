import { TARGET_RABI_FREQUENCY_GHZ } from './pulse.ts';

/** Conventions for playing and for analysing DRAG pulses. */

export type DragPulseName = 'drag_hpi' | 'drag_pi';

/**
 * Angle of the pulse in radians, its usual length, and the number of pulses in the amplitude sweep, which is always
 * four full turns.
 */
export const DRAG_PULSES = {
  drag_hpi: { angle: Math.PI / 2, lengthNs: 16, perSweep: 16 },
  drag_pi: { angle: Math.PI, lengthNs: 24, perSweep: 8 },
} as const;
export const DRAG_SWEEP_TURNS = 4;
/** Rounds of calibrating amplitude and beta. Each starts from the result of the previous round. */
export const DRAG_ITERATIONS = 2;

/**
 * Amplitude at which a raised cosine of this length turns by `angle`, if `controlAmplitude` gives a Rabi frequency of
 * {@link TARGET_RABI_FREQUENCY_GHZ}. The area of a raised cosine is half its length times its peak.
 */
export function expectedDragAmplitude(angle: number, controlAmplitude: number, lengthNs: number): number {
  return (angle * controlAmplitude) / (Math.PI * TARGET_RABI_FREQUENCY_GHZ * lengthNs);
}

/**
 * Effective fraction of its length during which the qubit precesses by its detuning in a raised-cosine pi/2 pulse, to
 * first order: ∫ sin θ(s) ds over the pulse, where θ(s) = (π/2) (s − sin(2πs) / 2π) is the angle turned so far.
 */
export const PRECESSING_PART = 0.584;
