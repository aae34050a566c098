/** Drift of quantities, and the distance of two measurements of one quantity. */
import type { Wander } from './model.ts';

/** A measured value. */
export interface FoundValue {
  value: number;
  /** Standard error; null if unknown. */
  error: number | null;
}

/** A value measured earlier. */
export interface EarlierValue extends FoundValue {
  /** Age in hours. */
  hours: number;
}

export const HOURS_PER_DAY = 24;
/** Drift grows with the square root of time, up to this number of days. */
const MAX_DAYS = 16;

function growth(hours: number): number {
  return Math.sqrt(Math.min(MAX_DAYS, Math.max(0, hours / HOURS_PER_DAY)));
}

/** Expected drift of a quantity within a number of hours, one standard deviation. */
export function driftAfter(hours: number, { atOnce, perDay }: Wander): number {
  return Math.hypot(atOnce, perDay * growth(hours));
}

/** Distance of two values and their combined error; on a logarithmic scale if the drift is relative to the value. */
export function separation(
  one: FoundValue,
  other: FoundValue,
  of: Wander['of'],
): { apart: number; error: number } {
  const [a, b] = [one.error ?? 0, other.error ?? 0];
  if (of === 'unit') return { apart: Math.abs(one.value - other.value), error: Math.hypot(a, b) };
  const ratio = one.value / other.value;
  const apart = ratio > 0 ? Math.abs(Math.log(ratio)) : Number.POSITIVE_INFINITY;
  return { apart, error: Math.hypot(a / one.value, b / other.value) };
}
