import type { Bounds } from '../../model.ts';

/** Limits of settings that several tasks have; of a sweep every point must keep them. */
export const frequencyLimits: Bounds = { minimum: 0, exclusiveMinimum: true, maximum: 20 };
/** Distances from a frequency, GHz. */
export const detuningLimits: Bounds = { minimum: -1, maximum: 1 };
/** ns; the longest wait is a thousand times the longest T1 known. */
export const timeLimits: Bounds = { minimum: 0, maximum: 1e9 };
/** Parts of full scale. */
export const amplitudeLimits: Bounds = { minimum: 0, maximum: 1 };
/** dB below full scale. */
export const powerLimits: Bounds = { minimum: -120, maximum: 0 };
/** Ratios of powers, dB. */
export const ratioLimits: Bounds = { minimum: -120, maximum: 120 };
