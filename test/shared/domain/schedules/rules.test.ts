import { describe, expect, test } from 'vitest';
import { readCron } from '../../../../shared/domain/schedules/cron-rules.ts';
import { nextDueTimes } from '../../../../shared/domain/schedules/due-time-rules.ts';
import {
  badTimezone,
  checkedTime,
  checkedTimezone,
  LIST_ORDER,
  latenessText,
  nextRunOf,
  placeOf,
} from '../../../../shared/domain/schedules/rules.ts';

const now = new Date('2026-11-28T12:00:00Z');
const fromNow = (ms: number) => new Date(now.getTime() + ms);
const never = new Date('9999-12-31T00:00:00Z');
const cron = { active: true, cron: '0 2 * * *', scheduled_time: null, timezone: 'UTC' };
const once = { active: true, cron: null, scheduled_time: fromNow(1), timezone: 'UTC' };

describe('the place of a schedule in lists', () => {
  test('is that of its next due time while it is active', () => {
    const due = new Date('2026-11-29T02:00:00Z');
    expect(placeOf(cron, now)).toEqual({ order_rank: LIST_ORDER.toCome, order_at: due });
    expect(placeOf({ ...cron, timezone: 'Asia/Tokyo' }, now).order_at).toEqual(
      new Date('2026-11-28T17:00:00Z'),
    );
    expect(placeOf(once, now)).toEqual({ order_rank: LIST_ORDER.toCome, order_at: fromNow(1) });
    expect(placeOf({ ...once, scheduled_time: null }, now).order_at).toEqual(never);
  });

  test('is among those that are paused, and a time that has passed among those that are over', () => {
    expect(placeOf({ ...cron, active: false }, now)).toEqual({
      order_rank: LIST_ORDER.paused,
      order_at: never,
    });
    const paused = { ...once, active: false };
    expect(placeOf(paused, now)).toEqual({ order_rank: LIST_ORDER.paused, order_at: fromNow(1) });
    expect(placeOf({ ...paused, scheduled_time: now }, now).order_rank).toBe(LIST_ORDER.over);
    expect(placeOf({ ...paused, scheduled_time: fromNow(-1) }, now).order_rank).toBe(LIST_ORDER.over);
  });

  test('is among those that are over if its cron is never due or cannot be read', () => {
    const over = { order_rank: LIST_ORDER.over, order_at: never };
    expect(placeOf({ ...cron, cron: '0 2 * * *' }, new Date('2100-12-31T23:00:00Z'))).toEqual(over);
    expect(placeOf({ ...cron, cron: 'not a cron' }, now)).toEqual(over);
  });

  test('comes in the order to come, paused, over', () => {
    const { toCome, paused, over } = LIST_ORDER;
    expect([over, toCome, paused].sort()).toEqual([toCome, paused, over]);
  });
});

describe('the next run of a schedule', () => {
  const next = { ...cron, order_rank: LIST_ORDER.toCome, order_at: fromNow(1) };

  test('is its place in the list while that is to come', () => {
    expect(nextRunOf(next, now)).toEqual(fromNow(1));
  });

  test('is none if it is paused, over, or due now', () => {
    expect(nextRunOf({ ...next, active: false }, now)).toBeNull();
    expect(nextRunOf({ ...next, order_rank: LIST_ORDER.over }, now)).toBeNull();
    expect(nextRunOf({ ...next, order_rank: LIST_ORDER.paused }, now)).toBeNull();
    expect(nextRunOf({ ...next, order_at: now }, now)).toBeNull();
  });
});

describe('the name of a zone', () => {
  test('gets the spelling that the engine knows, and an old name stays', () => {
    expect(checkedTimezone('asia/tokyo')).toBe('Asia/Tokyo');
    expect(checkedTimezone('UTC')).toBe('UTC');
    expect(checkedTimezone('Japan')).toBe('Japan');
  });

  test.each(['Moon/Base', '+09:00', '', ' Asia/Tokyo'])('%j is refused', (name) => {
    expect(() => checkedTimezone(name)).toThrow(badTimezone().message);
    expect(badTimezone().code).toBe('bad_request');
  });
});

test('a time that has come is refused as past, and one after the last year of the engine as too late', () => {
  expect(() => checkedTime('2026-11-28T12:00:00Z', 'UTC', now)).toThrow('scheduled_time is in the past.');
  expect(() => checkedTime('2026-11-28T11:59:59Z', 'UTC', now)).toThrow('scheduled_time is in the past.');
  expect(checkedTime('2026-11-28T12:00:01Z', 'UTC', now)).toEqual(fromNow(1000));
  expect(() => checkedTime('2101-01-01T00:00:00Z', 'UTC', now)).toThrow(
    'scheduled_time is after the year 2100.',
  );
  expect(() => checkedTime('2100-12-31T23:59:59.500Z', 'UTC', now)).toThrow('is after the year 2100.');
  expect(checkedTime('2100-12-31T23:59:59Z', 'UTC', now).getUTCFullYear()).toBe(2100);
});

test.each([
  [0, '0 min'],
  [59_999, '0 min'],
  [60_000, '1 min'],
  [59 * 60_000, '59 min'],
  [60 * 60_000, '1 h 0 min'],
  [423 * 60_000, '7 h 3 min'],
  [24 * 3_600_000 - 1, '23 h 59 min'],
  [24 * 3_600_000, '1 d 0 h'],
  [50 * 3_600_000, '2 d 2 h'],
])('a delay of %d ms is "%s"', (milliseconds, text) => {
  expect(latenessText(milliseconds)).toBe(text);
});

test('the next due times are as many as wanted, or as many as there are', () => {
  const daily = readCron('0 2 * * *');
  const times = nextDueTimes(daily, 'UTC', { after: now, count: 2 });
  expect(times).toEqual([new Date('2026-11-29T02:00:00Z'), new Date('2026-11-30T02:00:00Z')]);
  expect(nextDueTimes(daily, 'UTC', { after: now, count: 0 })).toEqual([]);
  const late = new Date('2100-12-30T12:00:00Z');
  expect(nextDueTimes(daily, 'UTC', { after: late, count: 5 })).toEqual([new Date('2100-12-31T02:00:00Z')]);
});
