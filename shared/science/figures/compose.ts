import { type ColourScale, DIVERGING } from './colour-scales.ts';
import type { Figure } from './model.ts';

type Trace = Figure['data'][number];

/** Size of the JSON figure in pixels. */
const WIDTH = 600;
const HEIGHT = 400;
/** A curve drawn over a sweep. */
const CURVE_POINTS = 401;

/**
 * Powers of ten that a double represents exactly. A quotient by one of them is the double nearest to its decimal
 * digits.
 */
const EXACT_POWERS = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);

/**
 * Rounds to seven significant digits: more than any screen shows, and half the bytes. Rounding by `toPrecision` takes
 * twice as long.
 */
function shorten(value: number): number {
  const exponent = 6 - Math.floor(Math.log10(Math.abs(value)));
  const power = EXACT_POWERS[Math.abs(exponent)];
  if (power === undefined) return Number(value.toPrecision(7));
  return exponent < 0 ? Math.round(value / power) * power : Math.round(value * power) / power;
}

/** Measured points. */
export function pointsTrace(name: string, x: readonly number[], y: readonly number[]): Trace {
  return { type: 'scatter', mode: 'markers', name, x: x.map(shorten), y: y.map(shorten) };
}

/** A line through the given points. */
export function lineTrace(name: string, x: readonly number[], y: readonly number[]): Trace {
  return { type: 'scatter', mode: 'lines', name, x: x.map(shorten), y: y.map(shorten) };
}

/** A trace without an entry in the legend, because the title of its axis is enough. */
export function unnamed(trace: Trace): Trace {
  return { ...trace, showlegend: false };
}

/** Measured points with an error bar each. */
export function errorBarsTrace(
  name: string,
  x: readonly number[],
  y: readonly number[],
  error: readonly number[],
): Trace {
  return { ...pointsTrace(name, x, y), error_y: { type: 'data', array: error.map(shorten) } };
}

/** Counts in bins of equal width, given by their middles. They are translucent, so that two histograms can overlap. */
export function histogramTrace(name: string, middles: readonly number[], counts: readonly number[]): Trace {
  return { type: 'bar', name, x: middles.map(shorten), y: [...counts], opacity: 0.6 };
}

interface PairedBars {
  name: string;
  heights: readonly number[];
  errors: readonly number[];
}

/**
 * Bars side by side at the positions 0, 1, 2, … A bar is as wide as the distance of its values, so each trace has bars
 * of height 0 at the positions of the other trace's bars.
 */
export function pairedBarTraces(first: PairedBars, second: PairedBars): Trace[] {
  return [first, second].map(({ name, heights, errors }, side): Trace => {
    const inPair = (values: readonly number[]) =>
      values.flatMap((value) => (side === 0 ? [value, 0] : [0, value])).map(shorten);
    const x = heights.flatMap((_, place) => [place - 0.2, place + 0.2]);
    return {
      type: 'bar',
      name,
      x: x.map(shorten),
      y: inPair(heights),
      error_y: { type: 'data', array: inPair(errors) },
    };
  });
}

/** A dashed vertical line at a position on the x axis, from `bottom` to `top`. */
export function markerTrace(name: string, x: number, bottom: number, top: number): Trace {
  return { ...lineTrace(name, [x, x], [bottom, top]), line: { dash: 'dash' } };
}

/** A function over the range of the measured points, evaluated at even distances on a linear or logarithmic axis. */
export function curveTrace(
  name: string,
  measured: readonly number[],
  curve: (x: number) => number,
  scale: 'linear' | 'log' = 'linear',
): Trace {
  const positive = scale === 'log' ? measured.filter((x) => x > 0) : measured;
  const [from, to] = [Math.min(...positive), Math.max(...positive)];
  const x = Array.from({ length: CURVE_POINTS }, (_, index) => {
    const fraction = index / (CURVE_POINTS - 1);
    return scale === 'log' ? from * (to / from) ** fraction : from + (to - from) * fraction;
  });
  return lineTrace(name, x, x.map(curve));
}

/** Values over two axes; `z` has a row for each `y`. */
export function heatmapTrace(
  name: string,
  x: readonly number[],
  y: readonly number[],
  z: readonly (readonly (number | null)[])[],
): Trace {
  const rows = z.map((row) => row.map((value) => (value === null ? null : shorten(value))));
  return { type: 'heatmap', name, x: x.map(shorten), y: y.map(shorten), z: rows };
}

