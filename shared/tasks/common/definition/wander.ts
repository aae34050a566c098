import type { Wander } from '../../model.ts';

/**
 * Typical drift of fixed-frequency transmons between measurements and between days, within a cool-down. Exceeding it only
 * causes a second measurement, so the values need not be exact.
 */

/**
 * GHz: charge noise and defects shift a qubit by up to about 100 kHz per day, and by a few kHz within minutes
 * (https://doi.org/10.1038/s41534-019-0168-5).
 */
export const qubitFrequencyWander: Wander = { atOnce: 5e-6, perDay: 1e-4, of: 'unit' };
/** GHz: a line in a spectrum also shifts with the power of both tones. */
export const coarseFrequencyWander: Wander = { atOnce: 1e-3, perDay: 4e-3, of: 'unit' };
/** GHz: resonators hardly drift, but a readout frequency is chosen between the lines of both states. */
export const readoutFrequencyWander: Wander = { atOnce: 2e-3, perDay: 8e-3, of: 'unit' };
export const resonatorFrequencyWander: Wander = { atOnce: 1e-4, perDay: 5e-4, of: 'unit' };
/**
 * Defects that appear and disappear let T1 vary by some ten percent, much of it within minutes
 * (https://doi.org/10.1103/PhysRevLett.121.090502).
 */
export const coherenceWander: Wander = { atOnce: 0.075, perDay: 0.3, of: 'value' };
/** GHz: fixed by the capacitance. */
export const anharmonicityWander: Wander = { atOnce: 1e-4, perDay: 1e-3, of: 'unit' };
/** Attenuation of the drive line and gain of the electronics. */
export const driveWander: Wander = { atOnce: 0.02, perDay: 0.1, of: 'value' };
/** The same between fine calibrations of a pulse, at constant room temperature. */
export const fineDriveWander: Wander = { atOnce: 0.002, perDay: 0.01, of: 'value' };
