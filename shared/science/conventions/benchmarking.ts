/** Random sequences of each length that a benchmark may have; fewer tell nothing of how they scatter. */
export const SEQUENCES_PER_LENGTH = { fewest: 3, most: 100 } as const;
