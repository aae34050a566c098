import type { SKRSContext2D } from '@napi-rs/canvas';
import { nearPart, type Point, pixelsOf } from './panel-pixels.ts';
import { barEdges, type NamedTrace, type Place, type PlacedPanel, type Trace } from './placed-figure.ts';
import { readColour } from './read-colour.ts';
import { colourIn, type Theme } from './theme.ts';

/** Colours of marks on a heat map, which Viridis does not contain. */
const MARKS = ['#ff3b30', '#ffffff', '#ff9ff3', '#000000'];
/** Above this number, points are a cloud: drawn smaller, and below the lines instead of above them. */
const MAX_LARGE_POINTS = 250;
const POINT_SIZE = 7;
const CLOUD_POINT_SIZE = 4.5;
const LARGEST_POINT = 40;
/**
 * Above this number, points cover each other. One square for each pixel looks the same and takes a fraction of the
 * time.
 */
const MAX_ROUND_POINTS = 20_000;
/** Size of a point on a line. */
const KNOT_SIZE = 6;
const LINE_WIDTH = 2;
const ERROR_BAR_WIDTH = 1.5;
const DASHES = { dash: [8, 4], dot: [2, 2], none: [] };
/** Points further outside the axes than this, in pixels, are not drawn. */
const ROUNDING = 0.5;

/** The appearance of a trace in its panel and in the legend. */
export interface TraceLook {
  colour: string;
  /** Opacity of the filled area. */
  opacity: number;
  /** Edge of each point, which separates it from whatever is below. */
  edge: { colour: string; width: number };
  dash: number[];
}

/** The appearance of a trace, by its index in its panel. */
export function lookOf(
  { trace, index }: NamedTrace,
  { theme, onMap }: { theme: Theme; onMap: boolean },
): TraceLook {
  const dash = DASHES[trace.line?.dash ?? 'none'];
  const wanted = trace.marker?.color ?? trace.line?.color;
  const named = wanted === undefined ? undefined : readColour(wanted);
  if (onMap) {
    const colour = named ?? MARKS[index % MARKS.length] ?? theme.text;
    return { colour, opacity: 0.8, edge: { colour: '#000000', width: 1 }, dash };
  }
  return {
    colour: colourIn(theme, index, named),
    // Measured points are often close together, so they are translucent with an edge.
    opacity: trace.opacity ?? (trace.type === 'bar' ? 1 : 0.8),
    edge: { colour: theme.edge, width: 0.5 },
    dash,
  };
}

