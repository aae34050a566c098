import type { SKRSContext2D } from '@napi-rs/canvas';
import type { NamedTrace, Place, PlacedAxis, PlacedPanel, Trace } from './placed-figure.ts';
import { colourIn, type Theme } from './theme.ts';

/** Marks on a heat map: colours that Viridis does not have. */
const MARKS = ['#ff3b30', '#ffffff', '#ff9ff3', '#000000'];
/** More points than these are a cloud: drawn smaller, and under the lines instead of over them. */
const MOST_LARGE_POINTS = 250;
const POINT_SIZE = 7;
const CLOUD_POINT_SIZE = 4.5;
/** Of a point on a line. */
const KNOT_SIZE = 6;
const LINE_WIDTH = 2;
const ERROR_BAR_WIDTH = 1.5;
const DASHES = { dash: [8, 4], dot: [2, 2], none: [] };
/** Points this far outside of the axes, in pixels, are not drawn. */
const ROUNDING = 0.5;

/** Where a value stands along an axis, from 0 to 1 in its range; not finite where it has no place. */
export function fractionAlong({ range, logarithmic }: PlacedAxis): (value: number) => number {
  if (!logarithmic) return (value) => (value - range.min) / (range.max - range.min);
  const [from, to] = [Math.log10(range.min), Math.log10(range.max)];
  return (value) => (value > 0 ? (Math.log10(value) - from) / (to - from) : Number.NaN);
}

/** Turns values of a panel into pixels. */
function pixelsOf({ place, x, y }: PlacedPanel) {
  const [alongX, alongY] = [fractionAlong(x), fractionAlong(y)];
  return {
    x: (value: number) => place.left + place.width * alongX(value),
    y: (value: number) => place.top + place.height * (y.reversed ? alongY(value) : 1 - alongY(value)),
  };
}

/** How a trace looks in its panel and in the legend. */
export interface TraceLook {
  colour: string;
  /** Of what is filled. */
  opacity: number;
  /** Edge of each point, which parts it from what is below. */
  edge: { colour: string; width: number };
  dash: number[];
}

/** The look of a trace, the one at this place among those of its panel. */
export function lookOf(
  { trace, index }: NamedTrace,
  { theme, onMap }: { theme: Theme; onMap: boolean },
): TraceLook {
  const dash = DASHES[trace.line?.dash ?? 'none'];
  const named = trace.marker?.color ?? trace.line?.color;
  if (onMap) {
    const colour = named ?? MARKS[index % MARKS.length] ?? theme.text;
    return { colour, opacity: 0.8, edge: { colour: '#000000', width: 1 }, dash };
  }
  return {
    colour: colourIn(theme, index, named),
    // Measured points often lie close together: see-through, with an edge that keeps each visible.
    opacity: trace.opacity ?? (trace.type === 'bar' ? 1 : 0.8),
    edge: { colour: theme.edge, width: 0.5 },
    dash,
  };
}

/** A point with its edge. */
export function paintPoint(
  context: SKRSContext2D,
  at: { x: number; y: number; size: number },
  { colour, edge }: Pick<TraceLook, 'colour' | 'edge'>,
): void {
  context.beginPath();
  context.arc(at.x, at.y, at.size / 2, 0, 2 * Math.PI);
  context.fillStyle = colour;
  context.fill();
  context.strokeStyle = edge.colour;
  context.lineWidth = edge.width;
  context.stroke();
}

/** A point on a line is a ring. */
export function knotLook(colour: string, theme: Theme): Pick<TraceLook, 'colour' | 'edge'> {
  return { colour: theme.background, edge: { colour, width: LINE_WIDTH } };
}

function isInside({ left, top, width, height }: Place, x: number, y: number): boolean {
  return (
    x >= left - ROUNDING &&
    x <= left + width + ROUNDING &&
    y >= top - ROUNDING &&
    y <= top + height + ROUNDING
  );
}

/** Paints what is drawn between a pair of axes: bars below lines, lines below points. */
export function paintTraces(context: SKRSContext2D, panel: PlacedPanel, theme: Theme): void {
  const { place, traces } = panel;
  const pixels = pixelsOf(panel);
  const onMap = panel.map !== undefined;
  const isCloud = !onMap && traces.some(({ mode, x }) => mode === 'markers' && x.length > MOST_LARGE_POINTS);

  function placed({ x, y }: Pick<Trace, 'x' | 'y'>): { x: number; y: number }[] {
    return x.map((value, index) => ({ x: pixels.x(value), y: pixels.y(y[index] ?? Number.NaN) }));
  }

  function paintBars(trace: Trace, { colour, opacity }: TraceLook): void {
    const half = Math.abs((trace.x[1] ?? 0) - (trace.x[0] ?? 0)) / 2;
    const foot = place.top + place.height;
    context.globalAlpha = opacity;
    context.fillStyle = colour;
    for (const [index, x] of trace.x.entries()) {
      const [left, right] = [pixels.x(x - half), pixels.x(x + half)];
      const top = pixels.y(trace.y[index] ?? Number.NaN);
      if (!Number.isFinite(top)) continue;
      // Between bars that share a pixel a pale line would be seen.
      const [from, to] = [Math.round(2 * left) / 2, Math.round(2 * Math.max(right, left + 1)) / 2];
      context.fillRect(from, top, to - from, foot - top);
    }
    context.globalAlpha = 1;
  }

  function paintErrors({ x, y, error_y }: Trace, colour: string): void {
    if (error_y === undefined) return;
    context.strokeStyle = colour;
    context.lineWidth = ERROR_BAR_WIDTH;
    context.beginPath();
    for (const [index, value] of x.entries()) {
      const [middle, error] = [y[index] ?? Number.NaN, error_y.array[index] ?? 0];
      const ends = [pixels.y(middle - error), pixels.y(middle + error)] as const;
      const at = pixels.x(value);
      if (!ends.every(Number.isFinite) || !Number.isFinite(at)) continue;
      context.moveTo(at, ends[0]);
      context.lineTo(at, ends[1]);
    }
    context.stroke();
  }

  function paintLine(trace: Trace, { colour, dash }: TraceLook): void {
    context.strokeStyle = colour;
    context.lineWidth = LINE_WIDTH;
    context.lineJoin = 'bevel';
    context.setLineDash(dash);
    context.beginPath();
    let isBroken = true;
    for (const { x, y } of placed(trace)) {
      const isShown = Number.isFinite(x) && Number.isFinite(y);
      if (isShown && isBroken) context.moveTo(x, y);
      else if (isShown) context.lineTo(x, y);
      isBroken = !isShown;
    }
    context.stroke();
    context.setLineDash([]);
  }

  function paintKnots(trace: Trace, { colour }: TraceLook): void {
    const look = knotLook(colour, theme);
    for (const { x, y } of placed(trace)) {
      if (isInside(place, x, y)) paintPoint(context, { x, y, size: KNOT_SIZE }, look);
    }
  }

  function paintPoints(trace: Trace, look: TraceLook): void {
    const size = trace.marker?.size ?? (isCloud ? CLOUD_POINT_SIZE : POINT_SIZE);
    context.globalAlpha = look.opacity;
    for (const { x, y } of placed(trace)) {
      if (isInside(place, x, y)) paintPoint(context, { x, y, size }, look);
    }
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
