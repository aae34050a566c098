/** Runs that an average may have; of fewer neither an average nor a scatter can be told. */
export const AVERAGED_RUNS = { fewest: 2, most: 100 } as const;
