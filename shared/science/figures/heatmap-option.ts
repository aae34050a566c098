import type { EChartsCoreOption } from 'echarts/core';
import { axisTicks } from './axis-range.ts';
import { common, legendOf, lineSeries, MARGIN, type Style, tickLabel, valueAxis } from './chart-option.ts';
import { type ColourScale, channelsAt, isDark, SEQUENTIAL } from './colour-scales.ts';
import { type HeatmapImage, heatmapImage } from './heatmap-image.ts';
import type { Figure } from './model.ts';
import type { Theme } from './theme.ts';

type Trace = Figure['data'][number];

/** Marks on a heat map: colours that Viridis does not have. */
const MARKS = ['#ff3b30', '#ffffff', '#ff9ff3', '#000000'];
/** Pixels of a heat map for each pixel of the figure. */
const SHARPNESS = 2;

const COLOUR_BAR = { space: 88, width: 14, tick: 4, label: 7, lessThanMap: 40, ticks: 6 };

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

/** A mark in its own colour, with an edge that parts it from the cells below and from the legend's background. */
function markSeries(mark: Trace, otherwise: string, theme: Theme): object {
  const colour = mark.line?.color ?? mark.marker?.color ?? otherwise;
  const series = lineSeries(mark, colour, { cloud: false, theme });
  if (mark.mode !== 'markers') return series;
  return { ...series, itemStyle: { color: colour, borderColor: '#000000', borderWidth: 1 } };
}

/** Turns the cells of a heat map into what the renderer takes for an image. */
export type PaintImage = (image: HeatmapImage) => unknown;

interface Colouring {
  min: number;
  max: number;
  scale: ColourScale;
}

interface Place {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** The scale as a bar with ticks at round numbers, and what the colours stand for beside it. */
function colourBar(
  name: string,
  { min, max, scale }: Colouring,
  at: Place,
  { font, theme }: Style,
): object[] {
  const { left: x, top: y, width, height } = at;
  const right = x + width;
  const { ticks } = axisTicks({ min, max }, false, COLOUR_BAR.ticks);
  const tickMarks = ticks.flatMap((value) => {
    const level = y + height * (1 - (value - min) / (max - min));
    return [
      {
        type: 'line',
        shape: { x1: right, y1: level, x2: right + COLOUR_BAR.tick, y2: level },
        style: { stroke: theme.lines, lineWidth: 1 },
      },
      {
        type: 'text',
        x: right + COLOUR_BAR.label,
        y: level,
        style: {
          text: tickLabel(value),
          fill: theme.text,
          font: `11px ${font}`,
          textVerticalAlign: 'middle',
        },
      },
    ];
  });
  const colorStops = scale.map(([offset, color]) => ({ offset, color }));
  return [
    {
      type: 'rect',
      shape: { x, y, width, height },
      style: { fill: { type: 'linear', x: 0, y: 1, x2: 0, y2: 0, colorStops } },
    },
    ...tickMarks,
    {
      type: 'text',
      rotation: Math.PI / 2,
      x: x + COLOUR_BAR.space - 22,
      y: y + height / 2,
      style: {
        text: name,
        fill: theme.text,
        font: `13px ${font}`,
        textAlign: 'center',
        textVerticalAlign: 'middle',
      },
    },
  ];
}

/** What a trace says in its cells, in the colour that is read on each. */
function cellTexts(
  { text = [], z = [] }: Trace,
  colouring: Colouring,
  { at, reversed, font }: { at: Place; reversed: boolean; font: string },
): object[] {
  return text.flatMap((row, index) =>
    row.map((said, column) => {
      const part = ((z[index]?.[column] ?? 0) - colouring.min) / (colouring.max - colouring.min);
      const fromTop = reversed ? index : text.length - 1 - index;
      return {
        type: 'text',
        z: 2,
        x: at.left + (at.width * (column + 0.5)) / row.length,
        y: at.top + (at.height * (fromTop + 0.5)) / text.length,
        style: {
          text: said,
          fill: isDark(channelsAt(colouring.scale, part)) ? '#ffffff' : '#000000',
          font: `13px ${font}`,
          textAlign: 'center',
          textVerticalAlign: 'middle',
        },
      };
    }),
  );
}

/** What ECharts has to draw for a figure with a heat map. */
export function heatmapOption(
  figure: Figure,
  trace: Trace,
  style: Style,
  paint: PaintImage,
): EChartsCoreOption {
  const { layout } = figure;
  const marks = figure.data.filter(({ type }) => type !== 'heatmap');
  const grid = {
    ...MARGIN,
    top: MARGIN.top - (marks.length > 0 ? 0 : 14),
    right: MARGIN.right + COLOUR_BAR.space,
  };
  const [width, height] = [layout.width - grid.left - grid.right, layout.height - grid.top - grid.bottom];
  const { zmin, zmax } = trace;
  const known =
    zmin === undefined || zmax === undefined ? valueRange(trace.z ?? []) : { min: zmin, max: zmax };
  const { min, max } = known ?? { min: 0, max: 1 };
  const smallest = Math.max(Number.EPSILON, 1e-9 * Math.abs(min));
  const colouring = { min, max: Math.max(max, min + smallest), scale: trace.colorscale ?? SEQUENTIAL };
  const reversed = layout.yaxis.autorange === 'reversed';
  const axis = (side: 'x' | 'y', pixels: number) => ({
    values: trace[side],
    logarithmic: layout[`${side}axis`].type === 'log',
    pixels: SHARPNESS * pixels,
    reversed: side === 'y' && reversed,
  });
  const image = heatmapImage(axis('x', width), axis('y', height), trace.z ?? [], colouring);
  const place = { left: grid.left, top: grid.top, width, height };
  const bar = {
    left: layout.width - COLOUR_BAR.space,
    top: grid.top + COLOUR_BAR.lessThanMap / 2,
    width: COLOUR_BAR.width,
    height: height - COLOUR_BAR.lessThanMap,
  };
  return {
    ...common(figure, style),
    grid,
    legend: legendOf(marks, style),
    xAxis: valueAxis(layout.xaxis, image.x, { ...style, nameGap: 32 }),
    yAxis: valueAxis(layout.yaxis, image.y, { ...style, nameGap: 56 }),
    graphic: [
      { type: 'image', z: 1, style: { image: paint(image), x: grid.left, y: grid.top, width, height } },
      ...(known ? colourBar(trace.name, colouring, bar, style) : []),
      ...cellTexts(trace, colouring, { at: place, reversed, font: style.font }),
    ],
    series: marks.map((mark, index) => markSeries(mark, MARKS[index % MARKS.length] ?? '', style.theme)),
  };
}
