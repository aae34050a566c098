import type { Random } from '../../../shared/science/device/random.ts';

/** A value between two bounds, distributed log-uniformly. */
export function logBetween(random: Random, minimum: number, maximum: number): number {
  return minimum * (maximum / minimum) ** random.uniform();
}
