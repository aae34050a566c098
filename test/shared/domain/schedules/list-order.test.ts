import { expect, test } from 'vitest';
import {
  badTimezone,
  checkedTime,
  checkedTimezone,
  LATENESS_LIMIT,
  LIST_ORDER,
  latenessText,
  nextRunOf,
  placeOf,
} from '../../../../shared/domain/schedules/rules.ts';

const now = new Date('2026-01-02T00:00:00Z');
const later = new Date('2026-01-03T00:00:00Z');
const last = new Date('9999-12-31T00:00:00Z');
const daily = { active: true, cron: '0 4 * * *', scheduled_time: null, timezone: 'UTC' };
const once = { ...daily, cron: null, scheduled_time: later };

test('a schedule with a single time is to come, paused or over', () => {
  expect(placeOf(once, now)).toEqual({ order_rank: LIST_ORDER.toCome, order_at: later });
  expect(placeOf({ ...once, active: false }, now)).toEqual({
    order_rank: LIST_ORDER.paused,
    order_at: later,
  });
  for (const scheduled_time of [now, new Date(0)])
    expect(placeOf({ ...once, active: false, scheduled_time }, now)).toEqual({
      order_rank: LIST_ORDER.over,
      order_at: scheduled_time,
    });
  expect(placeOf({ ...once, scheduled_time: null }, now).order_at).toEqual(last);
});

test('a cron is listed by its next due time, paused, or over if it is never due', () => {
  expect(placeOf(daily, now)).toEqual({
    order_rank: LIST_ORDER.toCome,
    order_at: new Date('2026-01-02T04:00:00Z'),
  });
  expect(placeOf({ ...daily, timezone: 'Asia/Tokyo' }, now).order_at).toEqual(
    new Date('2026-01-02T19:00:00Z'),
  );
  expect(placeOf({ ...daily, active: false }, now)).toEqual({
    order_rank: LIST_ORDER.paused,
    order_at: last,
  });
  expect(placeOf({ ...daily, cron: '0 4 30 2 *' }, now)).toEqual({
    order_rank: LIST_ORDER.over,
    order_at: last,
  });
});

test('the next run is the time to come of an active schedule', () => {
  const place = { order_rank: LIST_ORDER.toCome, order_at: later };
  expect(nextRunOf({ ...once, ...place }, now)).toBe(later);
  expect(nextRunOf({ ...once, ...place }, later)).toBeNull();
  expect(nextRunOf({ ...once, ...place, active: false }, now)).toBeNull();
  expect(nextRunOf({ ...once, ...place, order_rank: LIST_ORDER.over }, now)).toBeNull();
});

test('a zone is an IANA name, as the engine writes it', () => {
  expect(checkedTimezone('asia/tokyo')).toBe('Asia/Tokyo');
  expect(checkedTimezone('UTC')).toBe('UTC');
  for (const name of ['+09:00', '', 'Mars/Olympus', ' UTC'])
    expect(() => checkedTimezone(name), name).toThrow(badTimezone().message);
  expect(badTimezone()).toMatchObject({
    code: 'bad_request',
    message: 'The timezone is not known. Give an IANA name such as Asia/Tokyo, with the same spelling.',
  });
});

test.each([
  ['soon', 'scheduled_time is not a time. Give ISO 8601, such as 2026-03-01T02:00:00.'],
  ['2026-01-02T00:00:00Z', 'scheduled_time is in the past. Give a time in the future.'],
  ['2101-01-01T00:00:00Z', 'scheduled_time is after the year 2100. Give an earlier time.'],
])('the time %s is refused', (text, message) => {
  expect(() => checkedTime(text, 'UTC', now)).toThrow(
    expect.objectContaining({ code: 'bad_request', message }),
  );
});

test('a time in the last supported year is accepted', () => {
  expect(checkedTime('2100-12-31T23:59:59Z', 'UTC', now).toISOString()).toBe('2100-12-31T23:59:59.000Z');
});

test('a delay is given in its two largest units', () => {
  const minutes = (count: number) => latenessText(count * 60_000);
  expect([0, 59, 60, 423, 1439, 1440, 1440 + 119].map(minutes)).toEqual([
    '0 min',
    '59 min',
    '1 h 0 min',
    '7 h 3 min',
    '23 h 59 min',
    '1 d 0 h',
    '1 d 1 h',
  ]);
  expect(LATENESS_LIMIT).toBe(600_000);
});
