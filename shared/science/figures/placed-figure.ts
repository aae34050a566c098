import { type AxisRange, axisTicks } from './axis-range.ts';
import type { HeatmapImage } from './heatmap-image.ts';
import type { Figure } from './model.ts';

export type Trace = Figure['data'][number];
export type Axis = Figure['layout']['xaxis'];

/** Rectangle of a figure, in pixels from its top left corner. */
export interface Place {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface PlacedAxis {
  title: string;
  range: AxisRange;
  logarithmic: boolean;
  /** The first value of a y axis is at the top. */
  reversed: boolean;
  /** Each has a grid line. */
  ticks: readonly number[];
  /** Empty if the axis shows no numbers. */
  labels: readonly { at: number; text: string }[];
  /** Pixels from the axis to its title. */
  titleGap: number;
}

/** The cells of a heat map, and the meaning of its colours. */
export interface PlacedMap {
  image: HeatmapImage;
  /** In a colour that is legible on each cell, row by row; undefined if the cells have no text. */
  texts: readonly { text: string; x: number; y: number; dark: boolean }[];
  /** Undefined for a map without values. */
  bar?: {
    place: Place;
    title: string;
    titleLeft: number;
    stops: readonly (readonly [number, string])[];
    ticks: readonly { level: number; text: string }[];
  };
}

/** A pair of axes and the traces between them. */
export interface PlacedPanel {
  place: Place;
  x: PlacedAxis;
  y: PlacedAxis;
  map?: PlacedMap;
  traces: readonly Trace[];
}

/** A trace in a legend, and its index in its panel, which determines its colour. */
export interface NamedTrace {
  trace: Trace;
  index: number;
}

/** The positions of all parts of a figure. */
export interface PlacedFigure {
  panels: readonly PlacedPanel[];
  legend: readonly NamedTrace[];
}

/** The traces of a panel that a legend names. */
export function namedTraces(traces: readonly Trace[]): NamedTrace[] {
  return traces.map((trace, index) => ({ trace, index })).filter(({ trace }) => trace.showlegend !== false);
}

/** Numbers beyond these limits are written with an exponent. */
const LARGEST_PLAIN = 1e5;
const SMALLEST_PLAIN = 1e-4;

/** A tick's label: the shortest exact one. */
export function tickLabel(value: number): string {
  const short = Number(value.toPrecision(6));
  const size = Math.abs(short);
  if (size !== 0 && (size >= LARGEST_PLAIN || size < SMALLEST_PLAIN))
    return short.toExponential().replace('e+', 'e');
  return String(short);
}

export function placedAxis(
  axis: Axis,
  range: AxisRange,
  { titleGap, wantedTicks = 7 }: { titleGap: number; wantedTicks?: number },
): PlacedAxis {
  const logarithmic = axis.type === 'log';
  const numbers = axisTicks(range, logarithmic, wantedTicks);
  const { tickvals, ticktext = [] } = axis;
  const { ticks, labels } = tickvals === undefined ? numbers : { ticks: tickvals, labels: tickvals };
  const shown = (values: readonly number[]) =>
    values.filter((value) => value >= range.min && value <= range.max);
  const textOf = (value: number) => ticktext[tickvals?.indexOf(value) ?? -1] ?? tickLabel(value);
  return {
    title: axis.title.text,
    range,
    logarithmic,
    reversed: axis.autorange === 'reversed',
    ticks: shown(ticks),
    labels:
      axis.showticklabels === false ? [] : shown(labels).map((value) => ({ at: value, text: textOf(value) })),
    titleGap,
  };
}

/**
 * Left and right edge of each bar. As in Plotly, the width is the smallest distance between two bars on the axis'
 * scale.
 */
export function barEdges({ x }: Trace, logarithmic: boolean): [number, number][] {
  const scaled = x.map((middle) => (logarithmic ? Math.log10(middle) : middle));
  const sorted = scaled.filter(Number.isFinite).sort((a, b) => a - b);
  const distances = sorted.slice(1).map((at, index) => at - (sorted[index] ?? at));
  const distance = distances.reduce((least, each) => (each > 0 ? Math.min(least, each) : least), Infinity);
  const widthAlone = logarithmic ? 1 : Math.abs(sorted[0] ?? 0) || 1;
  const half = (Number.isFinite(distance) ? distance : widthAlone) / 2;
  const value = (at: number) => (logarithmic ? 10 ** at : at);
  return scaled.map((at) => [value(at - half), value(at + half)]);
}

/** The values that the x axis must show, including the outer edges of bars. */
export function shownX(traces: readonly Trace[], logarithmic: boolean): number[] {
  return traces.flatMap((trace) => (trace.type === 'bar' ? barEdges(trace, logarithmic).flat() : trace.x));
}

/** The values that the y axis must show, including the ends of error bars and, for bars, zero. */
export function shownY(traces: readonly Trace[]): number[] {
  const ends = traces.flatMap(({ y, error_y }) =>
    y.flatMap((value, index) => {
      const error = error_y?.array[index] ?? 0;
      return error > 0 ? [value - error, value, value + error] : [value];
    }),
  );
  return traces.some(({ type }) => type === 'bar') ? [...ends, 0] : ends;
}

/** The range of a y axis: bars start at the frame, unless one is below zero. */
export function standingRange(traces: readonly Trace[], range: AxisRange): AxisRange {
  const bars = traces.filter(({ type }) => type === 'bar');
  if (bars.length === 0 || bars.some(({ y }) => y.some((height) => height < 0))) return range;
  return { ...range, min: Math.max(0, range.min) };
}
