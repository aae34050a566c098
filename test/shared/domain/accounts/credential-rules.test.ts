import { expect, test } from 'vitest';
import {
  fitsBcrypt,
  passwordProblem,
  usernamePattern,
} from '../../../../shared/domain/accounts/credential-rules.ts';

test('a username has 3 to 64 of a-z, 0-9 and ._-, and starts with a letter or digit', () => {
  for (const name of ['abc', '0.b', 'a_-', 'x'.repeat(64)])
    expect(usernamePattern.test(name), name).toBe(true);
  for (const name of ['ab', '.ab', '_ab', 'Abc', 'aBc', 'a b', 'x'.repeat(65), ' abc', 'abc '])
    expect(usernamePattern.test(name), name).toBe(false);
});

test('a password has as many characters as required, and no more bytes than bcrypt reads', () => {
  expect(passwordProblem('12345678')).toBeNull();
  expect(passwordProblem('1234567')).toEqual({
    type: 'string_too_short',
    rule: 'should have at least 8 characters',
  });
  expect(passwordProblem('12345678', 9)).toEqual({
    type: 'string_too_short',
    rule: 'should have at least 9 characters',
  });
  expect(passwordProblem('😀'.repeat(7))?.type).toBe('string_too_short');
  expect(passwordProblem('x'.repeat(72))).toBeNull();
  const tooLong = { type: 'string_too_long', rule: 'should have at most 72 bytes' };
  expect(passwordProblem('x'.repeat(73))).toEqual(tooLong);
  expect(passwordProblem('😀'.repeat(19))).toEqual(tooLong);
  expect([fitsBcrypt('x'.repeat(72)), fitsBcrypt('x'.repeat(73))]).toEqual([true, false]);
});
