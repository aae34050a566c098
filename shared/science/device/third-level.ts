/** The second excited state of a transmon decays twice as fast as the first. */
export const SECOND_DECAY = 2;

/**
 * Where the second excited state is seen, in distances of both others: further on, since it shifts the resonator further,
 * and beside their axis, since a phase does not grow in proportion to that shift.
 */
export const SECOND_PLACE = { along: 1.2, beside: 0.8 } as const;

/** Populations of the first and the second excited state. */
export interface Populations {
  excited: number;
  second: number;
}
