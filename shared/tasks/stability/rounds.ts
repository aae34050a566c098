/** Rounds that are measured: fewer tell no jump from noise. */
export const STABILITY_ROUNDS = { fewest: 12, most: 500 } as const;
