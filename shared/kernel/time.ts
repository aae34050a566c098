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

const HOUR_MS = 3_600_000;

/**
 * When a calendar day (`YYYYMMDD`) begins and ends in an IANA time zone; the end belongs to the next day.
 * Found by halving, so that a day whose midnight is skipped or repeated is right as well.
 */
export function calendarDayBounds(day: string, timezone: string): { from: Date; before: Date } {
  const midnight = Date.UTC(Number(day.slice(0, 4)), Number(day.slice(4, 6)) - 1, Number(day.slice(6, 8)));
  /** The first moment, around the midnight of a day in UTC, at which the zone's day has come so far. */
  const first = (around: number, reached: (today: string) => boolean) => {
    let [early, late] = [around - 15 * HOUR_MS, around + 15 * HOUR_MS];
    while (late - early > 1) {
      const middle = Math.floor((early + late) / 2);
      if (reached(calendarDay(new Date(middle), timezone))) late = middle;
      else early = middle;
    }
    return new Date(late);
  };
  return {
    from: first(midnight, (today) => today >= day),
    before: first(midnight + 24 * HOUR_MS, (today) => today > day),
  };
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
