import type { Bounds } from '../../model.ts';

/** Limits shared by several tasks; in a sweep they apply to every point. */

/** GHz. */
export const frequencyLimits: Bounds = { minimum: 0, exclusiveMinimum: true, maximum: 20 };
/** GHz; a transmon has no lower frequency. */
export const transmonLimits: Bounds = { minimum: 2.5, maximum: 20 };
/** Distances from a frequency, GHz. */
export const detuningLimits: Bounds = { minimum: -1, maximum: 1 };
/** ns; the longest wait is a thousand times the longest T1 known. */
export const timeLimits: Bounds = { minimum: 0, maximum: 1e9 };
/** Fractions of full scale. */
export const amplitudeLimits: Bounds = { minimum: 0, maximum: 1 };
/** Fractions of full scale, for pulses that must not be zero. */
export const pulseAmplitudeLimits: Bounds = { minimum: 0, exclusiveMinimum: true, maximum: 1 };
/** ns. */
export const pulseLengthLimits: Bounds = { minimum: 0, exclusiveMinimum: true, maximum: 10_000 };
/** Weights of the derivative in a DRAG pulse, ns. */
export const betaLimits: Bounds = { minimum: -10, maximum: 10 };
/** Radians. */
export const phaseLimits: Bounds = { minimum: -Math.PI, maximum: Math.PI };
/** us. */
export const coherenceTimeLimits: Bounds = { minimum: 0, exclusiveMinimum: true, maximum: 100_000 };
/** Fidelities and other fractions. */
export const shareLimits: Bounds = { minimum: 0, maximum: 1 };
/** dB below full scale. */
export const powerLimits: Bounds = { minimum: -120, maximum: 0 };
/** Ratios of powers, dB. */
export const ratioLimits: Bounds = { minimum: -120, maximum: 120 };
/** Positive without an upper limit. */
export const positiveLimits: Bounds = { minimum: 0, exclusiveMinimum: true };
