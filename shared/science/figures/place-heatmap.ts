import { axisTicks } from './axis-range.ts';
import { channelsAt, isDark } from './colour-scales.ts';
import { type Colouring, heatmapImage } from './heatmap-image.ts';
import type { Figure } from './model.ts';
import { MARGIN } from './place-cartesian.ts';
import {
  namedTraces,
  type Place,
  type PlacedFigure,
  type PlacedMap,
  placedAxis,
  type Trace,
  tickLabel,
} from './placed-figure.ts';
import { readColourScale } from './read-colour.ts';

const COLOUR_BAR = { space: 88, width: 14, lessThanMap: 40, ticks: 6, title: 66 };
/** Space for a legend above the map. */
const LEGEND = 14;

/** Lowest and highest value of a heat map; undefined when it has none. */
function valueRange(z: readonly (readonly (number | null)[])[]): { min: number; max: number } | undefined {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const row of z) {
    for (const value of row) {
      if (value === null || !Number.isFinite(value)) continue;
      min = Math.min(min, value);
      max = Math.max(max, value);
    }
  }
  return min <= max ? { min, max } : undefined;
}

/** The scale as a bar beside the map, with ticks at round numbers, and the meaning of the colours. */
function colourBar(title: string, { min, max, scale }: Colouring, map: Place): PlacedMap['bar'] {
  const left = map.left + map.width + MARGIN.right;
  const place = {
    left,
    top: map.top + COLOUR_BAR.lessThanMap / 2,
    width: COLOUR_BAR.width,
    height: map.height - COLOUR_BAR.lessThanMap,
  };
  const { ticks } = axisTicks({ min, max }, false, COLOUR_BAR.ticks);
  return {
    place,
    title,
    titleLeft: left + COLOUR_BAR.title,
    stops: scale,
    ticks: ticks.map((value) => ({
      level: place.top + place.height * (1 - (value - min) / (max - min)),
      text: tickLabel(value),
    })),
  };
}

/** The texts in a trace's cells. */
function cellTexts(
  { text = [], z = [] }: Trace,
  { min, max, scale }: Colouring,
  { place, reversed }: { place: Place; reversed: boolean },
): PlacedMap['texts'] {
  return text.flatMap((row, index) =>
    row.map((label, column) => {
      const part = ((z[index]?.[column] ?? 0) - min) / (max - min);
      const fromTop = reversed ? index : text.length - 1 - index;
      return {
        text: label,
        x: place.left + (place.width * (column + 0.5)) / row.length,
        y: place.top + (place.height * (fromTop + 0.5)) / text.length,
        dark: isDark(channelsAt(scale, part)),
      };
    }),
  );
}

/**
 * Lays out a figure with a heat map.
 *
 * @param fine pixels of the map's image for each pixel of the figure
 * @param above pixels for rows of the legend after the first one
 */
export function placeHeatmap(
  { data, layout }: Figure,
  trace: Trace,
  { fine, above }: { fine: number; above: number },
): PlacedFigure {
  const marks = data.filter(({ type }) => type !== 'heatmap');
  const top = MARGIN.top - (marks.length > 0 ? 0 : LEGEND) + above;
  const place = {
    left: MARGIN.left,
    top,
    width: layout.width - MARGIN.left - MARGIN.right - COLOUR_BAR.space,
    height: layout.height - top - MARGIN.bottom,
  };
  const { zmin, zmax, z = [] } = trace;
  const isGiven = zmin !== undefined && zmax !== undefined && zmin < zmax;
  const known = isGiven ? { min: zmin, max: zmax } : valueRange(z);
  const { min, max } = known ?? { min: 0, max: 1 };
  const smallest = Math.max(Number.EPSILON, 1e-9 * Math.abs(min));
  const colouring = { min, max: Math.max(max, min + smallest), scale: readColourScale(trace.colorscale) };
  const reversed = layout.yaxis.autorange === 'reversed';
  const axis = (side: 'x' | 'y', pixels: number) => ({
    values: trace[side],
    logarithmic: layout[`${side}axis`].type === 'log',
    pixels: Math.max(1, Math.round(fine * pixels)),
    reversed: side === 'y' && reversed,
  });
  const image = heatmapImage(axis('x', place.width), axis('y', place.height), z, colouring);
  return {
    panels: [
      {
        place,
        x: placedAxis(layout.xaxis, image.x, { titleGap: 32 }),
        y: placedAxis(layout.yaxis, image.y, { titleGap: 56 }),
        map: {
          image,
          texts: cellTexts(trace, colouring, { place, reversed }),
          ...(known ? { bar: colourBar(trace.name, colouring, place) } : {}),
        },
        traces: marks,
      },
    ],
    legend: namedTraces(marks),
  };
}
