import type { EChartsCoreOption } from 'echarts/core';
import { type AxisRange, axisTicks, lengthenAxes } from './axis-range.ts';
import { type HeatmapImage, heatmapImage } from './heatmap-image.ts';
import type { Figure } from './model.ts';
import { VIRIDIS } from './viridis.ts';

type Trace = Figure['data'][number];
type Axis = Figure['layout']['xaxis'];

/** https://jfly.uni-koeln.de/color/ without its yellow, which is too pale on white: told apart by any eye. */
const PALETTE = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#e69f00', '#000000'];
/** A line says that its entry of the legend is a curve; ECharts would put an empty circle on it. */
const LINE_ICON = 'path://M0,5h22v2h-22z';

const TEXT = '#1a1a1a';
const LINES = '#4d4d4d';
const GRID_LINES = '#e3e3e3';

/** Marks on a heat map: colours that Viridis does not have. */
const MARKS = ['#ff3b30', '#ffffff', '#ff9ff3', '#000000'];
/** Pixels of a heat map for each pixel of the figure. */
const SHARPNESS = 2;

const MARGIN = { left: 78, right: 24, top: 66, bottom: 58 };
const COLOUR_BAR_WIDTH = 76;
const LARGEST_TITLE = 15;
const SMALLEST_TITLE = 9.5;
/** Beyond these, numbers are written with an exponent. */
const LARGEST_PLAIN = 1e5;
const SMALLEST_PLAIN = 1e-4;

/** A tick's label: as short as it can be said exactly. */
function tickLabel(value: number): string {
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
  { font, nameGap, wantedTicks = 7 }: { font: string; nameGap: number; wantedTicks?: number },
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
    nameTextStyle: { color: TEXT, fontSize: 13, fontFamily: font },
    ...range,
    // Bars must not widen the range, in which their own width is given.
    containShape: false,
    // ECharts would put labels at both ends of the range, whatever numbers these are.
    axisLabel: { color: TEXT, fontSize: 12, fontFamily: font, formatter: labelOf, customValues: labels },
    axisTick: { show: true, lineStyle: { color: LINES }, customValues: ticks },
    axisLine: { show: true, onZero: false, lineStyle: { color: LINES } },
    splitLine: {
      lineStyle: { color: GRID_LINES },
      customValues: labels,
      showMinLine: true,
      showMaxLine: true,
    },
  };
}

/** More points than these are a cloud: drawn smaller, and under the lines instead of over them. */
const MOST_LARGE_POINTS = 250;

