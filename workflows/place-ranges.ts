/**
 * Numbers of places as text: `0-3,7`. Nearly all places of a large step that have not begun follow each other, so
 * that thousands of them fit into the input of the run that continues it.
 */
export function rangesOf(places: readonly number[]): string {
  const ranges: [from: number, to: number][] = [];
  for (const place of [...places].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && last[1] + 1 === place) last[1] = place;
    else ranges.push([place, place]);
  }
  return ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(',');
}

/** The numbers that {@link rangesOf} wrote, in order. */
export function placesOf(ranges: string): number[] {
  return ranges.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
  });
}
