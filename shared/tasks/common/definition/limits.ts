import type { Bounds } from '../../model.ts';

/** Limits of values that several tasks have; of a sweep every point must keep them. */

/** GHz. */
export const frequencyLimits: Bounds = { minimum: 0, exclusiveMinimum: true, maximum: 20 };
/** GHz; a lower frequency is no transmon's. */
export const transmonLimits: Bounds = { minimum: 2.5, maximum: 20 };
/** Distances from a frequency, GHz. */
export const detuningLimits: Bounds = { minimum: -1, maximum: 1 };
/** ns; the longest wait is a thousand times the longest T1 known. */
export const timeLimits: Bounds = { minimum: 0, maximum: 1e9 };
/** Parts of full scale. */
export const amplitudeLimits: Bounds = { minimum: 0, maximum: 1 };
/** Parts of full scale, of what must be played at all. */
export const pulseAmplitudeLimits: Bounds = { minimum: 0, exclusiveMinimum: true, maximum: 1 };
/** ns. */
export const pulseLengthLimits: Bounds = { minimum: 0, exclusiveMinimum: true, maximum: 10_000 };
/** Weights of the derivative in a DRAG pulse, ns. */
export const betaLimits: Bounds = { minimum: -10, maximum: 10 };
/** Radians. */
export const phaseLimits: Bounds = { minimum: -Math.PI, maximum: Math.PI };
/** us. */
export const coherenceTimeLimits: Bounds = { minimum: 0, exclusiveMinimum: true, maximum: 100_000 };
/** Fidelities, and parts of a whole. */
export const shareLimits: Bounds = { minimum: 0, maximum: 1 };
/** dB below full scale. */
export const powerLimits: Bounds = { minimum: -120, maximum: 0 };
/** Ratios of powers, dB. */
export const ratioLimits: Bounds = { minimum: -120, maximum: 120 };
/** What is above 0 and has no largest value. */
export const positiveLimits: Bounds = { minimum: 0, exclusiveMinimum: true };