function lineSeries(trace: Trace, colour: string, cloud: boolean): object {
  const mode = trace.mode ?? 'markers';
  const data = trace.x.map((x, index) => [x, trace.y[index] ?? null]);
  if (mode === 'markers') {
    // Measured points often lie close together: see-through, with an edge that keeps each visible.
    return {
      type: 'scatter',
      name: trace.name,
      data,
      z: 3,
      symbolSize: cloud ? 4.5 : 7,
      itemStyle: { color: colour, opacity: 0.8, borderColor: '#ffffff', borderWidth: 0.5 },
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
      ...(trace.line === undefined ? {} : { type: trace.line.dash === 'dash' ? 'dashed' : 'dotted' }),
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

export function allSeries(traces: readonly Trace[], pixelsPerUnit: number): object[] {
  const cloud = traces.some(({ mode, x }) => mode === 'markers' && x.length > MOST_LARGE_POINTS);
  return traces.flatMap((trace, index) => {
    const colour = PALETTE[index % PALETTE.length] ?? TEXT;
    return trace.type === 'bar'
      ? [barSeries(trace, colour, pixelsPerUnit)]
      : [lineSeries(trace, colour, cloud), ...errorBarSeries(trace, colour)];
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

export function legendOf(traces: readonly Trace[], font: string): object {
  return {
    show: traces.length > 0,
    top: 36,
    left: 'center',
    itemWidth: 22,
    data: traces.map((trace) => ({
      name: trace.name,
      ...(trace.mode === 'lines' ? { icon: LINE_ICON } : {}),
    })),
    textStyle: { color: TEXT, fontSize: 12, fontFamily: font },
  };
}

function cartesianOption(figure: Figure, font: string): EChartsCoreOption {
  const { data: traces, layout } = figure;
  const legend = traces.length > 1;
  const grid = { ...MARGIN, top: legend ? MARGIN.top : MARGIN.top - 20 };
  const ranges = lengthenAxes(
    { values: shownX(traces), logarithmic: layout.xaxis.type === 'log' },
    { values: shownY(traces), logarithmic: layout.yaxis.type === 'log' },
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
    ...common(figure, font),
    grid,
    legend: legendOf(legend ? traces : [], font),
    xAxis: valueAxis(layout.xaxis, ranges.x, { font, nameGap: 32 }),
    yAxis: valueAxis(layout.yaxis, ranges.y, { font, nameGap: 56 }),
    series: allSeries(traces, pixelsPerUnit),
  };
}

/** A long title is written smaller rather than cut: the value that was found stands at its end. */
function titleSize({ layout }: Figure): number {
  const fitting = (layout.width - 24) / (0.7 * layout.title.text.length);
  return Math.min(LARGEST_TITLE, Math.max(SMALLEST_TITLE, fitting));
}

export function common(figure: Figure, font: string): EChartsCoreOption {
  return {
    animation: false,
    backgroundColor: '#ffffff',
    textStyle: { fontFamily: font },
    title: {
      text: figure.layout.title.text,
      left: 'center',
      top: 10,
      textStyle: {
        color: TEXT,
        fontSize: titleSize(figure),
        fontWeight: 'bold',
        fontFamily: font,
        width: figure.layout.width - 24,
        overflow: 'truncate',
      },
    },
  };
}

/** An end of a colour bar: three digits, and 0 for what rounding left of it. */
function barLabel(value: number, range: { min: number; max: number }): string {
  return Math.abs(value) < 1e-6 * (range.max - range.min) ? '0' : tickLabel(Number(value.toPrecision(3)));
}

/** Lowest and highest value of a heat map; undefined when it has none. */
function valueRange(z: readonly (readonly (number | null)[])[]): { min: number; max: number } | undefined {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of z.flat()) {
    if (value === null) continue;
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  return min <= max ? { min, max } : undefined;
}

/** A mark in its own colour, with an edge that parts it from the cells below and from the legend's white. */
function markSeries(mark: Trace, otherwise: string): object {
  const colour = mark.line?.color ?? mark.marker?.color ?? otherwise;
  const series = lineSeries(mark, colour, false);
  if (mark.mode !== 'markers') return series;
  return { ...series, itemStyle: { color: colour, borderColor: '#000000', borderWidth: 1 } };
}

/** Turns the cells of a heat map into what the renderer takes for an image. */
export type PaintImage = (image: HeatmapImage) => unknown;

function heatmapOption(figure: Figure, trace: Trace, font: string, paint: PaintImage): EChartsCoreOption {
  const { layout } = figure;
  const marks = figure.data.filter(({ type }) => type !== 'heatmap');
  const grid = {
    ...MARGIN,
    top: MARGIN.top - (marks.length > 0 ? 0 : 14),
    right: MARGIN.right + COLOUR_BAR_WIDTH,
  };
  const [width, height] = [layout.width - grid.left - grid.right, layout.height - grid.top - grid.bottom];
  const { zmin, zmax } = trace;
  const known =
    zmin === undefined || zmax === undefined ? valueRange(trace.z ?? []) : { min: zmin, max: zmax };
  const { min, max } = known ?? { min: 0, max: 1 };
  const colours = { min, max: Math.max(max, min + Number.EPSILON) };
  const axis = (side: 'x' | 'y', pixels: number) => ({
    values: trace[side],
    logarithmic: layout[`${side}axis`].type === 'log',
    pixels: SHARPNESS * pixels,
  });
  const image = heatmapImage(axis('x', width), axis('y', height), trace.z ?? [], colours);
  return {
    ...common(figure, font),
    grid,
    legend: legendOf(marks, font),
    xAxis: valueAxis(layout.xaxis, image.x, { font, nameGap: 32 }),
    yAxis: valueAxis(layout.yaxis, image.y, { font, nameGap: 56 }),
    visualMap: {
      ...colours,
      calculable: false,
      orient: 'vertical',
      left: layout.width - COLOUR_BAR_WIDTH,
      top: 'middle',
      itemWidth: 14,
      itemHeight: layout.height - 190,
      text: known ? [barLabel(max, known), barLabel(min, known)] : ['', ''],
      textStyle: { color: TEXT, fontSize: 12, fontFamily: font },
      inRange: { color: VIRIDIS },
      seriesIndex: 0,
    },
    graphic: [
      {
        type: 'image',
        z: 1,
        style: { image: paint(image), x: grid.left, y: grid.top, width, height },
      },
      {
        type: 'text',
        rotation: Math.PI / 2,
        x: layout.width - 16,
        y: layout.height / 2,
        style: {
          text: trace.name,
          fill: TEXT,
          font: `13px ${font}`,
          textAlign: 'center',
          textVerticalAlign: 'middle',
        },
      },
    ],
    series: [
      // The colour bar belongs to a series; the cells are the picture.
      { type: 'scatter', name: trace.name, data: [] },
      ...marks.map((mark, index) => markSeries(mark, MARKS[index % MARKS.length] ?? TEXT)),
    ],
  };
}

/** What ECharts has to draw for a Plotly figure of the subset that our analyses use. */
export function chartOption(figure: Figure, font: string, paint: PaintImage): EChartsCoreOption {
  const heatmap = figure.data.find((trace) => trace.type === 'heatmap');
  return heatmap === undefined ? cartesianOption(figure, font) : heatmapOption(figure, heatmap, font, paint);
}
