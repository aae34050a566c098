import { describe, expect, test } from 'vitest';
import { calendarDayBounds } from '../../../shared/kernel/time.ts';

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
});
