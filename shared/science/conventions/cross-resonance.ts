/** Conventions for playing and for analysing cross-resonance pulses. */

/** Length of both ramps of a flat-top pulse taken together by their area, ns: each has 16 ns and half the height. */
export const CR_RAMP_NS = 16;
/** Steps of the Hamiltonian tomography, each with the phase and the cancel tone that the ones before suggest. */
export const CR_STEPS = 4;

/** How much longer than needed the gate is planned, so that its amplitude ends below the one of the tomography. */
const LENGTH_BUFFER = 1.15;
/** Lengths are multiples of this, ns. */
const LENGTH_STEP_NS = 16;

/** Amplitudes at which the gate is tried, relative to that of the tomography. */
export const ZX90_SWEEP = { from: 0.55, to: 1, points: 50 } as const;

/** Numbers of gates that the sweep of the amplitude plays: where both give the same signal the gate is a quarter turn. */
export const ZX90_SWEEP_GATES = [1, 3] as const;

/** Total length of one of the two cross-resonance pulses of an echoed ZX90, ns. @param rate of ZX in GHz */
export function zx90HalfLength(rate: number): number {
  return LENGTH_STEP_NS * Math.ceil((LENGTH_BUFFER / (8 * rate) + CR_RAMP_NS) / LENGTH_STEP_NS);
}

/** Rate of ZX at which both pulses of the given length turn the target by a quarter, GHz. */
export function zx90Rate(halfLengthNs: number): number {
  return 1 / (8 * (halfLengthNs - CR_RAMP_NS));
}

/** Length of the echoed gate: two pulses, and two pi pulses on the control that are two pi/2 pulses each. ns. */
export function zx90GateTime(halfLengthNs: number, hpiLengthNs: number): number {
  return 2 * halfLengthNs + 4 * hpiLengthNs;
}

/** Total length of each of both pulses of a gate whose ZX has this rate (GHz), ns. */
export function zx90PulseLength(rate: number): number {
  return 1 / (8 * rate) + CR_RAMP_NS;
}
