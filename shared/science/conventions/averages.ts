/** Number of runs in an average. Fewer give neither an average nor a scatter. */
export const AVERAGED_RUNS = { fewest: 2, most: 100 } as const;
