import { type Figure, figure as figureSchema } from './model.ts';

type Trace = Figure['data'][number];
type Axis = Figure['layout']['xaxis'];
type Values = Record<string, unknown>;

/** Default size of a figure in pixels, and the limits of a given size. */
const [WIDTH, HEIGHT] = [700, 450];
const [MIN_PIXELS, MAX_PIXELS] = [50, 4000];
/** Maximum number of points and cells that are drawn. A legal figure may state more than it contains. */
const MAX_VALUES = 1_000_000;

/** Element types of Plotly's typed arrays by their names. */
const elementTypes: Readonly<Record<string, { bytes: number; read(view: DataView, at: number): number }>> = {
  f8: { bytes: 8, read: (view, at) => view.getFloat64(at, true) },
  f4: { bytes: 4, read: (view, at) => view.getFloat32(at, true) },
  i1: { bytes: 1, read: (view, at) => view.getInt8(at) },
  u1: { bytes: 1, read: (view, at) => view.getUint8(at) },
  u1c: { bytes: 1, read: (view, at) => view.getUint8(at) },
  i2: { bytes: 2, read: (view, at) => view.getInt16(at, true) },
  u2: { bytes: 2, read: (view, at) => view.getUint16(at, true) },
  i4: { bytes: 4, read: (view, at) => view.getInt32(at, true) },
  u4: { bytes: 4, read: (view, at) => view.getUint32(at, true) },
};
const longNames: Readonly<Record<string, string>> = {
  float64: 'f8',
  float32: 'f4',
  int8: 'i1',
  uint8: 'u1',
  uint8c: 'u1c',
  int16: 'i2',
  uint16: 'u2',
  int32: 'i4',
  uint32: 'u4',
};

/** A figure of a backend: the stored JSON and the part that can be drawn. */
export interface ForeignFigure {
  /** Plotly JSON as received, or a placeholder if it was not Plotly JSON. */
  json: string;
  drawable: Figure;
  /** What is not drawn, or the reason for a placeholder; null if everything is drawn as received. */
  note: string | null;
}

/**
 * Reads a figure of a backend. Legal Plotly JSON, as an object or as text, is kept unchanged; the renderer draws the
 * parts that it supports. Never throws.
 */
export function readForeignFigure(given: unknown): ForeignFigure {
  const figure = typeof given === 'string' ? parsed(given) : given;
  const traces = isObject(figure) ? (figure.data ?? []) : null;
  const layout = isObject(figure) ? (figure.layout ?? {}) : null;
  if (!isObject(figure) || !Array.isArray(traces) || !traces.every(isObject) || !isObject(layout)) {
    const drawable = placeholder('No figure', 'The figure of the backend is not a Plotly figure.');
    return {
      json: JSON.stringify(drawable),
      drawable,
      note: 'is not Plotly JSON and was replaced by a placeholder',
    };
  }
  return { json: JSON.stringify(figure), ...drawableOf(traces, layout, figure) };
}

/** The part of legal Plotly JSON that can be drawn; null for anything else. */
export function drawableFigure(given: unknown): Figure | null {
  const read = readForeignFigure(given);
  return isObject(given) && Array.isArray(given.data ?? []) ? read.drawable : null;
}

function drawableOf(
  traces: readonly Values[],
  layout: Values,
  whole: unknown,
): Pick<ForeignFigure, 'drawable' | 'note'> {
  const own = figureSchema.safeParse(whole);
  if (own.success) return { drawable: own.data, note: null };
  const drawn = traces.map((trace, index) => traceOf(trace, index));
  const data = drawn.flatMap((trace) => trace ?? []);
  const title = textOf(layout.title) || 'Figure';
  const left = drawn.filter((trace) => trace === null).length;
  if (data.length === 0) {
    const drawable = placeholder(title, 'This figure cannot be drawn here.', layout);
    return { drawable, note: 'is stored as it is and cannot be drawn: its picture is a placeholder' };
  }
  const drawable: Figure = {
    data,
    layout: {
      title: { text: title },
      xaxis: axisOf(layout.xaxis),
      yaxis: axisOf(layout.yaxis),
      ...sizeOf(layout),
      ...(layout.barmode === 'overlay' && { barmode: 'overlay' }),
    },
  };
  const note = left > 0 ? `is stored as it is; its picture lacks ${left} of ${traces.length} traces` : null;
  return { drawable, note };
}

function placeholder(title: string, text: string, layout: Values = {}): Figure {
  return {
    data: [],
    layout: {
      title: { text: `${title}: ${text}` },
      xaxis: { title: { text: '' } },
      yaxis: { title: { text: '' } },
      ...sizeOf(layout),
    },
  };
}

function sizeOf(layout: Values): { width: number; height: number } {
  const pixels = (value: unknown, otherwise: number) =>
    typeof value === 'number' && value >= MIN_PIXELS && value <= MAX_PIXELS ? value : otherwise;
  return { width: pixels(layout.width, WIDTH), height: pixels(layout.height, HEIGHT) };
}

