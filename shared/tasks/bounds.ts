import type { Bounds } from './model.ts';

/** Whether a value is within bounds; without bounds every value is. */
export function isWithin(value: number, bounds: Bounds | undefined): boolean {
  if (!bounds) return true;
  const { minimum, maximum, exclusiveMinimum } = bounds;
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) return false;
  return maximum === undefined || value <= maximum;
}
