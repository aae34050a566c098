/** Conventions for playing and for analysing cross-resonance pulses. */

/**
 * Effective length of both ramps of a flat-top pulse together, by their area, ns. Each ramp takes 16 ns and has half
 * the area of a flat pulse.
 */
export const CR_RAMP_NS = 16;
/**
 * Number of steps of the Hamiltonian tomography. Each uses the phase and the cancel tone that follow from the previous
 * steps.
 */
export const CR_STEPS = 4;

/** Factor by which the planned gate is longer than needed, so that its amplitude is below that of the tomography. */
const LENGTH_BUFFER = 1.15;
/** Lengths of gates are multiples of this, ns. */
const LENGTH_STEP_NS = 16;

/**
 * Tolerance of a length as a multiple, ns. It covers rounding of stored numbers and is far below the error of any rate.
 */
const LENGTH_ROUNDING_NS = 1e-6;

/** Plan for creating a gate: the total length of each of its two pulses (ns), and the amplitudes of the sweep. */
export interface Zx90Plan {
  halfLengthNs: number;
  /** Relative to the amplitude at which the rate was measured. */
  sweep: { from: number; to: number; points: number };
}

/**
 * Plans the gate for a rate of ZX. A rate from the tomography gives a length with a margin, and amplitudes below that
 * of the tomography. A rate whose pulse length is exactly on the grid comes from an existing gate: its length is kept,
 * because a margin added at each calibration would lengthen it each time, and amplitudes on both sides of its own are
 * tried.
 * @param rate of ZX in GHz
 */
export function zx90Plan(rate: number): Zx90Plan {
  const steps = zx90PulseLength(rate) / LENGTH_STEP_NS;
  const isCreated = Math.abs(steps - Math.round(steps)) * LENGTH_STEP_NS < LENGTH_ROUNDING_NS;
  if (isCreated)
    return { halfLengthNs: LENGTH_STEP_NS * Math.round(steps), sweep: { from: 0.75, to: 1.25, points: 50 } };
  return { halfLengthNs: zx90HalfLength(rate), sweep: { from: 0.55, to: 1, points: 50 } };
}

/**
 * Numbers of gates that the amplitude sweep plays. The gate is a quarter turn at the amplitude where both give the same
 * signal.
 */
export const ZX90_SWEEP_GATES = [1, 3] as const;

/** Total length of one of the two pulses of an echoed ZX90 for a rate of the tomography, ns. @param rate of ZX in GHz */
function zx90HalfLength(rate: number): number {
  return LENGTH_STEP_NS * Math.ceil((LENGTH_BUFFER / (8 * rate) + CR_RAMP_NS) / LENGTH_STEP_NS);
}

/** Rate of ZX at which two pulses of the given length turn the target by a quarter, GHz. */
export function zx90Rate(halfLengthNs: number): number {
  return 1 / (8 * (halfLengthNs - CR_RAMP_NS));
}

/** Length of the echoed gate, ns: two pulses, and two pi pulses on the control, each made of two pi/2 pulses. */
export function zx90GateTime(halfLengthNs: number, hpiLengthNs: number): number {
  return 2 * halfLengthNs + 4 * hpiLengthNs;
}

/** Total length of each of the two pulses of a gate with this rate of ZX (GHz), ns. */
export function zx90PulseLength(rate: number): number {
  return 1 / (8 * rate) + CR_RAMP_NS;
}