/** A heat map of signed values: white at zero, blue below, red above, with a symmetric scale. */
export function divergingTrace(
  name: string,
  x: readonly number[],
  y: readonly number[],
  z: readonly (readonly (number | null)[])[],
): Trace {
  const largest = shorten(z.flat().reduce<number>((most, value) => Math.max(most, Math.abs(value ?? 0)), 0));
  return { ...heatmapTrace(name, x, y, z), ...signed(DIVERGING), zmin: -largest, zmax: largest };
}

function signed(scale: ColourScale): { colorscale: [number, string][] } {
  return { colorscale: scale.map(([place, colour]) => [place, colour]) };
}

/** A matrix as a heat map over row and column numbers, with its values written in the cells. */
export function matrixTrace(
  name: string,
  elements: readonly (readonly number[])[],
  range: { from: number; to: number },
): Trace {
  const columns = (elements[0] ?? []).map((_, index) => index);
  const rows = elements.map((_, index) => index);
  return {
    ...heatmapTrace(name, columns, rows, elements),
    ...(range.from < 0 ? signed(DIVERGING) : {}),
    zmin: range.from,
    zmax: range.to,
    // A rounded −0.000 would look negative.
    text: elements.map((row) => row.map((value) => (Math.abs(value) < 5e-4 ? 0 : value).toFixed(3))),
    texttemplate: '%{text}',
  };
}

/**
 * Colours that do not occur in heat maps: Viridis has neither red nor white, the diverging scale neither black nor
 * green.
 */
const MARK_COLOURS = {
  sequential: { line: '#ff3b30', points: '#ffffff', found: '#ff3b30' },
  diverging: { line: '#000000', points: '#ffd60a', found: '#00c853' },
} as const;

/** Points marked on a heat map; `found` is the result. */
export function markTrace(
  name: string,
  { x, y }: { x: readonly number[]; y: readonly number[] },
  kind: 'points' | 'found' = 'points',
  map: keyof typeof MARK_COLOURS = 'sequential',
): Trace {
  return { ...pointsTrace(name, x, y), marker: { color: MARK_COLOURS[map][kind] } };
}

/** A dashed line over a heat map. */
export function markLineTrace(
  name: string,
  x: readonly number[],
  y: readonly number[],
  map: keyof typeof MARK_COLOURS = 'sequential',
): Trace {
  return { ...lineTrace(name, x, y), line: { color: MARK_COLOURS[map].line, dash: 'dash' } };
}

export interface FigureText {
  title: string;
  /** Axis titles, with their units in brackets. */
  x: string;
  y: string;
  xScale?: 'linear' | 'log';
  /** One unit is as long on both axes: for IQ planes. */
  equalAspect?: boolean;
  /** Labels that replace the numbers 0, 1, 2, … of an axis. */
  xLabels?: readonly string[];
  yLabels?: readonly string[];
  role?: 'raw' | 'marked';
  /** The first value of the y axis is at the top, as the first row of a matrix does. */
  firstRowOnTop?: boolean;
  /** Fixed ends of both axes, so that figures can be compared. */
  ranges?: { x: [number, number]; y: [number, number] };
}

/** The role of a figure in its layout, under our name and the one that existing clients read. */
export function roleMeta(role: FigureText['role']): Pick<Figure['layout'], 'meta'> {
  return role === undefined ? {} : { meta: { figure_role: role, qdash_figure_role: role } };
}

function labelled(labels: readonly string[] | undefined): { tickvals?: number[]; ticktext?: string[] } {
  return labels === undefined ? {} : { tickvals: labels.map((_, place) => place), ticktext: [...labels] };
}

/** Combines traces and texts into a complete Plotly figure. */
export function composeFigure(data: Trace[], text: FigureText): Figure {
  return {
    data,
    layout: {
      title: { text: text.title },
      xaxis: {
        title: { text: text.x },
        ...(text.xScale === 'log' ? { type: 'log' } : {}),
        ...labelled(text.xLabels),
        ...(text.ranges === undefined ? {} : { range: text.ranges.x }),
      },
      yaxis: {
        title: { text: text.y },
        ...(text.equalAspect ? { scaleanchor: 'x' } : {}),
        ...labelled(text.yLabels),
        ...(text.ranges === undefined ? {} : { range: text.ranges.y }),
        ...(text.firstRowOnTop ? { autorange: 'reversed' } : {}),
      },
      width: WIDTH,
      height: HEIGHT,
      ...(data.some(({ type }) => type === 'bar') ? { barmode: 'overlay', bargap: 0 } : {}),
      ...roleMeta(text.role),
    },
  };
}
