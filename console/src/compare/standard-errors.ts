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
  const size = Math.abs(count);
  const digits = size >= 100 ? String(Math.round(size)) : size.toFixed(1);
  if (digits === '0.0') return digits;
  return `${count < 0 ? '−' : '+'}${digits}`;
}
