import { TARGET_RABI_FREQUENCY_GHZ } from './pulse.ts';

/** Conventions for playing and for analysing DRAG pulses. */

export type DragPulseName = 'drag_hpi' | 'drag_pi';

/** Angle of the pulse in radians, its usual length, and how many of them the amplitude sweep plays: always four full turns. */
export const DRAG_PULSES = {
  drag_hpi: { angle: Math.PI / 2, lengthNs: 16, perSweep: 16 },
  drag_pi: { angle: Math.PI, lengthNs: 24, perSweep: 8 },
} as const;
export const DRAG_SWEEP_TURNS = 4;
/** Rounds of amplitude and beta, each starting from what the one before has found. */
export const DRAG_ITERATIONS = 2;

/**
 * Amplitude at which a raised cosine of this length turns by `angle`, where `controlAmplitude` gives a Rabi frequency of
 * {@link TARGET_RABI_FREQUENCY_GHZ}: half of its length times its peak counts.
 */
export function expectedDragAmplitude(angle: number, controlAmplitude: number, lengthNs: number): number {
  return (angle * controlAmplitude) / (Math.PI * TARGET_RABI_FREQUENCY_GHZ * lengthNs);
}

/**
 * Part of its length during which a raised cosine of pi/2 lets the qubit precess by its detuning, to first order:
 * ∫ sin θ(s) ds over the pulse, with the angle θ(s) = (π/2) (s − sin(2πs) / 2π) that it has turned by.
 */
export const PRECESSING_PART = 0.584;
