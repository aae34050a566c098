import { IANAZone } from 'luxon';
import { CalibronError } from '../../kernel/errors.ts';
import { readInstant } from '../../kernel/wire.ts';
import { readCron } from './cron-rules.ts';
import { LAST_YEAR, nextDueTime } from './due-time-rules.ts';
import type { ScheduleDocument } from './model.ts';

/** Milliseconds after a due time and its jitter beyond which no run is started. */
export const LATENESS_LIMIT = 10 * 60_000;

/** Later than any due time. */
const LAST = new Date('9999-12-31T00:00:00Z');

/** Upcoming schedules are listed first, then paused ones, then those that are over. */
export const LIST_ORDER = { toCome: 0, paused: 1, over: 2 } as const;

type Timed = Pick<ScheduleDocument, 'active' | 'cron' | 'scheduled_time' | 'timezone'>;
type Place = Pick<ScheduleDocument, 'order_rank' | 'order_at'>;

/** Sort position of a schedule in lists. */
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

/** Null also for a cron that an earlier release accepted although it is never due. */
function nextOf(text: string, timezone: string, now: Date): Date | null {
  try {
    return nextDueTime(readCron(text), timezone, now);
  } catch (thrown) {
    if (thrown instanceof CalibronError) return null;
    throw thrown;
  }
}

/** The next due time of a schedule; null if there is none, or it is paused. */
export function nextRunOf({ active, order_rank, order_at }: Timed & Place, now: Date): Date | null {
  return active && order_rank === LIST_ORDER.toCome && order_at > now ? order_at : null;
}

/** The name of a zone as the engine writes it. @throws bad_request if there is no such zone */
export function checkedTimezone(name: string): string {
  // The engine does not accept a bare offset as a zone.
  if (!/^[A-Za-z]/.test(name) || !IANAZone.isValidZone(name)) throw badTimezone();
  const known = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  return known.toLowerCase() === name.toLowerCase() ? known : name;
}

/** The error for an unknown zone. */
export function badTimezone(): CalibronError {
  return new CalibronError(
    'bad_request',
    'The timezone is not known. Give an IANA name such as Asia/Tokyo, with the same spelling.',
  );
}

/**
 * Parses a client's time, in its own offset or else in the schedule's zone. The engine supports whole seconds, so a
 * fraction is rounded up to the next second.
 * @throws bad_request if the time is invalid, past, or later than the engine supports
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

/** A delay in words: "7 h 3 min". @param milliseconds 0 or more */
export function latenessText(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  const [days, hours, rest] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24, minutes % 60];
  if (days > 0) return `${days} d ${hours} h`;
  return hours > 0 ? `${hours} h ${rest} min` : `${rest} min`;
}
