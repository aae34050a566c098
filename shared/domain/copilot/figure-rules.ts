import type { Figure } from '../../science/figures/model.ts';

/** Points of a line, and cells of a map along each axis, that a model is told. */
const POINTS = 60;
const CELLS = 16;

/** A figure in numbers that a model can read: lines and maps thinned out evenly, with their largest and smallest values. */
export function figureInNumbers({ data, layout }: Figure) {
  return {
    title: layout.title.text,
    x: layout.xaxis.title.text,
    y: layout.yaxis.title.text,
    traces: data.slice(0, 20).map(({ name, type, x, y, z }) => ({
      name,
      type,
      x: thinned(x, z ? CELLS : POINTS),
      y: thinned(y, z ? CELLS : POINTS),
      ...(z && { z: thinned(z, CELLS).map((row) => thinned(row, CELLS)) }),
      ...(z ? extremes(z.flat()) : extremes(y)),
    })),
  };
}

/** At most so many entries, evenly spaced, the first and the last among them. */
function thinned<Entry>(entries: readonly Entry[], most: number): Entry[] {
  if (entries.length <= most) return [...entries];
  const step = (entries.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, index) => entries[Math.round(index * step)]).filter(
    (entry) => entry !== undefined,
  );
}

function extremes(values: readonly (number | null)[]) {
  let [smallest, largest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value === null) continue;
    smallest = Math.min(smallest, value);
    largest = Math.max(largest, value);
  }
  return smallest <= largest ? { smallest, largest } : {};
}
