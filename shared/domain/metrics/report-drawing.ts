import PDFDocument from 'pdfkit';
import { axisTicks } from '../../science/figures/axis-range.ts';
import { fontFile } from '../../science/figures/font.ts';
import { isDarkViridis, viridisAt } from '../../science/figures/viridis.ts';
import { cumulative } from './rules.ts';

/** Page margin of A4, in points. */
const MARGIN = 48;
const TEXT = '#222222';
const QUIET = '#777777';
const EMPTY = '#eeeeee';
/** The Okabe-Ito palette, which colour-blind readers can distinguish. */
const LINES = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#e69f00'];
/** Font size in points below which a number in a cell is unreadable on paper. */
const SMALLEST_TEXT = 3.5;

type Pdf = InstanceType<typeof PDFDocument>;

/** A value at a position of the chip's grid; null draws an empty cell. */
export interface Cell {
  label: string;
  row: number;
  col: number;
  value: number | null;
}

/** A value between two positions. */
export interface Edge {
  from: { row: number; col: number };
  to: { row: number; col: number };
  value: number;
}

/** Formats a number with as many digits as readers compare. */
export function numberText(value: number): string {
  return String(Number(value.toPrecision(4)));
}

/** Creates an empty report; pages are numbered when it is closed. */
export function newReport(about: { title: string; author: string; at: Date }): Pdf {
  const document = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    bufferPages: true,
    autoFirstPage: false,
    info: { Title: about.title, Author: about.author, Producer: 'Calibron', CreationDate: about.at },
  });
  document.registerFont('text', fontFile('DejaVuSans.ttf'));
  document.registerFont('bold', fontFile('DejaVuSans-Bold.ttf'));
  return document;
}

/** Width and height of the drawable area. */
function frameOf(document: Pdf) {
  const { width, height } = document.page;
  return { left: MARGIN, top: MARGIN, width: width - 2 * MARGIN, bottom: height - MARGIN };
}

/** Starts a page. @returns the vertical position where its content begins */
export function startPage(document: Pdf, title: string, subtitle: string): number {
  document.addPage();
  const { left, top, width } = frameOf(document);
  document.font('bold').fontSize(16).fillColor(TEXT).text(title, left, top, { width });
  document
    .font('text')
    .fontSize(9)
    .fillColor(QUIET)
    .text(subtitle, left, document.y + 4, { width });
  return document.y + 16;
}

/** Draws names and values, one pair per line. */
export function drawProperties(
  document: Pdf,
  properties: readonly (readonly [string, string])[],
  from: number,
): void {
  const { left, width } = frameOf(document);
  let y = from;
  for (const [name, value] of properties) {
    document.font('text').fontSize(10).fillColor(QUIET).text(name, left, y, { width: 130 });
    document.fillColor(TEXT).text(value, left + 140, y, { width: width - 140 });
    y = Math.max(document.y, y) + 8;
  }
}

/** Draws a table with right-aligned numbers; continues on further pages. */
export function drawTable(
  document: Pdf,
  columns: readonly { title: string; width: number; right?: boolean }[],
  rows: readonly (readonly string[])[],
  from: number,
): number {
  const { left, bottom } = frameOf(document);
  const total = columns.reduce((sum, { width }) => sum + width, 0);
  let y = from;
  const line = (cells: readonly string[], name: 'bold' | 'text') => {
    let x = left;
    for (const [index, { width, right }] of columns.entries()) {
      document.font(name).fontSize(8.5).fillColor(TEXT);
      document.text(cells[index] ?? '', x, y, {
        width: width - 6,
        align: right ? 'right' : 'left',
        lineBreak: false,
      });
      x += width;
    }
    y += 16;
    document
      .moveTo(left, y - 4)
      .lineTo(left + total, y - 4)
      .lineWidth(0.3)
      .strokeColor('#cccccc')
      .stroke();
  };
  const titles = columns.map(({ title }) => title);
  line(titles, 'bold');
  for (const row of rows) {
    if (y > bottom - 20) {
      document.addPage();
      y = MARGIN;
      line(titles, 'bold');
    }
    line(row, 'text');
  }
  return y;
}

/** The range of values, never empty, and a function that gives a value's fraction of it. */
function scaleOf(values: readonly number[]) {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  const span = max - min;
  return { min, max, partOf: (value: number) => (span > 0 ? (value - min) / span : 0.5) };
}

