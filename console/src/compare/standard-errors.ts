export type Value = number | string | null;

/**
 * How many standard errors two values differ by. The errors are independent, so their squares add. A value without an error,
 * such as a start value, counts as exact; without any error the question has no answer.
 */
export function standardErrorsBetween(
  before: { value: Value; error: number | null },
  after: { value: Value; error: number | null },
): number | null {
  if (typeof before.value !== 'number' || typeof after.value !== 'number') return null;
  const error = Math.hypot(before.error ?? 0, after.error ?? 0);
  return error > 0 ? (after.value - before.value) / error : null;
}

/** The standard errors of a difference in few characters, with its sign. */
export function shownStandardErrors(count: number): string {
  const sign = count < 0 ? '−' : '+';
  const size = Math.abs(count);
  return `${sign}${size >= 100 ? Math.round(size) : size.toFixed(1)}`;
}
