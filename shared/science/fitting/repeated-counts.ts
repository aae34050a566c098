/** Probability below which a repetition is not an accident: that of a normal deviation beyond 4.5. */
const ACCIDENT = 3.4e-6;

/** From here on Stirling's series is off by less than 1e-5. */
const STIRLING_FROM = 8;

/** ln n!, also between whole numbers: some instruments hand over shares, or counts with readout errors taken out. */
function logFactorial(n: number): number {
  let below = 0;
  let m = n;
  for (; m < STIRLING_FROM; m++) below += Math.log(m + 1);
  return m * Math.log(m) - m + Math.log(2 * Math.PI * m) / 2 + 1 / (12 * m) - below;
}

/** Logarithm of the chance to count the same once more: that of the counts under the shares that they have. */
function logChance(counts: readonly number[]): number {
  const shots = counts.reduce((sum, count) => sum + count, 0);
  return counts.reduce(
    (sum, count) => sum + (count > 0 ? count * Math.log(count / shots) - logFactorial(count) : 0),
    logFactorial(shots),
  );
}

/**
 * Why counts of outcomes, row after row as they were measured, cannot be trusted: an instrument that repeats its last
 * counts, more often in a row than chance lets it. A state that is always read alike may repeat. Null when nothing is
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
