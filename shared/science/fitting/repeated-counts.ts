/** Probability below which a repetition is not accidental: that of a normal deviation beyond 4.5. */
const ACCIDENT = 3.4e-6;

/** From this number, the error of Stirling's series is less than 1e-5. */
const STIRLING_FROM = 8;

/** ln n!, also for fractional n: some instruments return fractions, or counts corrected for readout errors. */
function logFactorial(n: number): number {
  let below = 0;
  let m = n;
  for (; m < STIRLING_FROM; m++) below += Math.log(m + 1);
  return m * Math.log(m) - m + Math.log(2 * Math.PI * m) / 2 + 1 / (12 * m) - below;
}

/**
 * Logarithm of the probability of the same counts in the next row: that of these counts, given the fractions that they
 * show.
 */
function logChance(counts: readonly number[]): number {
  const shots = counts.reduce((sum, count) => sum + count, 0);
  return counts.reduce(
    (sum, count) => sum + (count > 0 ? count * Math.log(count / shots) - logFactorial(count) : 0),
    logFactorial(shots),
  );
}

/**
 * The reason not to trust counts of outcomes, given row by row in the order of measurement: the instrument repeats its
 * last counts more often than chance allows. A state that always gives the same outcome may repeat. Null if nothing is
 * wrong.
 */
export function repeatedCounts(rows: readonly (readonly number[] | null)[]): string | null {
  const known = rows.flatMap((counts) => (counts === null ? [] : [counts]));
  const least = Math.log(ACCIDENT / Math.max(1, known.length));
  let chance = 0;
  let first = 0;
  for (const [index, counts] of known.entries()) {
    const before = known[index - 1];
    if (before === undefined || counts.some((count, outcome) => count !== before[outcome])) {
      [chance, first] = [0, index];
      continue;
    }
    chance += logChance(counts);
    if (chance < least) {
      return `the instrument repeats the same counts from row ${first + 1} of ${known.length} on`;
    }
  }
  return null;
}
