import { expect, test } from 'vitest';
import {
  checkPassword,
  generatePassword,
  hashPassword,
} from '../../../../shared/domain/accounts/passwords.ts';
import { passwordProblem, usernamePattern } from '../../../../shared/kernel/credentials.ts';

test('passwords have 8 characters and at most 72 bytes', async () => {
  expect(passwordProblem('1234567')).toMatchObject({ type: 'string_too_short' });
  expect(passwordProblem('12345678')).toBeNull();
  expect(passwordProblem('😀'.repeat(7))).toMatchObject({ type: 'string_too_short' });
  expect(passwordProblem('p'.repeat(72))).toBeNull();
  expect(passwordProblem('ü'.repeat(37))).toMatchObject({ type: 'string_too_long' });
  await expect(hashPassword('short')).rejects.toMatchObject({ code: 'invalid_input' });
  await expect(hashPassword('p'.repeat(73))).rejects.toMatchObject({ code: 'invalid_input' });
  expect(await checkPassword('anything', null)).toBe(false);
  expect(new Set(Array.from({ length: 50 }, generatePassword)).size).toBe(50);
});

test('usernames are 3 to 64 of lower-case letters, digits and _ - .', () => {
  for (const good of ['abc', 'a.b-c_d', '0ab', 'a'.repeat(64), 'abc-', 'abc.', 'ab_', `${'a'.repeat(63)}-`])
    expect(usernamePattern.test(good)).toBe(true);
  for (const bad of ['ab', 'Abc', '.abc', '-ab', '_ab', 'a b c', 'a'.repeat(65), ''])
    expect(usernamePattern.test(bad)).toBe(false);
});
