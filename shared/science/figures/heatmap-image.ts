import { powerOfTen } from './axis-range.ts';
import { type ColourScale, channelsAt } from './colour-scales.ts';

/** Colours of the scale. */
const SHADES = 255;
/** Colour of pixels without a value. */
const TRANSPARENT = 0;

/** One dimension of the picture. */
export interface ImageAxis {
  /** The positions of the cells, in any order. */
  values: readonly number[];
  logarithmic: boolean;
  pixels: number;
  /** The first value of a y axis is at the top. */
  reversed?: boolean;
}

/** A heat map as a picture, and the range of both axes that it covers. */
export interface HeatmapImage {
  /** Red, green, blue, alpha of each pixel, row by row from the top. */
  pixels: Uint8ClampedArray<ArrayBuffer>;
  width: number;
  height: number;
  x: { min: number; max: number };
  y: { min: number; max: number };
}

/** The mapping of values to colours. */
export interface Colouring {
  min: number;
  max: number;
  scale: ColourScale;
}

/** A cell, or a row of cells, and the fraction of a pixel that it covers. */
interface Cover {
  index: number;
  part: number;
}

/**
 * Cells along an axis, and the cells that each pixel shows. The edges of a cell are midway to its neighbours. A pixel
 * shows the cell at its middle or, if cells are narrower than a pixel, all cells that it covers, so that none is
 * omitted.
 */
function cellsAlong({ values, logarithmic, pixels }: ImageAxis) {
  const scaled = (value: number) => (logarithmic ? Math.log10(value) : value);
  const order = values
    .map((value, index) => ({ at: scaled(value), index }))
    .filter(({ at }) => Number.isFinite(at))
    .sort((a, b) => a.at - b.at);
  const near = (cell: number) => order[cell]?.at ?? 0;
  const [count, first, last] = [order.length, near(0), near(order.length - 1)];
  const isOnePlace = first === last;
  const alone = Math.abs(first) * 0.05 || 0.5;
  const from = first - (isOnePlace ? alone : (near(1) - first) / 2);
  const to = last + (isOnePlace ? alone : (last - near(count - 2)) / 2);
  /** In pixels from the beginning of the axis. */
  const endOf = (cell: number) =>
    cell < count - 1 ? (((near(cell) + near(cell + 1)) / 2 - from) / (to - from)) * pixels : pixels;
  let [cell, begin] = [0, 0];
  const covers = Array.from({ length: pixels }, (_, pixel): Cover[] => {
    const covered: (Cover & { from: number; to: number })[] = [];
    for (; cell < count; cell += 1) {
      const end = endOf(cell);
      const part = Math.min(end, pixel + 1) - Math.max(begin, pixel);
      covered.push({ index: order[cell]?.index ?? -1, part, from: begin, to: end });
      if (end > pixel + 1 || cell === count - 1) break;
      begin = end;
    }
    if (covered.some((each) => each.to - each.from < 1)) return covered.filter(({ part }) => part > 0);
    const { index = -1 } = covered.findLast((each) => each.from <= pixel + 0.5) ?? {};
    return [{ index, part: 1 }];
  });
  const unscaled = (value: number) => (logarithmic ? powerOfTen(value) : value);
  return { covers, range: { min: unscaled(from), max: unscaled(to) } };
}

/** The mean of the cells that a pixel covers; NaN if none of them has a value. */
function meanOf(covers: readonly Cover[], valueAt: (index: number) => number | null | undefined): number {
  let [sum, known] = [0, 0];
  for (const { index, part } of covers) {
    const value = valueAt(index);
    if (value === undefined || value === null || !Number.isFinite(value)) continue;
    sum += part * value;
    known += part;
  }
  return sum / known;
}

/** Colours along the scale, as bytes red, green, blue, alpha in memory. */
function palette(scale: ColourScale): Uint32Array {
  const bytes = Array.from({ length: SHADES }, (_, shade) => [
    ...channelsAt(scale, shade / (SHADES - 1)),
    255,
  ]);
  return new Uint32Array(new Uint8Array(bytes.flat()).buffer);
}

/** The last result is cached, because neighbouring pixels often need the same. */
function keepingLast<Result>(make: (index: number) => Result): (index: number) => Result {
  let last: { index: number; result: Result } | undefined;
  return (index) => {
    if (last?.index !== index) last = { index, result: make(index) };
    return last.result;
  };
}

/**
 * Paints a heat map with a colour for each cell, much faster than with one rectangle for each cell. Cells without a
 * value stay transparent. Cells that share a pixel are averaged.
 *
 * @param z a row for each value of `y`
 * @param colouring values outside `min` and `max` have the colours of these limits
 */
export function heatmapImage(
  x: ImageAxis,
  y: ImageAxis,
  z: readonly (readonly (number | null)[])[],
  colouring: Colouring,
): HeatmapImage {
  const [columns, rows] = [cellsAlong(x), cellsAlong(y)];
  const perShade = (colouring.max - colouring.min) / (SHADES - 1);
  const colours = palette(colouring.scale);
  const colourOf = (value: number) => {
    const shade = Math.min(SHADES - 1, Math.max(0, Math.round((value - colouring.min) / perShade)));
    return colours[shade] ?? TRANSPARENT;
  };
  const valuesOf = keepingLast((row) =>
    Float64Array.from(columns.covers, (covers) => meanOf(covers, (column) => z[row]?.[column])),
  );
  const lineOf = keepingLast((row) => Uint32Array.from(valuesOf(row), colourOf));
  const mixedLine = (covered: readonly Cover[]) => {
    const lines = new Map(covered.map(({ index }) => [index, valuesOf(index)]));
    return Uint32Array.from({ length: x.pixels }, (_, pixel) =>
      colourOf(meanOf(covered, (row) => lines.get(row)?.[pixel])),
    );
  };
  const pixels = new Uint32Array(x.pixels * y.pixels);
  for (const [place, covered] of rows.covers.entries()) {
    const [only, more] = covered;
    const line = only !== undefined && more === undefined ? lineOf(only.index) : mixedLine(covered);
    // A picture begins at its top, an axis at its bottom.
    const fromTop = y.reversed === true ? place : y.pixels - 1 - place;
    pixels.set(line, fromTop * x.pixels);
  }
  return {
    pixels: new Uint8ClampedArray(pixels.buffer),
    width: x.pixels,
    height: y.pixels,
    x: columns.range,
    y: rows.range,
  };
}