function axisOf(given: unknown): Axis {
  const axis = isObject(given) ? given : {};
  const [from, to] = Array.isArray(axis.range) ? axis.range : [];
  return {
    title: { text: textOf(axis.title) },
    ...(axis.type === 'log' && { type: 'log' }),
    ...(isNumber(from) && isNumber(to) && from < to && { range: [from, to] }),
  };
}

/** A title is a text, or an object with one. */
function textOf(given: unknown): string {
  const text = isObject(given) ? given.text : given;
  return typeof text === 'string' ? text.replaceAll('\0', '') : '';
}

/** A trace in the form of the renderer; null if the renderer does not support it or it has no points. */
function traceOf(trace: Values, index: number): Trace | null {
  const type = trace.type ?? 'scatter';
  const name = textOf(trace.name) || `trace ${index}`;
  if (type === 'heatmap' || type === 'heatmapgl' || type === 'contour') return heatmapOf(trace, name);
  if (type !== 'scatter' && type !== 'scattergl' && type !== 'bar') return null;
  const y = numbersOf(trace.y);
  const given = numbersOf(trace.x);
  const [start, step] = [isNumber(trace.x0) ? trace.x0 : 0, isNumber(trace.dx) ? trace.dx : 1];
  const x = given ?? y?.map((_, place) => start + step * place);
  if (!x || !y) return null;
  const places = [...y.keys()].filter((place) => isNumber(x[place]) && isNumber(y[place]));
  if (places.length === 0) return null;
  const points = { x: places.map((place) => x[place] ?? 0), y: places.map((place) => y[place] ?? 0) };
  if (type === 'bar') return { type, name, ...points };
  return { type: 'scatter', mode: modeOf(trace.mode, points.x.length), name, ...points };
}

/** Plotly's default for a trace without a mode. */
function modeOf(given: unknown, points: number): 'markers' | 'lines' | 'lines+markers' {
  const mode = typeof given === 'string' ? given : points < 20 ? 'lines+markers' : 'lines';
  if (mode.includes('lines')) return mode.includes('markers') ? 'lines+markers' : 'lines';
  return 'markers';
}

function heatmapOf(trace: Values, name: string): Trace | null {
  const rows = rowsOf(trace.z);
  const width = Math.max(0, ...(rows ?? []).map((row) => row.length));
  if (!rows || width === 0 || rows.length * width > MAX_VALUES) return null;
  const z = rows.map((row) =>
    Array.from({ length: width }, (_, column) => {
      const value = row[column];
      return isNumber(value) ? value : null;
    }),
  );
  if (z.every((row) => row.every((value) => value === null))) return null;
  const axis = (values: unknown, length: number) => {
    const numbers = numbersOf(values);
    return numbers?.length === length && numbers.every(isNumber)
      ? numbers.map((value) => value ?? 0)
      : Array.from({ length }, (_, place) => place);
  };
  return { type: 'heatmap', name, x: axis(trace.x, width), y: axis(trace.y, rows.length), z };
}

/** The rows of a matrix, given as a list of lists (plain or typed) or as one typed array with a shape. */
function rowsOf(given: unknown): (number | null)[][] | null {
  if (Array.isArray(given)) return given.map((row) => numbersOf(row) ?? []);
  const values = numbersOf(given);
  const shape = isObject(given)
    ? String(given.shape ?? '')
        .split(',')
        .map(Number)
    : [];
  const [rows = 0, columns = 0] = shape;
  if (!values || shape.length !== 2 || rows * columns !== values.length || columns === 0) return null;
  return Array.from({ length: rows }, (_, row) => values.slice(row * columns, (row + 1) * columns));
}

/** The values of an axis as numbers, from a typed array or a list of numbers or names; null if there are none. */
function numbersOf(given: unknown): (number | null)[] | null {
  if (isObject(given)) return typedArray(given);
  if (!Array.isArray(given) || given.length > MAX_VALUES) return null;
  if (given.every((value) => value === null || typeof value === 'number')) return given;
  // Categories get the positions 0, 1, 2, …
  const names = [...new Set(given.map(String))];
  return given.map((value) => (typeof value === 'number' ? value : names.indexOf(String(value))));
}

/** Decodes Plotly's `{ "dtype": "f8", "bdata": "<base64, little endian>" }`. */
function typedArray({ dtype, bdata }: Values): number[] | null {
  if (typeof dtype !== 'string' || typeof bdata !== 'string') return null;
  const short = dtype.replace(/^[<|=]/, '');
  const name = Object.hasOwn(longNames, short) ? (longNames[short] ?? short) : short;
  const type = Object.hasOwn(elementTypes, name) ? elementTypes[name] : undefined;
  if (!type) return null;
  const bytes = Uint8Array.from(Buffer.from(bdata, 'base64'));
  const view = new DataView(bytes.buffer);
  const count = Math.floor(bytes.length / type.bytes);
  if (count > MAX_VALUES) return null;
  return Array.from({ length: count }, (_, index) => type.read(view, index * type.bytes));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
