/** Arithmetic mean; NaN for no values. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Standard deviation, less `removed` degrees of freedom (1 for the mean). */
export function standardDeviation(values: readonly number[], removed = 1): number {
  const centre = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  return Math.sqrt(squares / (values.length - removed));
}

/** Pearson's correlation; NaN if either list does not vary. */
export function correlation(a: readonly number[], b: readonly number[]): number {
  const [meanA, meanB] = [mean(a), mean(b)];
  let [aa, ab, bb] = [0, 0, 0];
  for (const [index, value] of a.entries()) {
    const [da, db] = [value - meanA, (b[index] ?? 0) - meanB];
    aa += da * da;
    ab += da * db;
    bb += db * db;
  }
  return ab / Math.sqrt(aa * bb);
}

/** The upper one of the middle values of an even number; NaN for no values. */
export function upperMedian(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
