/** Limits on the number of random sequences for each length of a benchmark. Fewer give no estimate of their scatter. */
export const SEQUENCES_PER_LENGTH = { fewest: 3, most: 100 } as const;
