import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tokenResponse } from '../../shared/domain/accounts/model.ts';
import {
  newSecondFactor,
  recoveryCodes,
  secondFactorStatus,
} from '../../shared/domain/accounts/second-factor-model.ts';
import { type Api, expectError, type Person, read, startApi } from './harness.ts';

let api: Api;
let administrator: Person;

beforeAll(async () => {
  api = await startApi({ environment: { ADMIN_SECOND_FACTOR: 'required' } });
  administrator = await api.makePerson({ system_role: 'admin' });
});
afterAll(() => api.close());

const post = (person: Person, url: string, body?: unknown) => api.as(person)(url, { method: 'POST', body });

function login(person: Person, otp?: string, password = person.password) {
  return api.call('/auth/login', {
    method: 'POST',
    text: new URLSearchParams({ username: person.username, password, ...(otp && { otp }) }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
}

const codeAt = (secret: string, timestamp: number) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });

/**
 * Gives a person a second factor, confirmed with the code of this period. A code stays valid for one
 * period after its own, so a slow answer does not make it wrong.
 */
async function addFactor(person: Person): Promise<{ secret: string; codes: string[] }> {
  const asked = await post(person, '/auth/second-factor', { current_password: person.password });
  const { secret, uri } = read(newSecondFactor, asked);
  expect(uri).toContain(`otpauth://totp/Calibron:${person.username}?`);
  const otp = codeAt(secret, Date.now());
  const confirmed = await post(person, '/auth/second-factor/confirm', { otp });
  return { secret, codes: read(recoveryCodes, confirmed).recovery_codes };
}

test('a sign-in needs a code once the factor is confirmed, and takes each code once', async () => {
  const person = await api.makePerson();
  const asked = await post(person, '/auth/second-factor', { current_password: person.password });
  read(newSecondFactor, asked);
  expect((await login(person)).status).toBe(200);
  const { secret } = await addFactor(person);
  expectError(await login(person), 401, 'second_factor_required');
  expectError(await login(person, '000000x'), 401, 'wrong_credentials');
  const nextCode = codeAt(secret, Date.now() + 30_000);
  expectError(await login(person, nextCode, 'another password'), 401, 'wrong_credentials');
  read(tokenResponse, await login(person, `${nextCode.slice(0, 3)} ${nextCode.slice(3)}`));
  expectError(await login(person, nextCode), 401, 'wrong_credentials');
});

test('a recovery code replaces a code once', async () => {
  const person = await api.makePerson();
  const { codes } = await addFactor(person);
  expect(new Set(codes).size).toBe(10);
  const [first = ''] = codes;
  read(tokenResponse, await login(person, first.toUpperCase()));
  expectError(await login(person, first), 401, 'wrong_credentials');
  const status = read(secondFactorStatus, await api.as(person)('/auth/second-factor'));
  expect(status).toEqual({ enabled: true, recovery_codes_left: 9 });
});

test('wrong codes are limited for a user, whatever address they come from', async () => {
  const person = await api.makePerson();
  const { codes } = await addFactor(person);
  for (let guess = 0; guess < 10; guess += 1) {
    const body = { current_password: person.password, otp: `${guess}` };
    expectError(await post(person, '/auth/second-factor/remove', body), 400, 'wrong_current_password');
  }
  expectError(await login(person, codes[0]), 429, 'too_many_requests');
});

test('a factor is removed with password and code, or by an administrator', async () => {
  const person = await api.makePerson();
  const { codes } = await addFactor(person);
  const again = await post(person, '/auth/second-factor', { current_password: person.password });
  expectError(again, 409, 'conflict');
  const [otp = ''] = codes;
  const wrong = { current_password: 'another password', otp };
  expectError(await post(person, '/auth/second-factor/remove', wrong), 400, 'wrong_current_password');
  const removal = { current_password: person.password, otp };
  expect((await post(person, '/auth/second-factor/remove', removal)).status).toBe(200);
  expect((await login(person)).status).toBe(200);
  await addFactor(person);
  await addFactor(administrator);
  const reset = { username: person.username };
  expect((await post(administrator, '/auth/reset-second-factor', reset)).status).toBe(200);
  expect((await login(person)).status).toBe(200);
});

test('where the setting asks for it, an administrator without a second factor is none', async () => {
  const other = await api.makePerson({ system_role: 'admin' });
  const refused = await api.as(other)('/admin/users');
  expect(expectError(refused, 403, 'admin_required')).toContain('POST /auth/second-factor');
  await addFactor(other);
  expect((await api.as(other)('/admin/users')).status).toBe(200);
});

test('without the setting, an administrator needs none', async () => {
  const open = await startApi();
  const other = await open.makePerson({ system_role: 'admin' });
  expect((await open.as(other)('/admin/users')).status).toBe(200);
  await open.close();
});

test('shared files and foreign comments are closed to an administrator without a factor as well', async () => {
  const plain = await api.makePerson({ system_role: 'admin' });
  const write = (person: Person) =>
    api.as(person)('/files/content', { method: 'PUT', body: { path: 'metrics.yaml', content: 'a: 1' } });
  expectError(await write(plain), 403, 'admin_required');
  await addFactor(plain);
  expect((await write(plain)).status).not.toBe(403);
});
