/** Where time went, as an SVG: stacked bars over time, with a legend. */
import { DateTime } from 'luxon';
import { escaped } from '../../kernel/markup.ts';
import { type ChipTimePart, chipTimeParts, partsOfSlices, type Segment } from './time-rules.ts';

/** Colours that people with any colour vision tell apart: https://jfly.uni-koeln.de/color/, and greys. */
const COLOURS: Record<ChipTimePart, string> = {
  instrument: '#0072b2',
  analysis: '#56b4e9',
  people: '#e69f00',
  lock: '#cc79a7',
  resources: '#d55e00',
  engine: '#999999',
  idle: '#dddddd',
  unused: '#f7f7f7',
};

/** From the bottom of each bar: what the instrument is for comes first. */
const STACKED: readonly ChipTimePart[] = [
  'instrument',
  'analysis',
  'engine',
  'resources',
  'lock',
  'people',
  'idle',
  'unused',
];

const PLOT = { left: 20, top: 36, width: 720, height: 120, bars: 120 };
const LEGEND = { left: PLOT.left + PLOT.width + 24, line: 18 };
const SIZE = { width: LEGEND.left + 236, height: 200 };
const TICKS = 6;
const MS_PER_SECOND = 1000;
const MS_PER_DAY = 86_400_000;
/** With fewer seconds in all, durations are shown with a decimal. */
const SHORT = 600;

export interface Timeline {
  title: string;
  from: Date;
  to: Date;
  /** In order. */
  segments: Iterable<Segment>;
  timezone: string;
}

function duration(milliseconds: number, isShort: boolean): string {
  const seconds = milliseconds / MS_PER_SECOND;
  if (isShort) return `${seconds.toFixed(1)} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

function bar(spent: Record<ChipTimePart, number>, index: number): string {
  const total = STACKED.reduce((sum, part) => sum + spent[part], 0);
  const width = PLOT.width / PLOT.bars;
  let bottom = PLOT.top + PLOT.height;
  const pieces = STACKED.filter((part) => spent[part] > 0).map((part) => {
    const height = (PLOT.height * spent[part]) / total;
    bottom -= height;
    const place = `x="${(PLOT.left + index * width).toFixed(2)}" y="${bottom.toFixed(2)}"`;
    // Slightly wider, so that no line shows between two bars.
    return `<rect ${place} width="${(width + 0.3).toFixed(2)}" height="${height.toFixed(2)}" fill="${COLOURS[part]}"/>`;
  });
  return pieces.join('');
}

function tick(timeline: Timeline, index: number): string {
  const { from, to, timezone } = timeline;
  const span = to.getTime() - from.getTime();
  const at = DateTime.fromMillis(from.getTime() + (span * index) / TICKS, { zone: timezone });
  const format = span > 2 * MS_PER_DAY ? 'd LLL' : span > 60 * TICKS * MS_PER_SECOND ? 'HH:mm' : 'HH:mm:ss';
  const x = PLOT.left + (PLOT.width * index) / TICKS;
  const bottom = PLOT.top + PLOT.height;
  return `<path d="M${x} ${bottom}v5" stroke="#555"/><text x="${x}" y="${bottom + 18}" text-anchor="middle">${at.setLocale('en').toFormat(format)}</text>`;
}

/** Time from left to right, in each bar the shares of the parts, and beside it how long each part took. */
export function timelineAsSvg(timeline: Timeline): string {
  const { from, to, title, segments, timezone } = timeline;
  const span = Math.max(1, to.getTime() - from.getTime());
  const edges = Array.from(
    { length: PLOT.bars + 1 },
    (_, index) => from.getTime() + (span * index) / PLOT.bars,
  );
  const bars = partsOfSlices(segments, edges);
  const isShort = span / MS_PER_SECOND < SHORT;
  const legend = chipTimeParts
    .map((part) => ({ part, spent: bars.reduce((sum, each) => sum + each[part], 0) }))
    .filter(({ spent }) => spent > 0)
    .map(({ part, spent }, index) => {
      const y = PLOT.top + index * LEGEND.line;
      const text = `${part}: ${duration(spent, isShort)}, ${((100 * spent) / span).toFixed(1)} %`;
      return `<rect x="${LEGEND.left}" y="${y}" width="12" height="12" fill="${COLOURS[part]}" stroke="#555" stroke-width="0.5"/><text x="${LEGEND.left + 18}" y="${y + 10}">${text}</text>`;
    });
  const day = DateTime.fromJSDate(from, { zone: timezone }).toFormat('yyyy-MM-dd HH:mm ZZZZ');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE.width}" height="${SIZE.height}" viewBox="0 0 ${SIZE.width} ${SIZE.height}" font-family="sans-serif" font-size="12" fill="#222">`,
    `<rect width="${SIZE.width}" height="${SIZE.height}" fill="#fff"/>`,
    `<text x="${PLOT.left}" y="22" font-size="14" font-weight="bold">${escaped(title)}, from ${day}</text>`,
    ...bars.map(bar),
    `<rect x="${PLOT.left}" y="${PLOT.top}" width="${PLOT.width}" height="${PLOT.height}" fill="none" stroke="#555"/>`,
    ...Array.from({ length: TICKS + 1 }, (_, index) => tick(timeline, index)),
    ...legend,
    '</svg>',
    '',
  ].join('\n');
}
