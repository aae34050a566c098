/** Digits of an error that are shown. */
const ERROR_DIGITS = 2;
/** Significant digits of a value without an error. */
const PLAIN_DIGITS = 5;
/** Beyond these powers of ten a number is written with an exponent. */
const [SMALLEST_PLAIN, LARGEST_PLAIN] = [1e-4, 1e6];

export interface ShownNumber {
  value: string;
  /** With its sign, or empty if there is none. */
  error: string;
}

/**
 * A value and its error with the digits that the error justifies: two of the error, and the value to the same place.
 */
export function shownNumber(value: number, error?: number | null): ShownNumber {
  if (!Number.isFinite(value)) return { value: '–', error: '' };
  if (!error || !Number.isFinite(error)) return { value: plain(value), error: '' };
  const power = Math.floor(Math.log10(Math.abs(error)));
  const decimals = ERROR_DIGITS - 1 - power;
  const largest = Math.max(Math.abs(value), Math.abs(error));
  if (largest >= LARGEST_PLAIN || largest < SMALLEST_PLAIN || decimals > 12) {
    const exponent = Math.floor(Math.log10(largest));
    const digits = Math.min(12, Math.max(0, decimals + exponent));
    return {
      value: value.toExponential(digits),
      error: `± ${(error / 10 ** exponent).toFixed(digits)}e${exponent}`,
    };
  }
  const places = Math.max(0, decimals);
  return { value: value.toFixed(places), error: `± ${error.toFixed(places)}` };
}

function plain(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size >= LARGEST_PLAIN || size < SMALLEST_PLAIN))
    return value.toExponential(PLAIN_DIGITS - 1);
  return String(Number(value.toPrecision(PLAIN_DIGITS)));
}

/** A value with error and unit as one text, for names that screen readers speak. */
export function spoken(value: number, error: number | null | undefined, unit: string): string {
  const shown = shownNumber(value, error);
  return [shown.value, shown.error, unit].filter((part) => part !== '').join(' ');
}

const STEPS = [
  [60, 's', 's', 1],
  [3600, 'min', 'min', 60],
  [86_400, 'h', 'h', 3600],
  [30 * 86_400, 'day', 'days', 86_400],
  [365 * 86_400, 'month', 'months', 30 * 86_400],
  [Number.POSITIVE_INFINITY, 'year', 'years', 365 * 86_400],
] as const;

// Times of the first pages are written without `Intl`: its first use reads the data of all languages, which holds up the
// page for tens of milliseconds.

/** How long ago, or in how long, a time is. */
export function shownAgo(time: string, now = Date.now()): string {
  const seconds = (new Date(time).getTime() - now) / 1000;
  const size = Math.abs(seconds);
  if (size < 5) return 'now';
  const [, one, many, divisor] = STEPS.find(([limit]) => size < limit) ?? STEPS[5];
  const count = Math.trunc(size / divisor);
  const text = `${count} ${count === 1 ? one : many}`;
  return seconds < 0 ? `${text} ago` : `in ${text}`;
}

const two = (part: number) => String(part).padStart(2, '0');
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** A time in full, in the zone of the reader, such as `1 Mar 2026, 09:05:00`. */
export function shownTime(time: string): string {
  const date = new Date(time);
  return `${date.getDate()} ${MONTHS[date.getMonth()]} ${date.getFullYear()}, ${shownClock(time)}`;
}

/** The time of the day in the zone of the reader, such as `09:05:00`. */
export function shownClock(time: string): string {
  const date = new Date(time);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
}

/** A time in the zone of the reader in the form that Plotly reads; it knows no zones and would show the one of the text. */
export function localTime(time: string): string {
  const date = new Date(time);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, -1);
}

/** A duration of seconds such as `0.4 s` or `1 h 02 min`. */
export function shownDuration(seconds: number): string {
  if (seconds > 0 && seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${String(whole % 60).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}
