import { Info } from 'luxon';
import { CalibronError } from '../../kernel/errors.ts';

/** The numbers matched by each field of a cron, ascending. Sunday is 0. */
export interface Cron {
  minutes: readonly number[];
  hours: readonly number[];
  daysOfMonth: readonly number[];
  months: readonly number[];
  daysOfWeek: readonly number[];
  /** If both day fields are restricted, a day that matches either is due. Otherwise it must match both. */
  eitherDay: boolean;
}

interface Field {
  /** Name of the field in messages. */
  name: string;
  min: number;
  max: number;
  /** Names of the numbers from `min` upwards; their first three letters are accepted. */
  names: readonly string[];
}

const monthNames = Info.months('long', { locale: 'en' }).map((name) => name.toLowerCase());
const dayNames = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const fields = {
  minute: { name: 'minute', min: 0, max: 59, names: [] },
  hour: { name: 'hour', min: 0, max: 23, names: [] },
  dayOfMonth: { name: 'day of month', min: 1, max: 31, names: [] },
  month: { name: 'month', min: 1, max: 12, names: monthNames },
  // 7 also means Sunday.
  dayOfWeek: { name: 'day of week', min: 0, max: 7, names: dayNames },
} satisfies Record<string, Field>;

/** Days of each month in a leap year. */
const LONGEST_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Normalizes a cron: its five fields separated by single spaces. */
export function cronText(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ');
}

/**
 * Parses the five fields of a cron as in crontab(5): `*` or `?`, numbers, ranges, steps, lists, names of months and days.
 * @throws bad_request naming the field and the problem
 */
export function readCron(text: string): Cron {
  const [minute, hour, dayOfMonth, month, dayOfWeek, ...more] = cronText(text).split(' ');
  if (!minute || !hour || !dayOfMonth || !month || !dayOfWeek || more.length > 0) {
    throw badCron('it must have five fields: minute, hour, day of month, month, day of week');
  }
  const cron: Cron = {
    minutes: numbersOf(minute, fields.minute),
    hours: numbersOf(hour, fields.hour),
    daysOfMonth: numbersOf(dayOfMonth, fields.dayOfMonth),
    months: numbersOf(month, fields.month),
    daysOfWeek: ascending(numbersOf(dayOfWeek, fields.dayOfWeek).map((day) => day % 7)),
    eitherDay: isRestricted(dayOfMonth) && isRestricted(dayOfWeek),
  };
  const [firstDay = 0] = cron.daysOfMonth;
  if (!cron.eitherDay && !cron.months.some((each) => firstDay <= (LONGEST_MONTHS[each - 1] ?? 0))) {
    throw badCron(
      `it is never due, because no month of the field month "${month}" has a day of the field day of month "${dayOfMonth}"`,
    );
  }
  return cron;
}

/** Whether a cron is due on a day, given as day of the month and day of the week. */
export function isDayOf(cron: Cron, dayOfMonth: number, dayOfWeek: number): boolean {
  const ofMonth = cron.daysOfMonth.includes(dayOfMonth);
  const ofWeek = cron.daysOfWeek.includes(dayOfWeek);
  return cron.eitherDay ? ofMonth || ofWeek : ofMonth && ofWeek;
}

/** As in cron, a field that begins with a star restricts nothing, even with a step. */
const isRestricted = (text: string) => !/^[*?]/.test(text);

function numbersOf(text: string, field: Field): readonly number[] {
  return ascending(text.split(',').flatMap((part) => numbersOfPart(part, text, field)));
}

function numbersOfPart(part: string, text: string, field: Field): number[] {
  const refused = (why: string) => badCron(`the field ${field.name} "${text}" ${why}`);
  const [range = '', stepText, ...moreSteps] = part.split('/');
  const [first = '', last, ...moreEnds] = range.split('-');
  if (moreSteps.length > 0 || moreEnds.length > 0) throw refused('cannot be read');
  const step = stepText === undefined ? 1 : Number(/^\d{1,3}$/.exec(stepText)?.[0] ?? 0);
  if (step === 0) throw refused('has a step that is no number above 0');
  const number = (word: string): number => {
    const named = field.names.findIndex((name) => word.length > 2 && name.startsWith(word.toLowerCase()));
    if (named >= 0) return field.min + named;
    if (!/^\d{1,4}$/.test(word)) throw refused('cannot be read');
    const value = Number(word);
    if (value < field.min || value > field.max) {
      throw refused(`has ${value}, but goes from ${field.min} to ${field.max}`);
    }
    return value;
  };
  const whole = range === '*' || range === '?';
  const from = whole ? field.min : number(first);
  const single = !whole && last === undefined && stepText === undefined;
  // The whole week is 0 to 6: with a step, 7 would count Sunday twice.
  const end = field.max === 7 ? 6 : field.max;
  const to = single ? from : last === undefined ? Math.max(from, end) : number(last);
  if (to < from) throw refused('has a range that runs backwards');
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
}

function ascending(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}

function badCron(why: string): CalibronError {
  return new CalibronError('bad_request', `The cron is not valid: ${why}.`);
}
