import { expect, test } from 'vitest';
import { throttledFor } from '../../../../shared/domain/accounts/rules.ts';

test('the tenth failure within a quarter of an hour closes the login until the first of them is old', () => {
  const now = new Date('2026-01-02T12:00:00Z');
  const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
  const failures = Array.from({ length: 10 }, (_, index) => minutesAgo(14 - index));
  expect(throttledFor(failures, now)).toBe(60_000);
  expect(throttledFor(failures.slice(1), now)).toBe(0);
  expect(throttledFor([minutesAgo(15), ...failures.slice(1)], now)).toBe(0);
  expect(throttledFor([], now)).toBe(0);
});
