import { DateTime } from 'luxon';
import { z } from 'zod';
import { nearestName } from './near-names.ts';

/** A time on the wire: ISO 8601 in UTC with milliseconds and `Z`. */
export const timestamp = z.string().meta({ format: 'date-time' });

const integerText = /^[+-]?\d{1,16}$/;

/**
 * An integer within bounds, given as a JSON number or, as queries do, in digits.
 * Give a default with `.prefault()`, so that the API's description shows it.
 */
export function integer(bounds: { min?: number; max?: number } = {}) {
  let number = z.number().int();
  if (bounds.min !== undefined) number = number.min(bounds.min);
  if (bounds.max !== undefined) number = number.max(bounds.max);
  return z.preprocess((given, context) => {
    if (typeof given === 'number' || given === undefined) return given;
    if (typeof given === 'string' && integerText.test(given.trim())) return Number(given);
    const type = typeof given === 'string' ? 'int_parsing' : 'int_type';
    context.addIssue({ code: 'custom', message: 'should be a valid integer', params: { type } });
    return z.NEVER;
  }, number);
}

const trueWords = new Set(['true', 't', 'yes', 'y', 'on', '1']);
const falseWords = new Set(['false', 'f', 'no', 'n', 'off', '0']);

/** A boolean, given as a JSON boolean, 0 or 1, or a word such as `true` or `off`. */
export function boolean() {
  return z.preprocess((given) => {
    const word = typeof given === 'string' || typeof given === 'number' ? String(given).toLowerCase() : '';
    if (trueWords.has(word)) return true;
    if (falseWords.has(word)) return false;
    return given;
  }, z.boolean());
}

/** A query parameter that may be repeated. A single value becomes a list of one. */
export function repeated<Item extends z.ZodType>(item: Item) {
  return z.preprocess((given) => (typeof given === 'string' ? [given] : given), z.array(item));
}

/** A query parameter with some of the known names, separated by commas or repeated. Each name counts once. */
export function nameList<Name extends string>(known: readonly Name[]) {
  const namesIn = (given: unknown): unknown => {
    const texts = Array.isArray(given) ? given : [given];
    if (!texts.every((text) => typeof text === 'string')) return given;
    return [...new Set(texts.flatMap((text) => text.split(',').map((name) => name.trim())))];
  };
  const isKnown = (name: string): name is Name => known.some((each) => each === name);
  return z.preprocess(
    (given, context) => {
      const names = namesIn(given);
      if (!Array.isArray(names)) return given;
      const unknown = names.filter((name) => typeof name !== 'string' || !isKnown(name));
      for (const name of unknown) {
        const nearest = nearestName(String(name), known);
        const hint = nearest === undefined ? `known are ${known.join(', ')}` : `did you mean ${nearest}?`;
        const message = `has an unknown name; ${hint}`;
        context.addIssue({ code: 'custom', message, params: { type: 'unknown_name' } });
      }
      return unknown.length > 0 ? z.NEVER : names;
    },
    z.array(z.enum(known)),
  );
}

/** Whether an id can be used in a URL: clients and proxies resolve `.` and `..` before sending. */
export function isAddressable(id: string): boolean {
  return id !== '.' && id !== '..';
}

/**
 * An id chosen by a client and used as a URL path segment: no slash, no invisible characters, {@link isAddressable}.
 */
export function pathSegment({ max }: { max: number }) {
  return z
    .string()
    .min(1)
    .max(max)
    .regex(/^[^/\p{C}]+$/u, 'must have no slash and no control characters')
    .refine(isAddressable, 'must not be . or ..');
}

const isoDay = /^\d{4}-\d{2}-\d{2}$/;
const isoInstant = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/i;

/** False for a day such as 2026-02-30, which `Date` interprets as a day of the next month. */
function isCalendarDay(day: string): boolean {
  const read = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(day);
}

/** Maximum UTC offset in hours. No place on Earth has more. */
const MAX_OFFSET_HOURS = 14;

/** False for an offset such as +99:00. */
function isOffset(text: string): boolean {
  const [, hours, minutes] = /^[+-](\d{2}):?(\d{2})$/.exec(text) ?? [];
  if (hours === undefined) return true;
  return Number(minutes) < 60 && Number(hours) * 60 + Number(minutes) <= MAX_OFFSET_HOURS * 60;
}

/**
 * Parses an ISO 8601 time into a `Date`; other values are returned unchanged. A date alone means the start of that day.
 * @param timezone for times without an offset
 */
export function readInstant(given: unknown, timezone = 'UTC'): unknown {
  if (typeof given !== 'string') return given;
  const text = given.trim().toUpperCase();
  if (!isoDay.test(text) && !isoInstant.test(text)) return given;
  if (!isCalendarDay(text.slice(0, 10))) return given;
  if (!isOffset(isoDay.test(text) ? '' : (/[+-]\d{2}:?\d{2}$/.exec(text)?.[0] ?? ''))) return given;
  const read = DateTime.fromISO(text.replace(' ', 'T'), { zone: timezone });
  return read.isValid ? read.toJSDate() : given;
}

/** A time in a query: ISO 8601, in UTC unless it has an offset. A date alone means the start of that day in UTC. */
export function instant() {
  return z.preprocess((given) => readInstant(given), z.date()).meta({ type: 'string', format: 'date-time' });
}

/** A calendar day in a query, `YYYYMMDD`. */
export function calendarDayText() {
  return z
    .string()
    .superRefine((given, context) => {
      const day = /^(\d{4})(\d{2})(\d{2})$/.exec(given);
      if (day && isCalendarDay(day.slice(1).join('-'))) return;
      context.addIssue({
        code: 'custom',
        message: 'should be a day as YYYYMMDD',
        params: { type: 'date_parsing' },
      });
    })
    .meta({ pattern: '^[0-9]{8}$' });
}

/** Body of answers that only confirm success. */
export const messageBody = z.object({ message: z.string() }).meta({ id: 'Message' });

/** Body of a 422 answer: what is wrong, and where. The given values are never included. */
export const invalidInputBody = z
  .object({
    detail: z.array(
      z.object({
        type: z.string(),
        loc: z.array(z.union([z.string(), z.number()])),
        msg: z.string(),
      }),
    ),
    code: z.string().meta({ enum: ['invalid_input'] }),
  })
  .meta({ id: 'InvalidRequest' });

/** The `note` of chips, qubits, couplings and task results; `updated_at` is null until first set. */
export const noteBody = z
  .object({ content: z.string(), updated_by: z.string(), updated_at: timestamp.nullable() })
  .meta({ id: 'Note' });
