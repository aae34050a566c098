import type { SKRSContext2D } from '@napi-rs/canvas';
import { knotLook, lookOf, paintAlikePoints, type TraceLook } from './paint-traces.ts';
import type { NamedTrace, Trace } from './placed-figure.ts';
import type { Theme } from './theme.ts';

/** Middle of the first row, from the top of the figure. */
const FIRST_ROW = 48;
const ROW = 22;
const ICON = { width: 22, height: 14, corner: 3.5, line: 2, knot: 11, toText: 5 };
const BETWEEN_ENTRIES = 10;
/** Free at either side of the figure. */
const SIDE = 5;

interface Entry {
  trace: Trace;
  look: TraceLook;
  width: number;
}

/** As many rows as the entries need. */
function rowsOf(entries: readonly Entry[], room: number): Entry[][] {
  const rows: Entry[][] = [];
  let used = Number.POSITIVE_INFINITY;
  for (const entry of entries) {
    if (used + entry.width > room) {
      rows.push([]);
      used = 0;
    }
    rows.at(-1)?.push(entry);
    used += entry.width + BETWEEN_ENTRIES;
  }
  return rows;
}

function paintIcon(
  context: SKRSContext2D,
  { trace, look }: Entry,
  { x, y, theme }: { x: number; y: number; theme: Theme },
): void {
  const { colour, opacity } = look;
  const middle = { x: x + ICON.width / 2, y };
  const mode = trace.mode ?? 'markers';
  context.fillStyle = colour;
  if (trace.type === 'bar') {
    context.globalAlpha = opacity;
    context.beginPath();
    context.roundRect(x, y - ICON.height / 2, ICON.width, ICON.height, ICON.corner);
    context.fill();
  } else if (mode === 'markers') {
    context.globalAlpha = opacity;
    paintAlikePoints(context, [middle], { ...look, size: ICON.height });
  } else {
    context.fillRect(x, y - ICON.line / 2, ICON.width, ICON.line);
    if (mode === 'lines+markers') {
      paintAlikePoints(context, [middle], { ...knotLook(colour, theme), size: ICON.knot });
    }
  }
  context.globalAlpha = 1;
}

/** Paints what the traces are called, in the middle above the axes. */
export function paintLegend(
  context: SKRSContext2D,
  named: readonly NamedTrace[],
  { font, theme, width, onMap }: { font: string; theme: Theme; width: number; onMap: boolean },
): void {
  context.font = `12px "${font}"`;
  const entries = named.map((each): Entry => {
    const textWidth = context.measureText(each.trace.name).width;
    return {
      trace: each.trace,
      look: lookOf(each, { theme, onMap }),
      width: ICON.width + ICON.toText + textWidth,
    };
  });
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  for (const [index, row] of rowsOf(entries, width - 2 * SIDE).entries()) {
    const total = row.reduce((sum, entry) => sum + entry.width, 0) + BETWEEN_ENTRIES * (row.length - 1);
    const y = FIRST_ROW + ROW * index;
    let x = Math.max(SIDE, (width - total) / 2);
    for (const entry of row) {
      paintIcon(context, entry, { x, y, theme });
      context.fillStyle = theme.text;
      context.fillText(entry.trace.name, x + ICON.width + ICON.toText, y);
      x += entry.width + BETWEEN_ENTRIES;
    }
  }
}
