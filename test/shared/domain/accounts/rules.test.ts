import { expect, test } from 'vitest';
import {
  isActiveAdministrator,
  judgeProgramToken,
  throttledFor,
  trimmedOrNull,
} from '../../../../shared/domain/accounts/rules.ts';

test('the tenth failure within a quarter of an hour closes the login until the first of them is old', () => {
  const now = new Date('2026-01-02T12:00:00Z');
  const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
  const failures = Array.from({ length: 10 }, (_, index) => minutesAgo(14 - index));
  expect(throttledFor(failures, now)).toBe(60_000);
  expect(throttledFor(failures.slice(1), now)).toBe(0);
  expect(throttledFor([minutesAgo(15), ...failures.slice(1)], now)).toBe(0);
  expect(throttledFor([], now)).toBe(0);
});

test('a text of white space is none', () => {
  expect([' a ', ' ', '', null].map(trimmedOrNull)).toEqual(['a', null, null, null]);
});

test('administrators administer unless they are disabled', () => {
  const roles = ['admin', 'user'] as const;
  const of = (disabled: boolean) =>
    roles.map((system_role) => isActiveAdministrator({ system_role, disabled }));
  expect(of(false)).toEqual([true, false]);
  expect(of(true)).toEqual([false, false]);
});

test("a program's token counts until the account is disabled or its tokens are revoked", () => {
  const judged = (generation: number, user: Partial<Parameters<typeof judgeProgramToken>[0]> = {}) =>
    judgeProgramToken({ disabled: false, ...user }, { generation });
  expect(judged(0)).toBe('accepted');
  expect(judged(1)).toBe('revoked');
  expect(judged(1, { program_generation: 1 })).toBe('accepted');
  expect(judged(0, { program_generation: 1 })).toBe('revoked');
  expect(judged(0, { disabled: true })).toBe('disabled');
});
