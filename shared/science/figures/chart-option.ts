import type { EChartsCoreOption } from 'echarts/core';
import { type AxisRange, axisTicks, lengthenAxes } from './axis-range.ts';
import type { Figure } from './model.ts';
import { colourIn, type Theme } from './theme.ts';

type Trace = Figure['data'][number];
type Axis = Figure['layout']['xaxis'];

/** How a figure is drawn: the family of its letters, and its colours. */
export interface Style {
  font: string;
  theme: Theme;
}

/** A line says that its entry of the legend is a curve; ECharts would put an empty circle on it. */
const LINE_ICON = 'path://M0,5h22v2h-22z';

export const MARGIN = { left: 78, right: 24, top: 66, bottom: 58 };
const LARGEST_TITLE = 15;
const SMALLEST_TITLE = 9.5;
/** Beyond these, numbers are written with an exponent. */
const LARGEST_PLAIN = 1e5;
const SMALLEST_PLAIN = 1e-4;

/** A tick's label: as short as it can be said exactly. */
export function tickLabel(value: number): string {
  const short = Number(value.toPrecision(6));
  const size = Math.abs(short);
  if (size !== 0 && (size >= LARGEST_PLAIN || size < SMALLEST_PLAIN))
    return short.toExponential().replace('e+', 'e');
  return String(short);
}

/** The values that the x axis has to show: with bars to the edges of the outer ones. */
export function shownX(traces: readonly Trace[]): number[] {
  return traces.flatMap(({ type, x }) => {
    if (type !== 'bar') return x;
    const half = Math.abs((x[1] ?? 0) - (x[0] ?? 0)) / 2;
    return x.flatMap((middle) => [middle - half, middle + half]);
  });
}

export function valueAxis(
  axis: Axis,
  range: AxisRange,
  { font, theme, nameGap, wantedTicks = 7 }: Style & { nameGap: number; wantedTicks?: number },
): object {
  const logarithmic = axis.type === 'log';
  const numbers = axisTicks(range, logarithmic, wantedTicks);
  const { tickvals, ticktext = [] } = axis;
  const { ticks, labels } = tickvals === undefined ? numbers : { ticks: tickvals, labels: tickvals };
  const labelOf = (value: number) => ticktext[tickvals?.indexOf(value) ?? -1] ?? tickLabel(value);
  return {
    type: logarithmic ? 'log' : 'value',
    name: axis.title.text,
    nameLocation: 'middle',
    nameGap,
    nameTextStyle: { color: theme.text, fontSize: 13, fontFamily: font },
    ...range,
    inverse: axis.autorange === 'reversed',
    // Bars must not widen the range, in which their own width is given.
    containShape: false,
    // ECharts would put labels at both ends of the range, whatever numbers these are.
    axisLabel: {
      show: axis.showticklabels !== false,
      color: theme.text,
      fontSize: 12,
      fontFamily: font,
      formatter: labelOf,
      customValues: labels,
    },
    axisTick: { show: true, lineStyle: { color: theme.lines }, customValues: ticks },
    axisLine: { show: true, onZero: false, lineStyle: { color: theme.lines } },
    splitLine: {
      lineStyle: { color: theme.gridLines },
      customValues: labels,
      showMinLine: true,
      showMaxLine: true,
    },
  };
}

/** More points than these are a cloud: drawn smaller, and under the lines instead of over them. */
const MOST_LARGE_POINTS = 250;

export function lineSeries(
  trace: Trace,
  colour: string,
  { cloud, theme }: { cloud: boolean; theme: Theme },
): object {
  const mode = trace.mode ?? 'markers';
  const data = trace.x.map((x, index) => [x, trace.y[index] ?? null]);
  if (mode === 'markers') {
    // Measured points often lie close together: see-through, with an edge that keeps each visible.
    return {
      type: 'scatter',
      name: trace.name,
      data,
      z: 3,
      symbolSize: trace.marker?.size ?? (cloud ? 4.5 : 7),
      itemStyle: { color: colour, opacity: trace.opacity ?? 0.8, borderColor: theme.edge, borderWidth: 0.5 },
    };
  }
  return {
    type: 'line',
    name: trace.name,
    data,
    z: cloud ? 4 : 2,
    showSymbol: mode === 'lines+markers',
    symbolSize: 6,
    lineStyle: {
      color: colour,
      width: 2,
      ...(trace.line?.dash === undefined ? {} : { type: trace.line.dash === 'dash' ? 'dashed' : 'dotted' }),
    },
    itemStyle: { color: colour },
  };
}

