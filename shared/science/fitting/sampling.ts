/**
 * The highest frequency that a sweep distinguishes from lower ones: half the inverse of its smallest step. A few points
 * closer together than the others are enough.
 */
export function fastestOscillation(points: readonly number[]): number {
  const places = [...new Set(points)].sort((a, b) => a - b);
  const distances = places.slice(1).map((place, index) => place - (places[index] ?? 0));
  return 1 / (2 * Math.min(...distances));
}