function drawColourBar(document: Pdf, scale: { min: number; max: number }, unit: string, y: number): void {
  const { left, width } = frameOf(document);
  const steps = 64;
  for (let step = 0; step < steps; step += 1) {
    // Steps overlap slightly, because viewers would show hairlines between them.
    document
      .rect(left + (step * width) / steps, y, width / steps + 0.5, 9)
      .fill(viridisAt(step / (steps - 1)));
  }
  document.font('text').fontSize(8).fillColor(TEXT);
  const below = { width, lineBreak: false };
  document.text(`${numberText(scale.min)} ${unit}`, left, y + 13, below);
  const middle = numberText((scale.min + scale.max) / 2);
  document.text(`${middle} ${unit}`, left, y + 13, { ...below, align: 'center' });
  document.text(`${numberText(scale.max)} ${unit}`, left, y + 13, { ...below, align: 'right' });
}

/** Cell size and origin of the grid that fills the page's width or height. */
function gridOf(document: Pdf, places: readonly { row: number; col: number }[], from: number) {
  const { left, width, bottom } = frameOf(document);
  const columns = Math.max(...places.map(({ col }) => col)) + 1;
  const rows = Math.max(...places.map(({ row }) => row)) + 1;
  const side = Math.min(width / columns, (bottom - from - 60) / rows, 90);
  return { side, x: left + (width - side * columns) / 2, y: from, height: side * rows };
}

/** The font size at which a text fits a width. */
function sizeWithin(document: Pdf, text: string, { size, width }: { size: number; width: number }): number {
  return size * Math.min(1, width / document.widthOfString(text));
}

/**
 * Draws every qubit as a coloured cell with its value. `block` is the side of the squares separated by bold lines; 0 for
 * none.
 */
export function drawCells(
  document: Pdf,
  { cells, block }: { cells: readonly Cell[]; block: number },
  unit: string,
  from: number,
): void {
  const scale = scaleOf(cells.flatMap(({ value }) => (value === null ? [] : [value])));
  const grid = gridOf(document, cells, from);
  const fontSize = grid.side / 4.2;
  for (const { label, row, col, value } of cells) {
    const [x, y] = [grid.x + col * grid.side, grid.y + row * grid.side];
    const part = value === null ? 1 : scale.partOf(value);
    document.rect(x, y, grid.side, grid.side).lineWidth(0.4);
    document.fillAndStroke(value === null ? EMPTY : viridisAt(part), '#ffffff');
    if (fontSize < SMALLEST_TEXT) continue;
    document.fillColor(value !== null && isDarkViridis(part) ? '#ffffff' : '#111111');
    const centred = { width: grid.side, align: 'center' as const, lineBreak: false };
    document
      .font('text')
      .fontSize(fontSize * 0.8)
      .text(label, x, y + grid.side * 0.18, centred);
    const shown = value === null ? '–' : numberText(value);
    document.font('bold').fontSize(fontSize);
    const size = sizeWithin(document, shown, { size: fontSize, width: grid.side * 0.92 });
    document.fontSize(size).text(shown, x, y + grid.side * 0.48 + (fontSize - size) / 2, centred);
  }
  if (block > 0) {
    const blocks = new Set(
      cells.map(({ row, col }) => `${Math.floor(row / block)}/${Math.floor(col / block)}`),
    );
    document.lineWidth(1).strokeColor('#333333');
    for (const each of blocks) {
      const [row = 0, col = 0] = each.split('/').map(Number);
      const side = block * grid.side;
      document.rect(grid.x + col * side, grid.y + row * side, side, side).stroke();
    }
  }
  drawColourBar(document, scale, unit, grid.y + grid.height + 16);
}

/** Draws every qubit as a dot, with values on the lines between them. */
export function drawEdges(
  document: Pdf,
  { qubits, edges }: { qubits: readonly Omit<Cell, 'value'>[]; edges: readonly Edge[] },
  unit: string,
  from: number,
): void {
  const scale = scaleOf(edges.map(({ value }) => value));
  const grid = gridOf(document, qubits, from);
  const middle = ({ row, col }: { row: number; col: number }) => ({
    x: grid.x + (col + 0.5) * grid.side,
    y: grid.y + (row + 0.5) * grid.side,
  });
  for (const { from: start, to: end, value } of edges) {
    const [a, b] = [middle(start), middle(end)];
    document
      .moveTo(a.x, a.y)
      .lineTo(b.x, b.y)
      .lineWidth(grid.side * 0.22)
      .strokeColor(viridisAt(scale.partOf(value)))
      .stroke();
  }
  const fontSize = grid.side / 6.5;
  const centred = { width: grid.side, align: 'center' as const, lineBreak: false };
  for (const { label, row, col } of qubits) {
    const { x, y } = middle({ row, col });
    document
      .circle(x, y, grid.side * 0.2)
      .lineWidth(0.5)
      .fillAndStroke('#ffffff', QUIET);
    if (fontSize < SMALLEST_TEXT) continue;
    document
      .font('text')
      .fontSize(fontSize * 0.8)
      .fillColor(TEXT);
    document.text(label, x - grid.side / 2, y - fontSize * 0.45, centred);
  }
  if (fontSize >= SMALLEST_TEXT) {
    for (const { from: start, to: end, value } of edges) {
      const [a, b] = [middle(start), middle(end)];
      const text = numberText(value);
      document.font('bold').fontSize(fontSize);
      // The length of the line between the circles at its ends.
      const size = sizeWithin(document, text, { size: fontSize, width: grid.side * 0.58 });
      const [x, y] = [(a.x + b.x) / 2, (a.y + b.y) / 2];
      document
        .save()
        .rotate(textAngle(a, b), { origin: [x, y] })
        .fontSize(size)
        .fillColor(isDarkViridis(scale.partOf(value)) ? '#ffffff' : '#111111')
        .text(text, x - grid.side / 2, y - size * 0.55, centred)
        .restore();
    }
  }
  drawColourBar(document, scale, unit, grid.y + grid.height + 16);
}

