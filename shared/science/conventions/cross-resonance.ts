/** Conventions for playing and for analysing cross-resonance pulses. */

/** Length of both ramps of a flat-top pulse taken together by their area, ns: each has 16 ns and half the height. */
export const CR_RAMP_NS = 16;
/** Steps of the Hamiltonian tomography, each with the phase and the cancel tone that the ones before suggest. */
export const CR_STEPS = 4;

/** How much longer than needed the gate is planned, so that its amplitude ends below the one of the tomography. */
const LENGTH_BUFFER = 1.15;
/** Lengths are multiples of this, ns. */
const LENGTH_STEP_NS = 16;

/** How far a length may be from a multiple, ns: rounding of numbers in documents, far below what any rate is known to. */
const LENGTH_ROUNDING_NS = 1e-6;

/** How a gate is created: the total length of each of its two pulses (ns), and the amplitudes that are tried. */
export interface Zx90Plan {
  halfLengthNs: number;
  /** Relative to the amplitude that belongs to the rate. */
  sweep: { from: number; to: number; points: number };
}

/**
 * The gate for a rate of ZX. A rate of the tomography gives a length with some room, and amplitudes below that of the tomography. A
 * rate whose pulses have exactly a length of the grid is that of a gate that was created before: it keeps its length, because
 * room added each time would make it longer each time, and amplitudes on both sides of its own are tried.
 * @param rate of ZX in GHz
 */
export function zx90Plan(rate: number): Zx90Plan {
  const steps = zx90PulseLength(rate) / LENGTH_STEP_NS;
  const isCreated = Math.abs(steps - Math.round(steps)) * LENGTH_STEP_NS < LENGTH_ROUNDING_NS;
  if (isCreated)
    return { halfLengthNs: LENGTH_STEP_NS * Math.round(steps), sweep: { from: 0.75, to: 1.25, points: 50 } };
  return { halfLengthNs: zx90HalfLength(rate), sweep: { from: 0.55, to: 1, points: 50 } };
}

/** Numbers of gates that the sweep of the amplitude plays: where both give the same signal the gate is a quarter turn. */
export const ZX90_SWEEP_GATES = [1, 3] as const;

/** Total length of one of the two pulses of an echoed ZX90 for a rate of the tomography, ns. @param rate of ZX in GHz */
function zx90HalfLength(rate: number): number {
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
