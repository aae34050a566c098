/** Decay rate of a transmon's second excited state, relative to that of the first. */
export const SECOND_DECAY = 2;

/**
 * Position of the second excited state in the IQ plane, in units of the distance between the other two states. It is
 * further along their axis, because it shifts the resonator further, and beside the axis, because the phase is not
 * proportional to that shift.
 */
export const SECOND_PLACE = { along: 1.2, beside: 0.8 } as const;

/** Populations of the first and the second excited state. */
export interface Populations {
  excited: number;
  second: number;
}
