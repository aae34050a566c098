/** Limits on the number of runs in an average. One run gives neither an average nor a scatter. */
export const AVERAGED_RUNS = { fewest: 2, most: 100 } as const;
