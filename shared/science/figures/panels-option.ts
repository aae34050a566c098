import type { EChartsCoreOption } from 'echarts/core';
import { lengthenAxes } from './axis-range.ts';
import { allSeries, common, legendOf, type Style, shownX, shownY, valueAxis } from './chart-option.ts';
import type { Figure } from './model.ts';

type Trace = Figure['data'][number];
type Axis = Figure['layout']['xaxis'];

const MARGIN = { left: 80, right: 24, top: 46, bottom: 54 };
/** Height of a legend above the panels. */
const LEGEND = 22;
const TICKS = 5;
/** Of a panel as wide as the figure, or as high as a figure of its own. */
const MANY_TICKS = 7;
/** Of a panel that is lower than this many pixels. */
const LOW = 130;
const HIGH = 220;
const FEW_TICKS = 4;

interface Panel {
  x: Axis;
  y: Axis;
  traces: Trace[];
}

function panelsOf({ data, layout }: Figure): Panel[] {
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

/** The first trace of each name: traces of one name have one colour in all panels. */
function distinct(traces: readonly Trace[]): Trace[] {
  return traces.filter(({ name }, index) => traces.findIndex((other) => other.name === name) === index);
}

/** What ECharts has to draw for a figure of several panels, each with a grid of its own. */
export function panelsOption(figure: Figure, style: Style): EChartsCoreOption {
  const { width, height, showlegend = false } = figure.layout;
  const topMargin = MARGIN.top + (showlegend ? LEGEND : 0);
  const [innerWidth, innerHeight] = [width - MARGIN.left - MARGIN.right, height - topMargin - MARGIN.bottom];
  const panels = panelsOf(figure);
  const drawn = panels.map(({ x, y, traces }, index) => {
    const [left = 0, right = 1] = x.domain ?? [];
    const [bottom = 0, top = 1] = y.domain ?? [];
    const ranges = lengthenAxes(
      { values: shownX(traces), logarithmic: x.type === 'log' },
      { values: shownY(traces), logarithmic: y.type === 'log' },
    );
    if (traces.some(({ type }) => type === 'bar')) ranges.y.min = Math.max(0, ranges.y.min);
    const panelHeight = innerHeight * (top - bottom);
    const panelWidth = innerWidth * (right - left);
    const axes = { gridIndex: index };
    return {
      grid: {
        left: MARGIN.left + innerWidth * left,
        width: panelWidth,
        top: topMargin + innerHeight * (1 - top),
        height: panelHeight,
      },
      xAxis: {
        ...valueAxis(x, ranges.x, {
          ...style,
          nameGap: 28,
          wantedTicks: right - left > 0.9 ? MANY_TICKS : TICKS,
        }),
        ...axes,
      },
      yAxis: {
        ...valueAxis(y, ranges.y, {
          ...style,
          nameGap: 60,
          wantedTicks: panelHeight < LOW ? FEW_TICKS : panelHeight > HIGH ? MANY_TICKS : TICKS,
        }),
        ...axes,
      },
      series: allSeries(traces, panelWidth / (ranges.x.max - ranges.x.min), style.theme).map((series) => ({
        ...series,
        xAxisIndex: index,
        yAxisIndex: index,
      })),
    };
  });
  return {
    ...common(figure, style),
    legend: legendOf(showlegend ? distinct(panels.flatMap(({ traces }) => traces)) : [], style),
    grid: drawn.map(({ grid }) => grid),
    xAxis: drawn.map(({ xAxis }) => xAxis),
    yAxis: drawn.map(({ yAxis }) => yAxis),
    series: drawn.flatMap(({ series }) => series),
  };
}
