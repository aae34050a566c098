/** Where the time of an execution or a chip went: every moment belongs to exactly one part. */
import type { WaitKind } from './status-rules.ts';

/** In the order in which they are shown. */
export const timeParts = ['lock', 'instrument', 'analysis', 'engine', 'people', 'resources', 'idle'] as const;
export type TimePart = (typeof timeParts)[number];

/** The time of a chip has one more: no run was open. */
export const chipTimeParts = [...timeParts, 'unused'] as const;
export type ChipTimePart = (typeof chipTimeParts)[number];

/** At a moment that several of these claim, the first one counts: what is measured is never waiting. */
const PRECEDENCE: readonly TimePart[] = [
  'instrument',
  'analysis',
  'people',
  'lock',
  'resources',
  'engine',
  'idle',
];

/** A span of time; null while it goes on. */
export interface Span {
  from: Date;
  to: Date | null;
}

export interface ClaimedSpan extends Span {
  part: TimePart;
}

/** Which part a wait of a run belongs to; null for a pause that the flow asked for, which is idle. */
export function partOfWait(kind: WaitKind | undefined): TimePart | null {
  switch (kind) {
    case 'approval':
      return 'people';
    case 'previous_run':
    case 'preemption':
      return 'lock';
    case 'sleep':
      return null;
    default:
      return 'resources';
  }
}

/** A change of the number of spans that claim a part. */
interface Change {
  at: number;
  part: TimePart;
  by: 1 | -1;
}

/** Consecutive milliseconds of a whole that belong to one part. */
export interface Segment {
  part: ChipTimePart;
  from: number;
  to: number;
}

/** The segments of a span of time, in order and without gaps; what nothing claims is `unused`. */
export function* segmentsOf(
  whole: { from: Date; to: Date },
  claimed: Iterable<ClaimedSpan>,
): Generator<Segment> {
  const [begin, end] = [whole.from.getTime(), Math.max(whole.from.getTime(), whole.to.getTime())];
  const within = (date: Date | null) => Math.min(end, Math.max(begin, date?.getTime() ?? end));
  const changes: Change[] = [];
  for (const { from, to, part } of claimed) {
    const [first, last] = [within(from), within(to)];
    if (first < last) changes.push({ at: first, part, by: 1 }, { at: last, part, by: -1 });
  }
  changes.sort((a, b) => a.at - b.at);

  const claims = { lock: 0, instrument: 0, analysis: 0, engine: 0, people: 0, resources: 0, idle: 0 };
  const claimant = (): ChipTimePart => PRECEDENCE.find((each) => claims[each] > 0) ?? 'unused';
  let open: Segment = { part: 'unused', from: begin, to: begin };
  for (const { at, part, by } of changes) {
    if (at > open.to) {
      const current = claimant();
      if (current !== open.part) {
        if (open.to > open.from) yield open;
        open = { part: current, from: open.to, to: at };
      } else open.to = at;
    }
    claims[part] += by;
  }
  if (open.part !== 'unused') {
    if (open.to > open.from) yield open;
    open = { part: 'unused', from: open.to, to: end };
  } else open.to = end;
  if (open.to > open.from) yield open;
}

const none = (): Record<ChipTimePart, number> => ({
  lock: 0,
  instrument: 0,
  analysis: 0,
  engine: 0,
  people: 0,
  resources: 0,
  idle: 0,
  unused: 0,
});

/**
 * Milliseconds of each part in consecutive slices of a span of time.
 * @param segments in order
 * @param edges begin of the first slice, then the end of each
 */
export function partsOfSlices(
  segments: Iterable<Segment>,
  edges: readonly number[],
): Record<ChipTimePart, number>[] {
  const slices = edges.slice(1).map(none);
  let slice = 0;
  for (const { part, from, to } of segments) {
    let at = Math.max(from, edges[0] ?? from);
    while (at < to) {
      while (at >= (edges[slice + 1] ?? Number.POSITIVE_INFINITY)) slice += 1;
      const spent = slices[slice];
      if (!spent) return slices;
      const end = Math.min(to, edges[slice + 1] ?? to);
      spent[part] += end - at;
      at = end;
    }
  }
  return slices;
}

/** Milliseconds of each part. */
export function partsOf(segments: Iterable<Segment>): Record<ChipTimePart, number> {
  const spent = none();
  for (const { part, from, to } of segments) spent[part] += to - from;
  return spent;
}

/** Milliseconds of each part within a span of time; together they are as long as the span. */
export function partsOfTime(
  whole: { from: Date; to: Date },
  claimed: Iterable<ClaimedSpan>,
): Record<ChipTimePart, number> {
  return partsOf(segmentsOf(whole, claimed));
}
