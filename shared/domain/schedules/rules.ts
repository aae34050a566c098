import { DateTime, IANAZone } from 'luxon';
import { CalibronError } from '../../kernel/errors.ts';

/** The engine would take more than a cron: intervals and zones of its own, which the schedule's fields would not show. */
const cronPattern = /^[\dA-Za-z*/,?-]+(\s+[\dA-Za-z*/,?-]+){4}$/;

/** A cron without superfluous blanks. @throws bad_request when it has not five fields */
export function checkedCron(text: string): string {
  const cron = text.trim();
  if (!cronPattern.test(cron)) throw badCron();
  return cron.replaceAll(/\s+/g, ' ');
}

/** Says what is wrong with a cron. */
export function badCron(reason = ''): CalibronError {
  const why = reason === '' ? '' : ` (${reason})`;
  return new CalibronError(
    'bad_request',
    `The cron is not valid${why}. Give five fields: minute, hour, day of month, month, day of week.`,
  );
}

/** @throws bad_request when there is no such zone */
export function checkedTimezone(name: string): string {
  if (IANAZone.isValidZone(name)) return name;
  throw new CalibronError('bad_request', 'There is no such time zone. Give an IANA name such as Asia/Tokyo.');
}

/**
 * The moment that a client named, in its own offset or else in the schedule's zone. The engine knows whole seconds, so
 * one between two of them is that of the next.
 * @throws bad_request when it is no time, or is over
 */
export function checkedTime(text: string, timezone: string, now: Date): Date {
  const time = DateTime.fromISO(text.trim(), { zone: timezone });
  if (!time.isValid) {
    throw new CalibronError(
      'bad_request',
      'scheduled_time is not a time. Give ISO 8601, such as 2026-03-01T02:00:00.',
    );
  }
  if (time.toMillis() <= now.getTime()) {
    throw new CalibronError('bad_request', 'scheduled_time is in the past. Give a time in the future.');
  }
  return new Date(Math.ceil(time.toMillis() / 1000) * 1000);
}

/** A moment as a schedule shows it: ISO 8601 with the offset that its zone has then. */
export function inZone(time: Date, timezone: string): string {
  return (
    DateTime.fromJSDate(time, { zone: timezone }).toISO({ suppressMilliseconds: true }) ?? time.toISOString()
  );
}
