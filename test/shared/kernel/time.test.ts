import { describe, expect, test } from 'vitest';
import { calendarDay, calendarDayBounds, elapsedText, secondsBetween } from '../../../shared/kernel/time.ts';

test('the calendar day is that of the time zone, not of UTC', () => {
  const evening = new Date('2026-11-20T15:30:00Z');
  expect(calendarDay(evening, 'Asia/Tokyo')).toBe('20261121');
  expect(calendarDay(evening, 'UTC')).toBe('20261120');
});

test.each([
  [null, null],
  [undefined, null],
  [0, '0:00:00'],
  [59.9, '0:00:59'],
  [3661, '1:01:01'],
  [90_000, '25:00:00'],
])('%s seconds are shown as %s', (seconds, text) => {
  expect(elapsedText(seconds)).toBe(text);
});

test('elapsed time is unknown without both ends and never negative', () => {
  const [early, late] = [new Date(1000), new Date(3500)];
  expect(secondsBetween(early, late)).toBe(2.5);
  expect(secondsBetween(late, early)).toBe(0);
  expect(secondsBetween(null, late)).toBeNull();
});

describe('the bounds of a calendar day', () => {
  const bounds = (day: string, zone: string) => {
    const { from, before } = calendarDayBounds(day, zone);
    return [from.toISOString(), before.toISOString()];
  };

  test('are its midnights in the zone', () => {
    expect(bounds('20260102', 'Asia/Tokyo')).toEqual([
      '2026-01-01T15:00:00.000Z',
      '2026-01-02T15:00:00.000Z',
    ]);
    expect(bounds('20260102', 'UTC')).toEqual(['2026-01-02T00:00:00.000Z', '2026-01-03T00:00:00.000Z']);
    expect(bounds('20260101', 'Pacific/Kiritimati')[0]).toBe('2025-12-31T10:00:00.000Z');
    expect(bounds('20260101', 'Etc/GMT+12')[0]).toBe('2026-01-01T12:00:00.000Z');
  });

  test('follow a change of the clock, also one that skips midnight', () => {
    expect(bounds('20260329', 'Europe/Berlin')).toEqual([
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ]);
    expect(bounds('20261025', 'Europe/Berlin')[1]).toBe('2026-10-25T23:00:00.000Z');
    expect(bounds('20181104', 'America/Sao_Paulo')).toEqual([
      '2018-11-04T03:00:00.000Z',
      '2018-11-05T02:00:00.000Z',
    ]);
  });

  test('begin at the first of two midnights', () => {
    expect(bounds('20261101', 'America/Havana')).toEqual([
      '2026-11-01T04:00:00.000Z',
      '2026-11-02T05:00:00.000Z',
    ]);
    expect(bounds('20261031', 'America/Havana')[1]).toBe('2026-11-01T04:00:00.000Z');
  });
});

test('the calendar day of a moment is that of its zone', () => {
  const moment = new Date('2026-01-01T15:30:00Z');
  expect(calendarDay(moment, 'UTC')).toBe('20260101');
  expect(calendarDay(moment, 'Asia/Tokyo')).toBe('20260102');
  expect(calendarDay(moment, 'Pacific/Pago_Pago')).toBe('20260101');
});
