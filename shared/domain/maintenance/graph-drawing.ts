/** The graph of tasks as DOT and as SVG. An arrow leads from a task to one that reads what it finds. */
import { escaped } from '../../kernel/markup.ts';
import type { GraphTask, MaintenanceGraph } from './graph-rules.ts';
import type { OrderedTask } from './order-rules.ts';

type Graph = MaintenanceGraph<OrderedTask>;

/** An arrow between two tasks with the values that are read. */
interface Arrow {
  from: string;
  to: string;
  values: string[];
}

/** The tasks that read or find a value, and the arrows between them. */
function picturedOf({ tasks, nodes }: Graph): { tasks: GraphTask<OrderedTask>[]; arrows: Arrow[] } {
  const shown = tasks.filter(({ reads, writes }) => reads.length + writes.length > 0);
  const arrows = shown.flatMap(({ task, reads, dependsOn }) =>
    dependsOn.map((from): Arrow => {
      const values = reads.flatMap(({ node }) => {
        const value = nodes.get(node);
        return value?.task === from ? [value.parameter] : [];
      });
      return { from, to: task.name, values: [...new Set(values)] };
    }),
  );
  return { tasks: shown, arrows };
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** The names of the values that a task finds. */
function foundBy({ writes }: GraphTask<OrderedTask>, { nodes }: Graph): string[] {
  return writes.flatMap((id) => nodes.get(id)?.parameter ?? []);
}

/** The graph in the language of Graphviz. */
export function graphAsDot(graph: Graph): string {
  const { tasks, arrows } = picturedOf(graph);
  const boxes = tasks.map((each) => {
    const label = [each.task.name, ...foundBy(each, graph)].map((text) => quoted(text).slice(1, -1));
    return `  ${quoted(each.task.name)} [label="${label.join('\\n')}"];`;
  });
  const lines = arrows.map(
    ({ from, to, values }) => `  ${quoted(from)} -> ${quoted(to)} [tooltip=${quoted(values.join(', '))}];`,
  );
  return [
    'digraph maintenance {',
    '  rankdir=LR;',
    '  node [shape=box, fontname="sans-serif"];',
    ...boxes,
    ...lines,
    '}',
    '',
  ].join('\n');
}

const BOX = { width: 280, line: 14, padding: 8, gap: 18, columnGap: 90 };
const MARGIN = 20;

interface Box {
  task: GraphTask<OrderedTask>;
  lines: string[];
  x: number;
  y: number;
  height: number;
}

/** Places tasks in columns by depth, each near the mean height of what it depends on, so that few arrows cross. */
function boxesOf(tasks: readonly GraphTask<OrderedTask>[], graph: Graph): Map<string, Box> {
  const boxes = new Map<string, Box>();
  const columns = new Map<number, GraphTask<OrderedTask>[]>();
  for (const each of tasks) columns.set(each.depth, [...(columns.get(each.depth) ?? []), each]);
  for (const [depth, column] of [...columns].sort(([a], [b]) => a - b)) {
    const height = (each: GraphTask<OrderedTask>) => {
      const above = each.dependsOn.flatMap((name) => boxes.get(name)?.y ?? []);
      return above.length === 0 ? 0 : above.reduce((sum, y) => sum + y, 0) / above.length;
    };
    const sorted = column.map((each) => ({ each, at: height(each) })).sort((a, b) => a.at - b.at);
    let y = MARGIN;
    for (const { each } of sorted) {
      const lines = foundBy(each, graph);
      const tall = 2 * BOX.padding + BOX.line * (1 + lines.length);
      boxes.set(each.task.name, {
        task: each,
        lines,
        y,
        height: tall,
        x: MARGIN + depth * (BOX.width + BOX.columnGap),
      });
      y += tall + BOX.gap;
    }
  }
  return centred(boxes);
}

/** Moves each column to the middle of the tallest one. */
function centred(boxes: ReadonlyMap<string, Box>): Map<string, Box> {
  const bottoms = new Map<number, number>();
  for (const { x, y, height } of boxes.values()) bottoms.set(x, Math.max(bottoms.get(x) ?? 0, y + height));
  const lowest = Math.max(0, ...bottoms.values());
  return new Map(
    [...boxes].map(([name, box]) => [name, { ...box, y: box.y + (lowest - (bottoms.get(box.x) ?? 0)) / 2 }]),
  );
}

function boxAsSvg({ task, lines, x, y, height }: Box): string {
  const texts = lines.map((line, index) => {
    const top = y + BOX.padding + BOX.line * (index + 2) - 3;
    return `<text x="${x + BOX.padding}" y="${top}">${escaped(line)}</text>`;
  });
  return [
    `<rect x="${x}" y="${y}" width="${BOX.width}" height="${height}" rx="4" fill="#fff" stroke="#345"/>`,
    `<text x="${x + BOX.padding}" y="${y + BOX.padding + BOX.line - 3}" font-weight="bold">${escaped(task.task.name)}</text>`,
    ...texts,
  ].join('');
}

function arrowAsSvg(arrow: Arrow, boxes: ReadonlyMap<string, Box>): string {
  const [from, to] = [boxes.get(arrow.from), boxes.get(arrow.to)];
  if (!from || !to) return '';
  const [x1, y1] = [from.x + BOX.width, from.y + from.height / 2];
  const [x2, y2] = [to.x, to.y + to.height / 2];
  const bend = BOX.columnGap / 2;
  const path = `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
  return `<path marker-end="url(#tip)" d="${path}"><title>${escaped(`${arrow.from} → ${arrow.to}: ${arrow.values.join(', ')}`)}</title></path>`;
}

/** The graph as a picture: columns from left to right, each task after all that it depends on. */
export function graphAsSvg(graph: Graph): string {
  const { tasks, arrows } = picturedOf(graph);
  const boxes = boxesOf(tasks, graph);
  const all = [...boxes.values()];
  const width = Math.max(0, ...all.map(({ x }) => x + BOX.width)) + MARGIN;
  const height = Math.max(0, ...all.map((box) => box.y + box.height)) + MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0L8 4L0 8z" fill="#789"/></marker></defs>',
    `<g fill="none" stroke="#789" stroke-opacity="0.5">`,
    ...arrows.map((arrow) => arrowAsSvg(arrow, boxes)),
    '</g>',
    ...all.map(boxAsSvg),
    '</svg>',
    '',
  ].join('\n');
}
