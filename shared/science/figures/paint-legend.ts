import type { SKRSContext2D } from '@napi-rs/canvas';
import { knotLook, lookOf, paintAlikePoints, type TraceLook } from './paint-traces.ts';
import type { NamedTrace, Trace } from './placed-figure.ts';
import type { Theme } from './theme.ts';

/** Middle of the first row, from the top of the figure. */
const FIRST_ROW = 48;
export const ROW_OF_LEGEND = 22;
/** Maximum fraction of the figure for rows of the legend, so that the plot stays visible. */
const MAX_PART_OF_HEIGHT = 1 / 3;
/** More characters than fit in any figure. */
const MAX_LETTERS = 1000;
const ICON = { width: 22, height: 14, corner: 3.5, line: 2, knot: 11, toText: 5 };
const BETWEEN_ENTRIES = 10;
/** Margin at either side of the figure. */
const SIDE = 5;

interface Entry {
  /** Undefined for the text that counts omitted entries. */
  icon?: { trace: Trace; look: TraceLook };
  text: string;
  width: number;
}

interface LegendStyle {
  font: string;
  theme: Theme;
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
  { trace, look }: NonNullable<Entry['icon']>,
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
    const [dash = ICON.width, gap = 0] = look.dash;
    for (let from = 0; from < ICON.width; from += dash + gap) {
      context.fillRect(x + from, y - ICON.line / 2, Math.min(dash, ICON.width - from), ICON.line);
    }
    if (mode === 'lines+markers') {
      paintAlikePoints(context, [middle], { ...knotLook(colour, theme), size: ICON.knot });
    }
  }
  context.globalAlpha = 1;
}

/** A name that is too wide is shortened and ends in dots. */
function shortened(context: SKRSContext2D, name: string, room: number): { text: string; width: number } {
  const text = name.slice(0, MAX_LETTERS);
  const { width } = context.measureText(text);
  if (width <= room) return { text, width };
  const cut = `${text.slice(0, Math.max(0, Math.floor((text.length * room) / width) - 3))}...`;
  return { text: cut, width: context.measureText(cut).width };
}

/** The names of the traces, in as many rows as needed. If there are too many, the last row counts the rest. */
export function legendRows(
  context: SKRSContext2D,
  named: readonly NamedTrace[],
  { font, theme, width, height, onMap }: LegendStyle & { height: number; onMap: boolean },
): Entry[][] {
  context.font = `12px "${font}"`;
  const room = width - 2 * SIDE;
  const toText = ICON.width + ICON.toText;
  const entries = named.map((each): Entry => {
    const shown = shortened(context, each.trace.name, room - toText);
    const icon = { trace: each.trace, look: lookOf(each, { theme, onMap }) };
    return { icon, text: shown.text, width: toText + shown.width };
  });
  const rows = rowsOf(entries, room);
  const most = Math.max(2, Math.floor((MAX_PART_OF_HEIGHT * height) / ROW_OF_LEGEND));
  if (rows.length <= most) return rows;
  const kept = rows.slice(0, most - 1);
  const more = shortened(context, `and ${entries.length - kept.flat().length} more`, room);
  return [...kept, [more]];
}

/** Paints the rows of a legend, centred above the axes. */
export function paintLegend(
  context: SKRSContext2D,
  rows: readonly Entry[][],
  { font, theme, width }: LegendStyle,
): void {
  context.font = `12px "${font}"`;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  for (const [index, row] of rows.entries()) {
    const total = row.reduce((sum, entry) => sum + entry.width, 0) + BETWEEN_ENTRIES * (row.length - 1);
    const y = FIRST_ROW + ROW_OF_LEGEND * index;
    let x = Math.max(SIDE, (width - total) / 2);
    for (const { icon, text, width: wide } of row) {
      if (icon) paintIcon(context, icon, { x, y, theme });
      context.fillStyle = theme.text;
      context.fillText(text, icon ? x + ICON.width + ICON.toText : x, y);
      x += wide + BETWEEN_ENTRIES;
    }
  }
}
