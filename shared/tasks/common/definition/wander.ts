import type { Wander } from '../../model.ts';

/**
 * What chips of fixed-frequency transmons are known to do from one measurement to the next and from one day to the next,
 * within a cool-down. A quantity that moves more than these is measured a second time, no more, so they need not be exact.
 */

/**
 * GHz: charge noise and defects move a qubit by up to some 100 kHz in a day, and by some kHz within minutes
 * (https://doi.org/10.1038/s41534-019-0168-5).
 */
export const qubitFrequencyWander: Wander = { atOnce: 5e-6, perDay: 1e-4, of: 'unit' };
/** GHz: a line in a spectrum moves with the power of both tones as well. */
export const coarseFrequencyWander: Wander = { atOnce: 1e-3, perDay: 4e-3, of: 'unit' };
/** GHz: resonators hardly move, but a readout frequency is chosen between the lines of both states. */
export const readoutFrequencyWander: Wander = { atOnce: 2e-3, perDay: 8e-3, of: 'unit' };
export const resonatorFrequencyWander: Wander = { atOnce: 1e-4, perDay: 5e-4, of: 'unit' };
/**
 * Defects that come near and go let T1 vary by some ten percent, much of it within minutes
 * (https://doi.org/10.1103/PhysRevLett.121.090502).
 */
export const coherenceWander: Wander = { atOnce: 0.075, perDay: 0.3, of: 'value' };
/** GHz: fixed by the capacitance. */
export const anharmonicityWander: Wander = { atOnce: 1e-4, perDay: 1e-3, of: 'unit' };
/** Attenuation of the drive line and gain of the electronics. */
export const driveWander: Wander = { atOnce: 0.02, perDay: 0.1, of: 'value' };
/** The same from one fine calibration of a pulse to the next, in a room of even temperature. */
export const fineDriveWander: Wander = { atOnce: 0.002, perDay: 0.01, of: 'value' };
