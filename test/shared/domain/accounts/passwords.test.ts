import { readFile } from 'node:fs/promises';
import { afterAll, expect, test } from 'vitest';
import { createPasswords, generatePassword } from '../../../../shared/domain/accounts/passwords.ts';
import { passwordProblem, usernamePattern } from '../../../../shared/kernel/credentials.ts';

const passwords = createPasswords();
afterAll(() => passwords.close());

test('passwords have 8 characters and at most 72 bytes', async () => {
  expect(passwordProblem('1234567')).toMatchObject({ type: 'string_too_short' });
  expect(passwordProblem('12345678')).toBeNull();
  expect(passwordProblem('😀'.repeat(7))).toMatchObject({ type: 'string_too_short' });
  expect(passwordProblem('p'.repeat(72))).toBeNull();
  expect(passwordProblem('ü'.repeat(37))).toMatchObject({ type: 'string_too_long' });
  await expect(passwords.hash('a', 'short')).rejects.toMatchObject({ code: 'invalid_input' });
  await expect(passwords.hash('a', 'p'.repeat(73))).rejects.toMatchObject({ code: 'invalid_input' });
  expect(await passwords.check('a', 'anything', null)).toBe(false);
  expect(new Set(Array.from({ length: 50 }, generatePassword)).size).toBe(50);
});

test('usernames are 3 to 64 of lower-case letters, digits and _ - .', () => {
  for (const good of ['abc', 'a.b-c_d', '0ab', 'a'.repeat(64), 'abc-', 'abc.', 'ab_', `${'a'.repeat(63)}-`])
    expect(usernamePattern.test(good)).toBe(true);
  for (const bad of ['ab', 'Abc', '.abc', '-ab', '_ab', 'a b c', 'a'.repeat(65), ''])
    expect(usernamePattern.test(bad)).toBe(false);
});

test('a password belongs to its own hash only', async () => {
  const hash = await passwords.hash('a', 'correct horse');
  expect(await passwords.check('a', 'correct horse', hash)).toBe(true);
  expect(await passwords.check('a', 'correct horses', hash)).toBe(false);
});

test('a common password is refused in any case of its letters', async () => {
  for (const common of ['password1', 'PassWord1', '12345678']) {
    await expect(passwords.hash('a', common)).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'The password should not be one of the most common passwords.',
      problems: [{ loc: ['body', 'password'] }],
    });
    await expect(passwords.hash('a', common, 'new_password')).rejects.toMatchObject({
      problems: [{ loc: ['body', 'new_password'] }],
    });
  }
});

test('a file is read while every password thread is busy', async () => {
  let open = 12;
  const checks = Array.from({ length: open }, (_, index) =>
    passwords.check(`address ${index % 3}`, 'anything', null).finally(() => {
      open -= 1;
    }),
  );
  for (let reads = 0; reads < 3; reads += 1) await readFile(new URL(import.meta.url));
  expect(open).toBeGreaterThan(8);
  expect(await Promise.all(checks)).toEqual(Array.from({ length: 12 }, () => false));
});

test('one address that guesses in bulk is refused before it fills the queue of all', async () => {
  const guesses = Array.from({ length: 60 }, () => passwords.check('guessing', 'anything', null));
  const ends = Promise.allSettled(guesses);
  expect(await passwords.check('other', 'anything', null)).toBe(false);
  const refused = (await ends).filter((end) => end.status === 'rejected');
  expect(refused.length).toBeGreaterThanOrEqual(28);
  for (const end of refused) expect(end).toMatchObject({ reason: { code: 'too_many_requests' } });
});
