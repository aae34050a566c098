import { IANAZone } from 'luxon';
import { CalibronError } from '../../kernel/errors.ts';
import { readInstant } from '../../kernel/wire.ts';
import { readCron } from './cron-rules.ts';
import { LAST_YEAR, nextDueTime } from './due-time-rules.ts';
import type { ScheduleDocument } from './model.ts';

/** Milliseconds after a due time, and after its jitter, from which on nothing is started any more. */
export const LATENESS_LIMIT = 10 * 60_000;

/** Later than any due time. */
const LAST = new Date('9999-12-31T00:00:00Z');

/** What is to come is listed first, then what is paused, then what is over. */
export const LIST_ORDER = { toCome: 0, paused: 1, over: 2 } as const;

type Timed = Pick<ScheduleDocument, 'active' | 'cron' | 'scheduled_time' | 'timezone'>;
type Place = Pick<ScheduleDocument, 'order_rank' | 'order_at'>;

/** Where a schedule stands in lists. */
export function placeOf(schedule: Timed, now: Date): Place {
  const { active, cron, scheduled_time } = schedule;
  if (cron === null) {
    const order_at = scheduled_time ?? LAST;
    if (active) return { order_rank: LIST_ORDER.toCome, order_at };
    return { order_rank: order_at > now ? LIST_ORDER.paused : LIST_ORDER.over, order_at };
  }
  if (!active) return { order_rank: LIST_ORDER.paused, order_at: LAST };
  const next = nextOf(cron, schedule.timezone, now);
  return next
    ? { order_rank: LIST_ORDER.toCome, order_at: next }
    : { order_rank: LIST_ORDER.over, order_at: LAST };
}

/** Null also for a cron that an earlier release took and that is never due. */
function nextOf(text: string, timezone: string, now: Date): Date | null {
  try {
    return nextDueTime(readCron(text), timezone, now);
  } catch (thrown) {
    if (thrown instanceof CalibronError) return null;
    throw thrown;
  }
}

/** When a schedule is due next; null when it is not any more, or is paused. */
export function nextRunOf({ active, order_rank, order_at }: Timed & Place, now: Date): Date | null {
  return active && order_rank === LIST_ORDER.toCome && order_at > now ? order_at : null;
}

/**
 * The name of a zone as the engine writes it. @throws bad_request when there is no such zone
 */
export function checkedTimezone(name: string): string {
  // A bare offset is no zone to the engine.
  if (!/^[A-Za-z]/.test(name) || !IANAZone.isValidZone(name)) throw badTimezone();
  const known = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  return known.toLowerCase() === name.toLowerCase() ? known : name;
}

/** Says that a zone is none. */
export function badTimezone(): CalibronError {
  return new CalibronError(
    'bad_request',
    'The timezone is not known. Give an IANA name such as Asia/Tokyo, written as there.',
  );
}

/**
 * The moment that a client named, in its own offset or else in the schedule's zone. The engine knows whole seconds, so
 * one between two of them is that of the next.
 * @throws bad_request when it is no time, is over, or is later than the engine can tell
 */
export function checkedTime(text: string, timezone: string, now: Date): Date {
  const time = readInstant(text, timezone);
  if (!(time instanceof Date)) {
    throw new CalibronError(
      'bad_request',
      'scheduled_time is not a time. Give ISO 8601, such as 2026-03-01T02:00:00.',
    );
  }
  if (time.getTime() <= now.getTime()) {
    throw new CalibronError('bad_request', 'scheduled_time is in the past. Give a time in the future.');
  }
  const rounded = new Date(Math.ceil(time.getTime() / 1000) * 1000);
  if (rounded.getUTCFullYear() > LAST_YEAR) {
    throw new CalibronError(
      'bad_request',
      `scheduled_time is after the year ${LAST_YEAR}. Give an earlier time.`,
    );
  }
  return rounded;
}

/** How late something is, in words: "7 h 3 min". @param milliseconds 0 or more */
export function latenessText(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  const [days, hours, rest] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24, minutes % 60];
  if (days > 0) return `${days} d ${hours} h`;
  return hours > 0 ? `${hours} h ${rest} min` : `${rest} min`;
}
