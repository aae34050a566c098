import type { Figure } from '../../science/figures/model.ts';

/** Maximum number of points of a line, and of cells of a map along each axis, in a prompt. */
const POINTS = 60;
const CELLS = 16;

/** A figure as numbers for a model: lines and maps are thinned evenly, with their minimum and maximum values. */
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

/** At most `most` entries, evenly spaced, including the first and the last. */
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
