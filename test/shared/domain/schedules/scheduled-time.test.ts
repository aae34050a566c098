import { expect, test } from 'vitest';
import { checkedTime } from '../../../../shared/domain/schedules/rules.ts';

const now = new Date('2098-12-31T23:59:59.900Z');
const timeOf = (text: string) => checkedTime(text, 'UTC', now).toISOString();

test('a time between two seconds is due at the next one, since the engine knows whole seconds only', () => {
  expect(timeOf('2099-01-01T00:00:00.250Z')).toBe('2099-01-01T00:00:01.000Z');
  expect(timeOf('2098-12-31T23:59:59.950Z')).toBe('2099-01-01T00:00:00.000Z');
  expect(timeOf('2099-01-01T00:00:00Z')).toBe('2099-01-01T00:00:00.000Z');
});

test('a time with an offset that no place has is refused, and one without an offset is in the zone', () => {
  for (const text of [
    '2099-01-01T00:00:00+99:00',
    '2099-01-01T00:00:00+14:01',
    '2099-01-01T00:00:00-23:00',
  ]) {
    expect(() => timeOf(text), text).toThrow('scheduled_time is not a time');
  }
  expect(timeOf('2099-01-01T14:00:00+14:00')).toBe('2099-01-01T00:00:00.000Z');
  const inTokyo = checkedTime('2099-01-01T09:00:00', 'Asia/Tokyo', now);
  expect(inTokyo.toISOString()).toBe('2099-01-01T00:00:00.000Z');
});
