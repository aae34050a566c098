import { lengthenAxes } from './axis-range.ts';
import type { Figure } from './model.ts';
import {
  namedTraces,
  type PlacedFigure,
  placedAxis,
  shownX,
  shownY,
  standingRange,
} from './placed-figure.ts';

export const MARGIN = { left: 78, right: 24, top: 66, bottom: 58 };
/** Height of the legend above the axes. */
const LEGEND = 20;

/**
 * Lays out a figure with one pair of axes.
 *
 * @param above pixels for rows of the legend after the first one
 */
export function placeCartesian({ data: traces, layout }: Figure, above = 0): PlacedFigure {
  const legend = traces.length > 1;
  const top = (legend ? MARGIN.top : MARGIN.top - LEGEND) + above;
  const width = layout.width - MARGIN.left - MARGIN.right;
  const height = layout.height - top - MARGIN.bottom;
  const equalAspect = layout.yaxis.scaleanchor !== undefined || layout.xaxis.scaleanchor !== undefined;
  const ranges = lengthenAxes(
    {
      values: layout.xaxis.range ?? shownX(traces, layout.xaxis.type === 'log'),
      logarithmic: layout.xaxis.type === 'log',
    },
    { values: layout.yaxis.range ?? shownY(traces), logarithmic: layout.yaxis.type === 'log' },
    equalAspect ? { width, height } : undefined,
  );
  return {
    panels: [
      {
        place: { left: MARGIN.left, top, width, height },
        x: placedAxis(layout.xaxis, ranges.x, { titleGap: 32 }),
        y: placedAxis(layout.yaxis, standingRange(traces, ranges.y), { titleGap: 56 }),
        traces,
      },
    ],
    legend: legend ? namedTraces(traces) : [],
  };
}
