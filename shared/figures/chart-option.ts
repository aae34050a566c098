import type { EChartsCoreOption } from 'echarts/core';
import { type AxisRange, axisTicks, lengthenAxes } from './axis-range.ts';
import type { Figure } from './model.ts';

type Trace = Figure['data'][number];
type Axis = Figure['layout']['xaxis'];

/** Okabe and Ito's palette without its yellow, which is too pale on white: told apart by any eye (2008). */
const PALETTE = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#e69f00', '#000000'];
/** Viridis: even in brightness, hence readable in grey and by colour-blind eyes. */
const VIRIDIS = [
  '#440154',
  '#482878',
  '#3e4a89',
  '#31688e',
  '#26828e',
  '#1f9e89',
  '#35b779',
  '#6ece58',
  '#b5de2b',
  '#fde725',
];

/** A line says that its entry of the legend is a curve; ECharts would put an empty circle on it. */
const LINE_ICON = 'path://M0,5h22v2h-22z';

const TEXT = '#1a1a1a';
const LINES = '#4d4d4d';
const GRID_LINES = '#e3e3e3';

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

function shownX(traces: readonly Trace[]): number[] {
  return traces.flatMap((trace) => trace.x);
}

function valueAxis(axis: Axis, range: AxisRange, font: string, nameGap: number): object {
  const logarithmic = axis.type === 'log';
  const { ticks, labels } = axisTicks(range, logarithmic, 7);
  return {
    type: logarithmic ? 'log' : 'value',
    name: axis.title.text,
    nameLocation: 'middle',
    nameGap,
    nameTextStyle: { color: TEXT, fontSize: 13, fontFamily: font },
    ...range,
    // ECharts would put labels at both ends of the range, whatever numbers these are.
    axisLabel: { color: TEXT, fontSize: 12, fontFamily: font, formatter: tickLabel, customValues: labels },
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

function allSeries(traces: readonly Trace[], pixelsPerUnit: number): object[] {
  const cloud = traces.some(({ mode, x }) => mode === 'markers' && x.length > MOST_LARGE_POINTS);
  return traces.flatMap((trace, index) => {
    const colour = PALETTE[index % PALETTE.length] ?? TEXT;
    return trace.type === 'bar'
      ? [barSeries(trace, colour, pixelsPerUnit)]
      : [lineSeries(trace, colour, cloud), ...errorBarSeries(trace, colour)];
  });
}

/** The values that the y axis has to show: with error bars to their ends, with bars from zero. */
function shownY(traces: readonly Trace[]): number[] {
  const ends = traces.flatMap(({ y, error_y }) =>
    y.flatMap((value, index) => {
      const error = error_y?.array[index] ?? 0;
      return error > 0 ? [value - error, value + error] : [value];
    }),
  );
  return traces.some(({ type }) => type === 'bar') ? [...ends, 0] : ends;
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
    legend: {
      show: legend,
      top: 36,
      left: 'center',
      itemWidth: 22,
      data: traces.map((trace) => ({
        name: trace.name,
        ...(trace.mode === 'lines' ? { icon: LINE_ICON } : {}),
      })),
      textStyle: { color: TEXT, fontSize: 12, fontFamily: font },
    },
    xAxis: valueAxis(layout.xaxis, ranges.x, font, 32),
    yAxis: valueAxis(layout.yaxis, ranges.y, font, 56),
    series: allSeries(traces, pixelsPerUnit),
  };
}

/** A long title is written smaller rather than cut: the value that was found stands at its end. */
function titleSize({ layout }: Figure): number {
  const fitting = (layout.width - 24) / (0.7 * layout.title.text.length);
  return Math.min(LARGEST_TITLE, Math.max(SMALLEST_TITLE, fitting));
}

function common(figure: Figure, font: string): EChartsCoreOption {
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

/** A heat map's cells are categories for ECharts; the labels tell which values they stand for. */
function cellAxis(axis: Axis, values: readonly number[], font: string, nameGap: number): object {
  return {
    type: 'category',
    data: values.map(tickLabel),
    name: axis.title.text,
    nameLocation: 'middle',
    nameGap,
    nameTextStyle: { color: TEXT, fontSize: 13, fontFamily: font },
    axisLabel: {
      color: TEXT,
      fontSize: 12,
      fontFamily: font,
      hideOverlap: true,
      interval: Math.max(0, Math.ceil(values.length / 7) - 1),
    },
    axisLine: { lineStyle: { color: LINES } },
    axisTick: { lineStyle: { color: LINES }, alignWithLabel: true },
  };
}

function roughly(value: number): number {
  return Number(value.toPrecision(3));
}

function heatmapOption(figure: Figure, trace: Trace, font: string): EChartsCoreOption {
  const { layout } = figure;
  const cells: [number, number, number][] = [];
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const [row, values] of (trace.z ?? []).entries()) {
    for (const [column, value] of values.entries()) {
      if (value === null) continue;
      cells.push([column, row, value]);
      lowest = Math.min(lowest, value);
      highest = Math.max(highest, value);
    }
  }
  const known = lowest <= highest;
  return {
    ...common(figure, font),
    grid: { ...MARGIN, top: MARGIN.top - 14, right: MARGIN.right + COLOUR_BAR_WIDTH },
    xAxis: cellAxis(layout.xaxis, trace.x, font, 32),
    yAxis: cellAxis(layout.yaxis, trace.y, font, 56),
    visualMap: {
      min: known ? lowest : 0,
      max: known ? Math.max(highest, lowest + Number.EPSILON) : 1,
      calculable: false,
      orient: 'vertical',
      left: layout.width - COLOUR_BAR_WIDTH,
      top: 'middle',
      itemWidth: 14,
      itemHeight: layout.height - 190,
      text: known ? [tickLabel(roughly(highest)), tickLabel(roughly(lowest))] : ['', ''],
      textStyle: { color: TEXT, fontSize: 12, fontFamily: font },
      inRange: { color: VIRIDIS },
    },
    graphic: {
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
    series: [{ type: 'heatmap', name: trace.name, data: cells, progressive: 0 }],
  };
}

/** What ECharts has to draw for a Plotly figure of the subset that our analyses use. */
export function chartOption(figure: Figure, font: string): EChartsCoreOption {
  const heatmap = figure.data.find((trace) => trace.type === 'heatmap');
  return heatmap === undefined ? cartesianOption(figure, font) : heatmapOption(figure, heatmap, font);
}