/** Points with their edges, one after another. */
export function paintAlikePoints(
  context: SKRSContext2D,
  points: readonly Point[],
  { size, colour, edge }: Pick<TraceLook, 'colour' | 'edge'> & { size: number },
): void {
  // Set once for all points, because each assignment is a call to the canvas.
  context.fillStyle = colour;
  context.strokeStyle = edge.colour;
  context.lineWidth = edge.width;
  for (const { x, y } of points) {
    context.beginPath();
    context.arc(x, y, size / 2, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
  }
}

/** A point on a line is a ring. */
export function knotLook(colour: string, theme: Theme): Pick<TraceLook, 'colour' | 'edge'> {
  return { colour: theme.background, edge: { colour, width: LINE_WIDTH } };
}

function isPlaced(point: Point | undefined): point is Point {
  return point !== undefined && Number.isFinite(point.x) && Number.isFinite(point.y);
}

function isInside({ left, top, width, height }: Place, x: number, y: number): boolean {
  return (
    x >= left - ROUNDING &&
    x <= left + width + ROUNDING &&
    y >= top - ROUNDING &&
    y <= top + height + ROUNDING
  );
}

/** Paints the traces of a panel: bars below lines, lines below points. */
export function paintTraces(context: SKRSContext2D, panel: PlacedPanel, theme: Theme): void {
  const { place, traces } = panel;
  const pixels = pixelsOf(panel);
  const onMap = panel.map !== undefined;
  const isCloud = !onMap && traces.some(({ mode, x }) => mode === 'markers' && x.length > MAX_LARGE_POINTS);

  function placed({ x, y }: Pick<Trace, 'x' | 'y'>): Point[] {
    return x.map((value, index) => ({ x: pixels.x(value), y: pixels.y(y[index] ?? Number.NaN) }));
  }

  /** Adds the part of a line near the panel, joined to the `last` part that was added. @returns the end of the part */
  function addSegment(start: Point | undefined, end: Point | undefined, last?: Point): Point | undefined {
    if (!isPlaced(start) || !isPlaced(end)) return undefined;
    const [from, to] = nearPart([start, end], place) ?? [];
    if (from === undefined || to === undefined) return undefined;
    if (from !== last) context.moveTo(from.x, from.y);
    context.lineTo(to.x, to.y);
    return to;
  }

  function paintBars(trace: Trace, { colour, opacity }: TraceLook): void {
    const within = (start: number, length: number) => (pixel: number) =>
      Math.max(start, Math.min(start + length, pixel));
    const [across, upright] = [within(place.left, place.width), within(place.top, place.height)];
    const { a: scale } = context.getTransform();
    const whole = (pixel: number) => Math.round(scale * pixel) / scale;
    const zero = pixels.y(0);
    const foot = upright(Number.isFinite(zero) ? zero : place.top + place.height);
    context.globalAlpha = opacity;
    context.fillStyle = colour;
    for (const [index, edges] of barEdges(trace, panel.x.logarithmic).entries()) {
      const [left, right] = [pixels.x(edges[0]), pixels.x(edges[1])];
      const end = upright(pixels.y(trace.y[index] ?? Number.NaN));
      if (!Number.isFinite(left) || !Number.isFinite(right) || !Number.isFinite(end)) continue;
      // Otherwise a pale line would show between bars that share a pixel of the canvas.
      const [from, to] = [across(whole(left)), across(whole(Math.max(right, left + 1)))];
      context.fillRect(from, Math.min(end, foot), to - from, Math.abs(foot - end));
    }
    context.globalAlpha = 1;
  }

  function paintErrors({ x, y, error_y }: Trace, colour: string): void {
    if (error_y === undefined) return;
    context.strokeStyle = colour;
    context.lineWidth = ERROR_BAR_WIDTH;
    // A logarithmic axis has no positions at zero and below.
    const lowest = panel.y.logarithmic ? panel.y.range.min : Number.NEGATIVE_INFINITY;
    context.beginPath();
    for (const [index, value] of x.entries()) {
      const [middle, error] = [y[index] ?? Number.NaN, error_y.array[index] ?? 0];
      const at = pixels.x(value);
      const ends = [Math.max(lowest, middle - error), middle + error].map((end) => ({
        x: at,
        y: pixels.y(end),
      }));
      addSegment(ends[0], ends[1]);
    }
    context.stroke();
  }

  function paintLine(trace: Trace, { colour, dash }: TraceLook): void {
    context.strokeStyle = colour;
    context.lineWidth = LINE_WIDTH;
    context.lineJoin = 'bevel';
    context.setLineDash(dash);
    context.beginPath();
    let [last, reached]: (Point | undefined)[] = [];
    for (const point of placed(trace)) {
      reached = addSegment(last, point, reached);
      last = point;
    }
    context.stroke();
    context.setLineDash([]);
  }

  function paintKnots(trace: Trace, { colour }: TraceLook): void {
    const look = knotLook(colour, theme);
    const seen = placed(trace).filter(({ x, y }) => isInside(place, x, y));
    paintAlikePoints(context, seen, { ...look, size: KNOT_SIZE });
  }

  function paintSquares(points: readonly Point[], colour: string): void {
    const painted = new Set<number>();
    const rows = Math.ceil(place.top + place.height) + 2;
    context.fillStyle = colour;
    for (const point of points) {
      const [x, y] = [Math.round(point.x), Math.round(point.y)];
      const pixel = x * rows + y;
      if (painted.has(pixel)) continue;
      painted.add(pixel);
      context.fillRect(x - 1, y - 1, 2, 2);
    }
  }

  function paintPoints(trace: Trace, look: TraceLook): void {
    const usual = isCloud ? CLOUD_POINT_SIZE : POINT_SIZE;
    const size = Math.min(LARGEST_POINT, Math.max(1, trace.marker?.size ?? usual));
    context.globalAlpha = look.opacity;
    const seen = placed(trace).filter(({ x, y }) => isInside(place, x, y));
    if (seen.length > MAX_ROUND_POINTS) paintSquares(seen, look.colour);
    else paintAlikePoints(context, seen, { ...look, size });
    context.globalAlpha = 1;
  }

  function paintEach(
    isMeant: (trace: Trace) => boolean,
    paint: (trace: Trace, look: TraceLook) => void,
  ): void {
    for (const [index, trace] of traces.entries()) {
      if (isMeant(trace)) paint(trace, lookOf({ trace, index }, { theme, onMap }));
    }
  }

  const isBar = ({ type }: Trace) => type === 'bar';
  const isPoints = (trace: Trace) => !isBar(trace) && (trace.mode ?? 'markers') === 'markers';
  const isLine = (trace: Trace) => !isBar(trace) && !isPoints(trace);
  function clipped(paint: () => void): void {
    context.save();
    context.beginPath();
    context.rect(place.left - 1, place.top - 1, place.width + 2, place.height + 2);
    context.clip();
    paint();
    context.restore();
  }
  const paintLines = () => clipped(() => paintEach(isLine, paintLine));
  clipped(() => {
    paintEach(isBar, paintBars);
    paintEach(
      ({ error_y }) => error_y !== undefined,
      (trace, { colour }) => paintErrors(trace, isBar(trace) ? theme.text : colour),
    );
  });
  if (!isCloud) paintLines();
  paintEach(isPoints, paintPoints);
  if (isCloud) paintLines();
  paintEach(({ mode }) => mode === 'lines+markers', paintKnots);
}
