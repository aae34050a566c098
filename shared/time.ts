/** ISO 8601 in UTC with milliseconds and `Z`, the one form in which times leave the service. */
export function isoTime(time: Date): string {
  return time.toISOString();
}

/** {@link isoTime} of a time that may not be known. */
export function isoTimeOrNull(time: Date | null | undefined): string | null {
  return time ? isoTime(time) : null;
}

/** The calendar day of `time` in an IANA time zone, as `YYYYMMDD`. */
export function calendarDay(time: Date, timezone: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(time);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((each) => each.type === type)?.value ?? '';
  return `${part('year')}${part('month')}${part('day')}`;
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
