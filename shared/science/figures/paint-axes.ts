import type { SKRSContext2D } from '@napi-rs/canvas';
import { pixelsOf } from './panel-pixels.ts';
import type { PlacedAxis, PlacedPanel } from './placed-figure.ts';
import type { Theme } from './theme.ts';

const LABEL_SIZE = 12;
const TITLE_SIZE = 13;
const TICK = 5;
const TO_LABEL = 8;
/** Texts below an axis are this much nearer to it, because capitals do not fill their line. */
const RISE = 2;
/** Pixels between the labels of the y axis and its title. */
const LABEL_TO_TITLE = 6;
/** Maximum width of a label for each of its characters. */
const WIDEST_CHARACTER = 12;

/** The font family and the colours of a figure. */
export interface Style {
  font: string;
  theme: Theme;
}

/** The middle of a pixel, where a thin line is sharp. */
function sharp(value: number): number {
  return Math.round(value) - 0.5;
}

/** Paints horizontal and vertical lines of one colour as rectangles, which takes half the time of one path. */
function paintLines(
  context: SKRSContext2D,
  colour: string,
  lines: readonly (readonly [number, number, number, number])[],
): void {
  context.fillStyle = colour;
  for (const [fromX, fromY, toX, toY] of lines) {
    if (fromX === toX) context.fillRect(fromX - 0.5, fromY, 1, toY - fromY);
    else context.fillRect(fromX, fromY - 0.5, toX - fromX, 1);
  }
}

/** Paints a text that runs upwards, centred at a point. */
export function paintUpwards(context: SKRSContext2D, text: string, at: { x: number; y: number }): void {
  context.save();
  context.translate(at.x, at.y);
  context.rotate(-Math.PI / 2);
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(text, 0, 0);
  context.restore();
}

/** Pixels by which the labels of the y axis are wider than the space beside its title. */
function overhang(context: SKRSContext2D, { labels, titleGap }: PlacedAxis, font: string): number {
  const room = titleGap - TO_LABEL - LABEL_TO_TITLE;
  context.font = `${LABEL_SIZE}px "${font}"`;
  return labels.reduce((most, { text }) => {
    if (text.length * WIDEST_CHARACTER <= room) return most;
    return Math.max(most, Math.ceil(context.measureText(text).width - room));
  }, 0);
}

/**
 * Narrows panels to make space for the labels of their y axes, with the same left edge for panels above each other. A
 * heat map keeps its rectangle, because its image already has that size.
 */
export function besideLabels(
  context: SKRSContext2D,
  panels: readonly PlacedPanel[],
  font: string,
): PlacedPanel[] {
  const overhangs = panels.map(({ y }) => overhang(context, y, font));
  return panels.map((panel) => {
    const { place, y, map } = panel;
    const widest = Math.max(...overhangs.filter((_, index) => panels[index]?.place.left === place.left));
    const more = Math.min(widest, place.width / 2);
    const titleGap = y.titleGap + more;
    if (map) return { ...panel, y: { ...y, titleGap: Math.min(titleGap, place.left - TITLE_SIZE) } };
    return {
      ...panel,
      place: { ...place, left: place.left + more, width: place.width - more },
      y: { ...y, titleGap },
    };
  });
}

/** Paints a grid line at each tick. */
export function paintGrid(context: SKRSContext2D, panel: PlacedPanel, theme: Theme): void {
  const { place, x, y } = panel;
  const [right, bottom] = [place.left + place.width, place.top + place.height];
  const pixels = pixelsOf(panel);
  paintLines(context, theme.gridLines, [
    ...x.ticks.map((value) => [sharp(pixels.x(value)), place.top, sharp(pixels.x(value)), bottom] as const),
    ...y.ticks.map((value) => [place.left, sharp(pixels.y(value)), right, sharp(pixels.y(value))] as const),
  ]);
}

/** Paints axes with ticks, labels and titles. */
export function paintAxes(context: SKRSContext2D, panel: PlacedPanel, { font, theme }: Style): void {
  const { place, x, y } = panel;
  const [right, bottom] = [place.left + place.width, place.top + place.height];
  const { x: xOf, y: yOf } = pixelsOf(panel);
  const [foot, side] = [sharp(bottom) + 1, sharp(place.left)];
  paintLines(context, theme.lines, [
    [place.left - 1, foot, right, foot],
    [side, place.top, side, bottom],
    ...x.ticks.map((value) => [sharp(xOf(value)), bottom, sharp(xOf(value)), bottom + TICK] as const),
    ...y.ticks.map((value) => [place.left - TICK, sharp(yOf(value)), place.left, sharp(yOf(value))] as const),
  ]);
  context.fillStyle = theme.text;
  context.font = `${LABEL_SIZE}px "${font}"`;
  context.textBaseline = 'middle';
  context.textAlign = 'center';
  for (const { at, text } of x.labels)
    context.fillText(text, xOf(at), bottom + TO_LABEL + LABEL_SIZE / 2 - RISE);
  context.textAlign = 'right';
  for (const { at, text } of y.labels) context.fillText(text, place.left - TO_LABEL, yOf(at));
  context.font = `${TITLE_SIZE}px "${font}"`;
  context.textAlign = 'center';
  context.fillText(x.title, place.left + place.width / 2, bottom + x.titleGap + TITLE_SIZE / 2 - RISE);
  paintUpwards(context, y.title, {
    x: place.left - y.titleGap - TITLE_SIZE / 2,
    y: place.top + place.height / 2,
  });
}