/** Bars as wide as their bins, over each other. */
function barSeries(trace: Trace, colour: string, pixelsPerUnit: number): object {
  const width = Math.abs((trace.x[1] ?? 0) - (trace.x[0] ?? 0)) * pixelsPerUnit;
  return {
    type: 'bar',
    name: trace.name,
    data: trace.x.map((x, index) => [x, trace.y[index] ?? null]),
    z: 1,
    barGap: '-100%',
    // Rounding must not leave white lines between the bars.
    barWidth: Math.max(1, width),
    itemStyle: { color: colour, opacity: trace.opacity ?? 1 },
  };
}

/** Error bars as one line with gaps, which needs no further chart of ECharts and no entry of the legend. */
function errorBarSeries(trace: Trace, colour: string): object[] {
  if (trace.error_y === undefined) return [];
  const data = trace.x.flatMap((x, index) => {
    const [y, error] = [trace.y[index] ?? 0, trace.error_y?.array[index] ?? 0];
    return [
      [x, y - error],
      [x, y + error],
      [null, null],
    ];
  });
  return [
    {
      type: 'line',
      data,
      z: 2,
      showSymbol: false,
      connectNulls: false,
      lineStyle: { color: colour, width: 1.5 },
    },
  ];
}

export function allSeries(traces: readonly Trace[], pixelsPerUnit: number, theme: Theme): object[] {
  const cloud = traces.some(({ mode, x }) => mode === 'markers' && x.length > MOST_LARGE_POINTS);
  return traces.flatMap((trace, index) => {
    const colour = colourIn(theme, index, trace.marker?.color ?? trace.line?.color);
    const shown =
      trace.type === 'bar'
        ? barSeries(trace, colour, pixelsPerUnit)
        : lineSeries(trace, colour, { cloud, theme });
    return [shown, ...errorBarSeries(trace, trace.type === 'bar' ? theme.text : colour)];
  });
}

/** The values that the y axis has to show: with error bars to their ends, with bars from zero. */
export function shownY(traces: readonly Trace[]): number[] {
  const ends = traces.flatMap(({ y, error_y }) =>
    y.flatMap((value, index) => {
      const error = error_y?.array[index] ?? 0;
      return error > 0 ? [value - error, value + error] : [value];
    }),
  );
  return traces.some(({ type }) => type === 'bar') ? [...ends, 0] : ends;
}

export function legendOf(all: readonly Trace[], { font, theme }: Style): object {
  const traces = all.filter(({ showlegend }) => showlegend !== false);
  return {
    show: traces.length > 0,
    top: 36,
    left: 'center',
    itemWidth: 22,
    data: traces.map((trace) => ({
      name: trace.name,
      ...(trace.mode === 'lines' ? { icon: LINE_ICON } : {}),
    })),
    textStyle: { color: theme.text, fontSize: 12, fontFamily: font },
  };
}

export function cartesianOption(figure: Figure, style: Style): EChartsCoreOption {
  const { data: traces, layout } = figure;
  const legend = traces.length > 1;
  const grid = { ...MARGIN, top: legend ? MARGIN.top : MARGIN.top - 20 };
  const ranges = lengthenAxes(
    { values: layout.xaxis.range ?? shownX(traces), logarithmic: layout.xaxis.type === 'log' },
    { values: layout.yaxis.range ?? shownY(traces), logarithmic: layout.yaxis.type === 'log' },
    layout.yaxis.scaleanchor === undefined && layout.xaxis.scaleanchor === undefined
      ? undefined
      : {
          width: layout.width - grid.left - grid.right,
          height: layout.height - grid.top - grid.bottom,
        },
  );
  const pixelsPerUnit = (layout.width - grid.left - grid.right) / (ranges.x.max - ranges.x.min);
  // Bars stand on the frame.
  if (traces.some(({ type }) => type === 'bar')) ranges.y.min = Math.max(0, ranges.y.min);
  return {
    ...common(figure, style),
    grid,
    legend: legendOf(legend ? traces : [], style),
    xAxis: valueAxis(layout.xaxis, ranges.x, { ...style, nameGap: 32 }),
    yAxis: valueAxis(layout.yaxis, ranges.y, { ...style, nameGap: 56 }),
    series: allSeries(traces, pixelsPerUnit, style.theme),
  };
}

/** A long title is written smaller rather than cut: the value that was found stands at its end. */
function titleSize({ layout }: Figure): number {
  const fitting = (layout.width - 24) / (0.7 * layout.title.text.length);
  return Math.min(LARGEST_TITLE, Math.max(SMALLEST_TITLE, fitting));
}

export function common(figure: Figure, { font, theme }: Style): EChartsCoreOption {
  return {
    animation: false,
    backgroundColor: theme.background,
    textStyle: { fontFamily: font },
    title: {
      text: figure.layout.title.text,
      left: 'center',
      top: 10,
      textStyle: {
        color: theme.text,
        fontSize: titleSize(figure),
        fontWeight: 'bold',
        fontFamily: font,
        width: figure.layout.width - 24,
        overflow: 'truncate',
      },
    },
  };
}
