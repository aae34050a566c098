import { expect, test } from 'vitest';
import {
  localTime,
  shownAgo,
  shownDuration,
  shownNumber,
  shownTime,
  spoken,
} from '../../console/src/numbers.ts';

test.each([
  [31.2345, 0.8421, '31.23', '± 0.84'],
  [4.987654321, 0.000012, '4.987654', '± 0.000012'],
  [0.9991, 0.0004, '0.99910', '± 0.00040'],
  [1234.5, 123, '1235', '± 123'],
  [0.0000123, 0.0000004, '1.230e-5', '± 0.040e-5'],
  [-0.3, 0.01, '-0.300', '± 0.010'],
  [12.3456789, null, '12.346', ''],
  [12.3456789, 0, '12.346', ''],
  [0, 0.5, '0.00', '± 0.50'],
  [0, null, '0', ''],
  [Number.NaN, 1, '–', ''],
])('%d with the error %d is shown as %s %s', (value, error, shown, shownError) => {
  expect(shownNumber(value, error)).toEqual({ value: shown, error: shownError });
});

test('a screen reader hears value, error and unit', () => {
  expect(spoken(31.2345, 0.84, 'μs')).toBe('31.23 ± 0.84 μs');
  expect(spoken(31.2345, null, '')).toBe('31.235');
});

test('times are told by how long ago they were', () => {
  const now = Date.parse('2026-03-01T12:00:00Z');
  expect(shownAgo('2026-03-01T11:59:58Z', now)).toBe('now');
  expect(shownAgo('2026-03-01T11:57:00Z', now)).toBe('3 min ago');
  expect(shownAgo('2026-03-01T17:00:00Z', now)).toBe('in 5 h');
  expect(shownAgo('2026-02-20T12:00:00Z', now)).toBe('9 days ago');
  expect(shownAgo('2026-02-28T12:00:00Z', now)).toBe('1 day ago');
  expect(shownAgo('2024-02-28T12:00:00Z', now)).toBe('2 years ago');
  expect(shownTime('2026-03-01T09:05:00')).toBe('1 Mar 2026, 09:05:00');
  expect([
    shownDuration(0),
    shownDuration(0.42),
    shownDuration(12.4),
    shownDuration(125),
    shownDuration(3900),
  ]).toEqual(['0 s', '0.4 s', '12 s', '2 min 05 s', '1 h 05 min']);
});

test('a figure has times in the zone of the reader', () => {
  const time = '2026-03-01T12:34:56.789Z';
  // Without a zone, a text is read as a time of the reader's zone.
  expect(localTime(time)).not.toContain('Z');
  expect(new Date(localTime(time)).toISOString()).toBe(time);
});
