/** Minimum number of rounds. With fewer, a jump looks like noise. */
export const STABILITY_ROUNDS = { fewest: 12, most: 500 } as const;