/** Clockwise rotation in degrees of a text along the line between two points, readable from the left or from below. */
export function textAngle(a: { x: number; y: number }, b: { x: number; y: number }): number {
  const angle = (Math.atan2(b.y - a.y, b.x - a.x) * 180) / Math.PI;
  if (angle >= 90) return angle - 180;
  return angle < -90 ? angle + 180 : angle;
}

/** Draws cumulative distributions of several sets of numbers over one axis. */
export function drawDistributions(
  document: Pdf,
  sets: readonly { title: string; values: readonly number[] }[],
  unit: string,
  from: number,
): void {
  const { left, width } = frameOf(document);
  const scale = scaleOf(sets.flatMap(({ values }) => values));
  const box = { x: left + 36, y: from, width: width - 46, height: 380 };
  const xOf = (value: number) => box.x + scale.partOf(value) * box.width;
  const yOf = (part: number) => box.y + (1 - part) * box.height;
  document.font('text').fontSize(8);
  for (const part of [0, 0.25, 0.5, 0.75, 1]) {
    document
      .moveTo(box.x, yOf(part))
      .lineTo(box.x + box.width, yOf(part))
      .lineWidth(0.4)
      .strokeColor('#dddddd')
      .stroke();
    document
      .fillColor(TEXT)
      .text(`${100 * part} %`, left - 6, yOf(part) - 4, { width: 36, align: 'right', lineBreak: false });
  }
  // All values may be equal: an axis of zero length has one label.
  const { labels } = scale.max > scale.min ? axisTicks(scale, false) : { labels: [scale.min] };
  for (const value of labels) {
    document
      .moveTo(xOf(value), box.y + box.height)
      .lineTo(xOf(value), box.y + box.height + 3)
      .strokeColor('#888888')
      .stroke();
    document.fillColor(TEXT).text(numberText(value), xOf(value) - 30, box.y + box.height + 6, {
      width: 60,
      align: 'center',
      lineBreak: false,
    });
  }
  document.text(unit, box.x, box.y + box.height + 20, {
    width: box.width,
    align: 'center',
    lineBreak: false,
  });
  for (const [index, { title, values }] of sets.entries()) {
    const colour = LINES[index % LINES.length] ?? TEXT;
    const sorted = [...values].sort((a, b) => a - b);
    document.moveTo(xOf(sorted[0] ?? 0), yOf(0));
    let below = 0;
    for (const { value, part } of cumulative(sorted)) {
      document.lineTo(xOf(value), yOf(below)).lineTo(xOf(value), yOf(part));
      below = part;
    }
    document
      .lineTo(box.x + box.width, yOf(1))
      .lineWidth(1.4)
      .strokeColor(colour)
      .stroke();
    const y = box.y + box.height + 42 + 15 * index;
    document
      .moveTo(box.x, y + 5)
      .lineTo(box.x + 22, y + 5)
      .lineWidth(1.4)
      .stroke();
    document
      .fontSize(9)
      .fillColor(TEXT)
      .text(`${title} (${sorted.length})`, box.x + 30, y, { lineBreak: false });
  }
}

/** Numbers the pages and finishes the report. @returns its bytes */
export async function closeReport(document: Pdf, footer: string): Promise<Buffer> {
  const { start, count } = document.bufferedPageRange();
  for (let index = 0; index < count; index += 1) {
    document.switchToPage(start + index);
    const { left, width, bottom } = frameOf(document);
    // Text below the margin would start a new page.
    document.page.margins.bottom = 0;
    document.font('text').fontSize(8).fillColor(QUIET);
    document.text(footer, left, bottom + 16, { width, lineBreak: false });
    document.text(`${index + 1} / ${count}`, left, bottom + 16, { width, align: 'right', lineBreak: false });
  }
  const pieces: Buffer[] = [];
  return new Promise((resolve, reject) => {
    document.on('data', (piece: Buffer) => pieces.push(piece));
    document.on('end', () => resolve(Buffer.concat(pieces)));
    document.on('error', reject);
    document.end();
  });
}
