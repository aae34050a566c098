import { describe, expect, test } from 'vitest';
import { readCron } from '../../../../shared/domain/schedules/cron-rules.ts';
import { lastDueTime, nextDueTime } from '../../../../shared/domain/schedules/due-time-rules.ts';

/** The first due times after a moment, in UTC. */
function dueTimes(cron: string, timezone: string, after: string, count: number): string[] {
  const times: string[] = [];
  for (let at = new Date(after); times.length < count; ) {
    const next = nextDueTime(readCron(cron), timezone, at);
    if (!next) break;
    times.push(next.toISOString().slice(0, 16));
    at = next;
  }
  return times;
}

describe('a cron', () => {
  test('is due on either day when both day fields are given, as cron does', () => {
    expect(dueTimes('0 0 13 * FRI', 'UTC', '2026-02-01T00:00:00Z', 5)).toEqual([
      '2026-02-06T00:00',
      '2026-02-13T00:00',
      '2026-02-20T00:00',
      '2026-02-27T00:00',
      '2026-03-06T00:00',
    ]);
    expect(dueTimes('0 0 14 * 5', 'UTC', '2026-02-12T00:00:00Z', 3)).toEqual([
      '2026-02-13T00:00',
      '2026-02-14T00:00',
      '2026-02-20T00:00',
    ]);
  });

  test('whose one day field begins with a star is due on days that match both', () => {
    expect(dueTimes('0 0 */2 * 1', 'UTC', '2026-02-01T00:00:00Z', 2)).toEqual([
      '2026-02-09T00:00',
      '2026-02-23T00:00',
    ]);
    expect(dueTimes('0 0 29 2 *', 'UTC', '2026-01-01T00:00:00Z', 2)).toEqual([
      '2028-02-29T00:00',
      '2032-02-29T00:00',
    ]);
  });

  test('takes names, lists, ranges and steps; Sunday is 0 and 7', () => {
    expect(readCron('5,10-12 */6 ? jan-March sun')).toEqual({
      minutes: [5, 10, 11, 12],
      hours: [0, 6, 12, 18],
      daysOfMonth: Array.from({ length: 31 }, (_, day) => day + 1),
      months: [1, 2, 3],
      daysOfWeek: [0],
      eitherDay: false,
    });
    expect(readCron('0 0 * * 5-7').daysOfWeek).toEqual([0, 5, 6]);
    expect(readCron('0 0 * * 7').daysOfWeek).toEqual([0]);
    expect(readCron('20/15 0 * * *').minutes).toEqual([20, 35, 50]);
    expect(readCron('0 0 * * */3').daysOfWeek).toEqual([0, 3, 6]);
  });

  test.each([
    ['every night', 'five fields'],
    ['* * * *', 'five fields'],
    ['0 0 2 * * *', 'five fields'],
    ['61 2 * * *', 'the field minute "61" has 61, but goes from 0 to 59'],
    ['0 24 * * *', 'the field hour "24" has 24, but goes from 0 to 23'],
    ['0 2 0 * *', 'the field day of month "0" has 0, but goes from 1 to 31'],
    ['0 2 * 13 *', 'the field month "13" has 13, but goes from 1 to 12'],
    ['0 2 * * 9', 'the field day of week "9" has 9, but goes from 0 to 7'],
    ['0 2 * * noday', 'the field day of week "noday" cannot be read'],
    ['*/0 2 * * *', 'the field minute "*/0" has a step that is no number above 0'],
    ['0 5-2 * * *', 'the field hour "5-2" has a range that runs backwards'],
    ['0 1-2-3 * * *', 'the field hour "1-2-3" cannot be read'],
    ['0 1, * * *', 'the field hour "1," cannot be read'],
    [
      '0 2 31 2 *',
      'never due, because no month of the field month "2" has a day of the field day of month "31"',
    ],
    ['0 2 31 4,6,9,11 *', 'never due'],
    ['0 2 30,31 feb ?', 'never due'],
  ])('"%s" is refused: %s', (cron, why) => {
    expect(() => readCron(cron)).toThrow(why);
  });

  test('that cannot be due by its day of month alone is, by its day of week', () => {
    expect(dueTimes('0 2 31 2 MON', 'UTC', '2026-01-01T00:00:00Z', 1)).toEqual(['2026-02-02T02:00']);
  });

  test('leaves out what summer time leaves out, and is due twice in the hour that comes twice', () => {
    expect(dueTimes('30 2 28-30 3 *', 'Europe/Berlin', '2026-03-01T00:00:00Z', 2)).toEqual([
      '2026-03-28T01:30',
      '2026-03-30T00:30',
    ]);
    expect(dueTimes('30 2 25 10 *', 'Europe/Berlin', '2026-10-01T00:00:00Z', 2)).toEqual([
      '2026-10-25T00:30',
      '2026-10-25T01:30',
    ]);
  });

  test('has no due time after the last year that the engine knows', () => {
    expect(dueTimes('0 0 1 1 *', 'UTC', '2099-06-01T00:00:00Z', 5)).toEqual(['2100-01-01T00:00']);
  });

  test('was last due within a span, or not at all', () => {
    const now = new Date('2026-05-05T10:07:30Z');
    const last = (cron: string) => lastDueTime(readCron(cron), 'UTC', now, 600_000)?.toISOString() ?? null;
    expect(last('*/5 * * * *')).toBe('2026-05-05T10:05:00.000Z');
    expect(last('0 * * * *')).toBe('2026-05-05T10:00:00.000Z');
    expect(last('50 * * * *')).toBeNull();
  });
});
