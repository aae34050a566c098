import { ImageData, type SKRSContext2D } from '@napi-rs/canvas';
import type { Figure } from './model.ts';
import { besideLabels, paintAxes, paintGrid, paintUpwards, type Style } from './paint-axes.ts';
import { legendRows, paintLegend, ROW_OF_LEGEND } from './paint-legend.ts';
import { paintTraces } from './paint-traces.ts';
import { placeCartesian } from './place-cartesian.ts';
import { placeHeatmap } from './place-heatmap.ts';
import { placePanels } from './place-panels.ts';
import type { Place, PlacedFigure, PlacedMap } from './placed-figure.ts';

const TITLE = { middle: 20, side: 12, largest: 15, smallest: 9.5 };
const COLOUR_BAR = { tick: 4, label: 7, labelSize: 11, titleSize: 13 };
const CELL_TEXT_SIZE = 13;

function place(figure: Figure, { fine, above }: { fine: number; above: number }): PlacedFigure {
  if (figure.layout.xaxis2 !== undefined) return placePanels(figure, above);
  const heatmap = figure.data.find(({ type }) => type === 'heatmap');
  return heatmap === undefined
    ? placeCartesian(figure, above)
    : placeHeatmap(figure, heatmap, { fine, above });
}

/** A long title is written smaller instead of being cut, because the result is at its end. */
function paintTitle(context: SKRSContext2D, { layout }: Figure, { font, theme }: Style): void {
  const room = layout.width - 2 * TITLE.side;
  let { text } = layout.title;
  const fitting = room / (0.7 * text.length);
  const size = Math.min(TITLE.largest, Math.max(TITLE.smallest, fitting));
  context.font = `bold ${size}px "${font}"`;
  context.fillStyle = theme.text;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  const { width } = context.measureText(text);
  if (width > room) text = `${text.slice(0, Math.floor((text.length * room) / width) - 3)}...`;
  context.fillText(text, layout.width / 2, TITLE.middle);
}

/** @param scale pixels of the canvas for each pixel of the figure */
function paintCells(
  context: SKRSContext2D,
  { image: { pixels, width, height } }: PlacedMap,
  { left, top, scale }: Place & { scale: number },
): void {
  const image = new ImageData(pixels, width, height);
  context.putImageData(image, Math.round(scale * left), Math.round(scale * top));
}

/** Paints the labels beside a heat map and in its cells. */
function paintTexts(context: SKRSContext2D, { texts, bar }: PlacedMap, { font, theme }: Style): void {
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.font = `${CELL_TEXT_SIZE}px "${font}"`;
  for (const { text, x, y, dark } of texts) {
    context.fillStyle = dark ? '#ffffff' : '#000000';
    context.fillText(text, x, y);
  }
  if (bar === undefined) return;
  const { left, top, width, height } = bar.place;
  const right = left + width;
  const colours = context.createLinearGradient(0, top + height, 0, top);
  for (const [at, colour] of bar.stops) colours.addColorStop(at, colour);
  context.fillStyle = colours;
  context.fillRect(left, top, width, height);
  context.strokeStyle = theme.lines;
  context.lineWidth = 1;
  context.beginPath();
  for (const { level } of bar.ticks) {
    context.moveTo(right, level);
    context.lineTo(right + COLOUR_BAR.tick, level);
  }
  context.stroke();
  context.fillStyle = theme.text;
  context.font = `${COLOUR_BAR.labelSize}px "${font}"`;
  context.textAlign = 'left';
  for (const { level, text } of bar.ticks) context.fillText(text, right + COLOUR_BAR.label, level);
  context.font = `${COLOUR_BAR.titleSize}px "${font}"`;
  paintUpwards(context, bar.title, { x: bar.titleLeft, y: top + height / 2 });
}

/**
 * Paints a Plotly figure of the subset that our analyses use.
 *
 * @param scale pixels of the canvas for each pixel of the figure
 */
export function paintFigure(
  context: SKRSContext2D,
  figure: Figure,
  { scale, ...style }: Style & { scale: number },
): void {
  const { theme, font } = style;
  const { width, height } = figure.layout;
  const first = place(figure, { fine: scale, above: 0 });
  let { panels } = first;
  const onMap = panels.some(({ map }) => map !== undefined);
  const rows = legendRows(context, first.legend, { ...style, ...figure.layout, onMap });
  // Only the canvas knows the widths of names. If they need several rows, the axes start lower.
  if (rows.length > 1) {
    const above = ROW_OF_LEGEND * (rows.length - 1);
    ({ panels } = place(figure, { fine: scale, above }));
  }
  // A previous figure that failed may have left its clipping region.
  context.reset();
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.fillStyle = theme.background;
  context.fillRect(0, 0, width + 1, height + 1);
  const narrowed = besideLabels(context, panels, font);
  for (const panel of narrowed) {
    if (panel.map) paintCells(context, panel.map, { ...panel.place, scale });
    // Painted below the cells; visible through cells without a value.
    context.globalCompositeOperation = panel.map ? 'destination-over' : 'source-over';
    paintGrid(context, panel, theme);
    if (panel.map) {
      const { left, top, width: across, height: upright } = panel.place;
      context.fillStyle = theme.background;
      context.fillRect(left - 1, top - 1, across + 2, upright + 2);
    }
    context.globalCompositeOperation = 'source-over';
    paintAxes(context, panel, style);
    if (panel.map) paintTexts(context, panel.map, style);
    paintTraces(context, panel, theme);
  }
  paintTitle(context, figure, style);
  paintLegend(context, rows, { ...style, width });
}
