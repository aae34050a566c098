import { DateTime } from 'luxon';
import { type Cron, isDayOf } from './cron-rules.ts';

const MINUTE = 60_000;
/** Time zone offsets change only at quarters of an hour, so the clock runs evenly within one. */
const QUARTER = 15 * MINUTE;

/** The last year that the engine supports. */
export const LAST_YEAR = 2100;

/**
 * The first due time of a cron after a given time, null if there is none until {@link LAST_YEAR}. As in the engine, only
 * the local clock of the zone counts: a time skipped by a change to summer time is not due, and a repeated one is due
 * twice. If only half an hour repeats (Lord Howe Island), the engine skips the first occurrence.
 */
export function nextDueTime(cron: Cron, timezone: string, after: Date): Date | null {
  let quarter = Math.floor(after.getTime() / QUARTER) * QUARTER;
  for (;;) {
    const local = DateTime.fromMillis(quarter, { zone: timezone });
    if (local.year > LAST_YEAR) return null;
    if (!cron.months.includes(local.month)) quarter = local.plus({ months: 1 }).startOf('month').toMillis();
    else if (!isDayOf(cron, local.day, local.weekday % 7)) {
      quarter = local.plus({ days: 1 }).startOf('day').toMillis();
    } else {
      if (cron.hours.includes(local.hour)) {
        for (const minute of cron.minutes) {
          const due = quarter + (minute - local.minute) * MINUTE;
          if (due >= quarter && due < quarter + QUARTER && due > after.getTime()) return new Date(due);
        }
      }
      quarter += QUARTER;
    }
  }
}

/** The next due times of a cron, at most `count`, in order. */
export function nextDueTimes(
  cron: Cron,
  timezone: string,
  { after, count }: { after: Date; count: number },
): Date[] {
  const times: Date[] = [];
  for (let from = after; times.length < count; ) {
    const next = nextDueTime(cron, timezone, from);
    if (!next) break;
    times.push(next);
    from = next;
  }
  return times;
}

/** The last due time of a cron within a time span that ends now; null if there is none. */
export function lastDueTime(cron: Cron, timezone: string, now: Date, span: number): Date | null {
  let last: Date | null = null;
  for (let at = new Date(now.getTime() - span); ; ) {
    const next = nextDueTime(cron, timezone, at);
    if (!next || next > now) return last;
    last = next;
    at = next;
  }
}
