/** Where the time of an execution went: every moment belongs to exactly one part. */
import type { WaitKind } from './status-rules.ts';

/** In the order in which they are shown. */
export const timeParts = ['lock', 'instrument', 'analysis', 'engine', 'people', 'resources', 'idle'] as const;
export type TimePart = (typeof timeParts)[number];

/** At a moment that several of these claim, the first one counts: what is measured is never waiting. */
const PRECEDENCE: readonly Exclude<TimePart, 'idle'>[] = [
  'instrument',
  'analysis',
  'people',
  'lock',
  'resources',
  'engine',
];

/** A span of time; null while it goes on. */
export interface Span {
  from: Date;
  to: Date | null;
}

export interface ClaimedSpan extends Span {
  part: Exclude<TimePart, 'idle'>;
}

/** Which part a wait of a run belongs to; null for a pause that the flow asked for, which is idle. */
export function partOfWait(kind: WaitKind | undefined): ClaimedSpan['part'] | null {
  switch (kind) {
    case 'approval':
      return 'people';
    case 'previous_run':
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
  part: ClaimedSpan['part'];
  by: 1 | -1;
}

/** Milliseconds of each part within a span of time; together they are as long as the span. */
export function partsOfTime(
  whole: { from: Date; to: Date },
  claimed: Iterable<ClaimedSpan>,
): Record<TimePart, number> {
  const [begin, end] = [whole.from.getTime(), Math.max(whole.from.getTime(), whole.to.getTime())];
  const within = (date: Date | null) => Math.min(end, Math.max(begin, date?.getTime() ?? end));
  const changes: Change[] = [];
  for (const { from, to, part } of claimed) {
    const [first, last] = [within(from), within(to)];
    if (first < last) changes.push({ at: first, part, by: 1 }, { at: last, part, by: -1 });
  }
  changes.sort((a, b) => a.at - b.at);

  const spent = { lock: 0, instrument: 0, analysis: 0, engine: 0, people: 0, resources: 0, idle: 0 };
  const claims = { lock: 0, instrument: 0, analysis: 0, engine: 0, people: 0, resources: 0 };
  let since = begin;
  for (const { at, part, by } of changes) {
    spent[PRECEDENCE.find((each) => claims[each] > 0) ?? 'idle'] += at - since;
    since = at;
    claims[part] += by;
  }
  spent.idle += end - since;
  return spent;
}
