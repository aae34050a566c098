import { lengthenAxes } from './axis-range.ts';
import type { Figure } from './model.ts';
import {
  type Axis,
  type NamedTrace,
  namedTraces,
  type PlacedFigure,
  placedAxis,
  shownX,
  shownY,
  standingRange,
  type Trace,
} from './placed-figure.ts';

const MARGIN = { left: 80, right: 24, top: 46, bottom: 54 };
/** Height of a legend above the panels. */
const LEGEND = 22;
/**
 * Numbers of ticks: the usual one, that of a panel as wide as the figure or higher than `HIGH`, and that of a panel
 * lower than `LOW` pixels.
 */
const [TICKS, MANY_TICKS, FEW_TICKS] = [5, 7, 4];
const [LOW, HIGH] = [130, 220];

interface Part {
  x: Axis;
  y: Axis;
  traces: Trace[];
}

function partsOf({ data, layout }: Figure): Part[] {
  const axes: [Axis | undefined, Axis | undefined][] = [
    [layout.xaxis, layout.yaxis],
    [layout.xaxis2, layout.yaxis2],
    [layout.xaxis3, layout.yaxis3],
    [layout.xaxis4, layout.yaxis4],
  ];
  return axes.flatMap(([x, y], index) => {
    if (x === undefined || y === undefined) return [];
    const name = index === 0 ? 'x' : `x${index + 1}`;
    return [{ x, y, traces: data.filter((trace) => (trace.xaxis ?? 'x') === name) }];
  });
}

/** The first trace of each name, because traces of the same name have the same colour in all panels. */
function distinct(named: readonly NamedTrace[]): NamedTrace[] {
  return named.filter(
    ({ trace: { name } }, index) => named.findIndex(({ trace }) => trace.name === name) === index,
  );
}

/**
 * Lays out a figure with several panels, each with its own axes.
 *
 * @param above pixels for rows of the legend after the first one
 */
export function placePanels(figure: Figure, above = 0): PlacedFigure {
  const { width, height, showlegend = false } = figure.layout;
  const topMargin = MARGIN.top + (showlegend ? LEGEND : 0) + above;
  const [innerWidth, innerHeight] = [width - MARGIN.left - MARGIN.right, height - topMargin - MARGIN.bottom];
  const parts = partsOf(figure);
  const panels = parts.map(({ x, y, traces }) => {
    const [left = 0, right = 1] = x.domain ?? [];
    const [bottom = 0, top = 1] = y.domain ?? [];
    const ranges = lengthenAxes(
      { values: shownX(traces, x.type === 'log'), logarithmic: x.type === 'log' },
      { values: shownY(traces), logarithmic: y.type === 'log' },
    );
    const panelHeight = innerHeight * (top - bottom);
    return {
      place: {
        left: MARGIN.left + innerWidth * left,
        width: innerWidth * (right - left),
        top: topMargin + innerHeight * (1 - top),
        height: panelHeight,
      },
      x: placedAxis(x, ranges.x, { titleGap: 28, wantedTicks: right - left > 0.9 ? MANY_TICKS : TICKS }),
      y: placedAxis(y, standingRange(traces, ranges.y), {
        titleGap: 60,
        wantedTicks: panelHeight < LOW ? FEW_TICKS : panelHeight > HIGH ? MANY_TICKS : TICKS,
      }),
      traces,
    };
  });
  return { panels, legend: showlegend ? distinct(parts.flatMap(({ traces }) => namedTraces(traces))) : [] };
}
