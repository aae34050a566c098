import { DateTime } from 'luxon';

/** ISO 8601 in UTC with milliseconds and `Z`. All times that the service returns have this format. */
export function isoTime(time: Date): string {
  return time.toISOString();
}

/** {@link isoTime} of a time that may be unknown. */
export function isoTimeOrNull(time: Date | null | undefined): string | null {
  return time ? isoTime(time) : null;
}

/** The calendar day of `time` in an IANA time zone, as `YYYYMMDD`. */
export function calendarDay(time: Date, timezone: string): string {
  return DateTime.fromJSDate(time, { zone: timezone }).toISODate({ format: 'basic' }) ?? '';
}

/** Start and end of a calendar day (`YYYYMMDD`) in an IANA time zone; the end is exclusive. */
export function calendarDayBounds(day: string, timezone: string): { from: Date; before: Date } {
  const midnight = DateTime.fromISO(day, { zone: timezone });
  return { from: beginningOf(midnight), before: beginningOf(midnight.plus({ days: 1 })) };
}

/** Start of the day of `time`. If a clock change repeats midnight, this is the earlier one. */
function beginningOf(time: DateTime): Date {
  const midnight = time.startOf('day');
  return (midnight.getPossibleOffsets()[0] ?? midnight).toJSDate();
}

/** Seconds as `H:MM:SS` (hours not padded, fractions cut); null when unknown. */
export function elapsedText(seconds: number | null | undefined): string | null {
  if (seconds === null || seconds === undefined) return null;
  const whole = Math.trunc(seconds);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${Math.trunc(whole / 3600)}:${two(Math.trunc(whole / 60) % 60)}:${two(whole % 60)}`;
}

/** Seconds between two times, null when one is not known; never negative. */
export function secondsBetween(start: Date | null | undefined, end: Date | null | undefined): number | null {
  return start && end ? Math.max(0, (end.getTime() - start.getTime()) / 1000) : null;
}
