import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { derivedId, isUuid, keyOf, newId } from '../../../shared/kernel/ids.ts';
import { createLog } from '../../../shared/kernel/log.ts';
import { calendarDay, elapsedText, secondsBetween } from '../../../shared/kernel/time.ts';

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

test('derived ids are UUIDs that follow from their source alone', () => {
  const source = newId();
  expect(isUuid(derivedId(source, 'a'))).toBe(true);
  expect(derivedId(source, 'a')).toBe(derivedId(source, 'a'));
  expect(derivedId(source, 'a')).not.toBe(derivedId(source, 'b'));
  expect(keyOf('p', 'c', 1)).toBe('p/c/1');
});

test('secrets never reach the log', () => {
  let text = '';
  const log = createLog(
    'test',
    'info',
    new Writable({
      write: (chunk, _encoding, done) => {
        text += chunk;
        done();
      },
    }),
  );
  log.info(
    { password: 'hunter2', request: { authorization: 'Bearer abc', body: { token: 'xyz' } } },
    'hello',
  );
  expect(text).toContain('hello');
  for (const secret of ['hunter2', 'Bearer abc', 'xyz']) expect(text).not.toContain(secret);
});
