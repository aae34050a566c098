import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createTokens } from '../../shared/domain/accounts/index.ts';
import { tokenResponse, user } from '../../shared/domain/accounts/model.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { userNamed } from '../support/ids.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';

let api: Api;
let person: Person;

beforeAll(async () => {
  api = await startApi();
  person = await api.makePerson({ display_name: 'A Person', default_project_id: null });
});
afterAll(() => api.close());

function login(fields: Record<string, string>, from?: string) {
  return api.call('/auth/login', {
    method: 'POST',
    text: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    ...(from && { from }),
  });
}

async function secretOfServer(): Promise<string> {
  return (await readFile(join(api.directory, 'token-secret'), 'utf8')).trim();
}

describe('login', () => {
  test('gives a token and says who it belongs to', async () => {
    const answer = await login({ username: person.username, password: person.password });
    expect(read(tokenResponse, answer)).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'bearer',
      expires_in: 43200,
      user_id: person.id,
      username: person.username,
      default_project_id: null,
      must_change_password: false,
    });
  });

  test('answers a wrong password, an unknown user and a disabled user alike', async () => {
    const disabled = await api.makePerson();
    await api.users.updateOne({ _id: userNamed(disabled.id) }, { $set: { disabled: true } });
    const wrong = await login({ username: person.username, password: 'not the password' });
    const unknown = await login({ username: 'nobody-here', password: 'not the password' });
    const off = await login({ username: disabled.username, password: disabled.password });
    expectError(wrong, 401, 'wrong_credentials');
    expect(unknown.body).toEqual(wrong.body);
    expect(off.body).toEqual(wrong.body);
  });

  test('refuses a password that only begins with the right 72 bytes', async () => {
    const password = 'p'.repeat(72);
    const long = await api.makePerson({ password });
    expect((await login({ username: long.username, password })).status).toBe(200);
    expectError(await login({ username: long.username, password: `${password}x` }), 401, 'wrong_credentials');
  });

  test('counts an empty value as missing and never repeats the password', async () => {
    expectProblems(await login({}), [
      ['missing', 'body', 'username'],
      ['missing', 'body', 'password'],
    ]);
    const answer = await login({ username: '', password: 'secret-secret' });
    expectProblems(answer, [['missing', 'body', 'username']]);
    expect(answer.text).not.toContain('secret-secret');
    expectProblems(await login({ username: 'someone', password: '' }), [['missing', 'body', 'password']]);
  });

  test('refuses a username given twice', async () => {
    const answer = await api.call('/auth/login', {
      method: 'POST',
      text: 'username=a&username=b&password=c',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expectProblems(answer, [['string_type', 'body', 'username']]);
  });

  test('takes a form, not JSON, and says so', async () => {
    const body = { username: person.username, password: person.password };
    const answer = await api.call('/auth/login', { method: 'POST', body });
    expectError(answer, 415, 'unsupported_media_type');
    expect(answer.text).toContain('Send application/x-www-form-urlencoded.');
  });

  test('takes a form in the encoding of FormData, too, where an empty value counts as missing as well', async () => {
    const send = (password: string) => {
      const field = (name: string, value: string) =>
        `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
      return api.call('/auth/login', {
        method: 'POST',
        text: `${field('username', person.username)}${field('password', password)}--x--\r\n`,
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
      });
    };
    expect(read(tokenResponse, await send(person.password)).username).toBe(person.username);
    expectError(await send('not the password'), 401, 'wrong_credentials');
    expectProblems(await send(''), [['missing', 'body', 'password']]);
  });

  test('is refused after ten failures of one username from one address', async () => {
    const target = await api.makePerson();
    const wrong = { username: target.username, password: 'wrong password' };
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expectError(await login(wrong, '10.0.0.1'), 401, 'wrong_credentials');
    }
    const right = { username: target.username, password: target.password };
    const refused = await login(right, '10.0.0.1');
    expectError(refused, 429, 'too_many_requests');
    const wait = Number(refused.headers['retry-after']);
    expect(wait).toBeGreaterThan(800);
    expect(wait).toBeLessThanOrEqual(900);
    expect((await login(right, '10.0.0.2')).status).toBe(200);
    expect((await login({ username: person.username, password: person.password }, '10.0.0.1')).status).toBe(
      200,
    );
  });

  test('lets a burst of parallel guesses through no further than a series', async () => {
    const target = await api.makePerson();
    const wrong = { username: target.username, password: 'wrong password' };
    const answers = await Promise.all(Array.from({ length: 30 }, () => login(wrong, '10.0.0.3')));
    expect(answers.filter((answer) => answer.status === 401)).toHaveLength(10);
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(20);
  });

  test('forgets failures after a success and after a quarter of an hour', async () => {
    const target = await api.makePerson();
    const wrong = { username: target.username, password: 'wrong password' };
    const right = { username: target.username, password: target.password };
    for (let attempt = 0; attempt < 9; attempt += 1) await login(wrong);
    expect((await login(right)).status).toBe(200);
    for (let attempt = 0; attempt < 10; attempt += 1) await login(wrong);
    expect((await login(right)).status).toBe(429);
    const old = new Date(Date.now() - 15 * 60_000 - 1);
    await api.database.db
      .collection('login_failures')
      .updateMany({}, { $set: { failures: Array.from({ length: 10 }, () => old) } });
    expect((await login(right)).status).toBe(200);
  });
});

describe('a token', () => {
  const me = (authorization?: string) =>
    api.call('/auth/me', authorization === undefined ? {} : { headers: { authorization } });

  test('opens GET /auth/me, in whatever case the scheme is written', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      expect(read(user, await me(`${scheme} ${person.token}`))).toEqual({
        user_id: person.id,
        username: person.username,
        display_name: 'A Person',
        organization: null,
        avatar_key: null,
        disabled: false,
        default_project_id: null,
        must_change_password: false,
        system_role: 'user',
      });
    }
  });

  test('is required: no header, another scheme and garbage are 401', async () => {
    for (const header of [undefined, '', 'Bearer', 'Basic abc', 'Bearer a.b.c', `Token ${person.token}`]) {
      expectError(await me(header), 401, 'not_authenticated');
    }
  });

  test('must be signed with the key of the service, by its algorithm, and not be expired', async () => {
    const secret = await secretOfServer();
    const account = { _id: userNamed(person.id), token_generation: 0 };
    const foreign = await createTokens(async () => 'x'.repeat(32), { lifetime: 60, idle: 60 }).issue(account);
    const expired = await createTokens(secretOfServer, { lifetime: -10, idle: 60 }).issue(account);
    const good = await createTokens(secretOfServer, { lifetime: 60, idle: 60 }).issue(account);
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${good.access_token.split('.')[1]}.`;
    const otherAlgorithm = await new SignJWT({ gen: 0 })
      .setProtectedHeader({ alg: 'HS512' })
      .setIssuer('calibron')
      .setSubject(person.id)
      .setJti(newId())
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(secret.padEnd(64, '0')));
    expect((await me(`Bearer ${good.access_token}`)).status).toBe(200);
    for (const token of [foreign.access_token, expired.access_token, unsigned, otherAlgorithm]) {
      expectError(await me(`Bearer ${token}`), 401, 'not_authenticated');
    }
  });

  test('of a disabled user is 403, of a deleted one 401', async () => {
    const leaver = await api.makePerson();
    await api.users.updateOne({ _id: userNamed(leaver.id) }, { $set: { disabled: true } });
    expectError(await me(`Bearer ${leaver.token}`), 403, 'account_disabled');
    await api.users.deleteOne({ _id: userNamed(leaver.id) });
    expectError(await me(`Bearer ${leaver.token}`), 401, 'not_authenticated');
  });

  test('can be revoked alone, or with all others of the user', async () => {
    const { users: store } = api.areas.accounts;
    const tokens = createTokens(secretOfServer, { lifetime: 60, idle: 60 });
    const owner = await api.makePerson();
    const second = await api.signIn(owner.username, owner.password);
    const claims = await tokens.read(owner.token);
    if (!claims) throw new Error('the token cannot be read');
    await store.revokeToken(claims, new Date());
    expectError(await me(`Bearer ${owner.token}`), 401, 'not_authenticated');
    expect((await me(`Bearer ${second}`)).status).toBe(200);
    await store.change(userNamed(owner.id), {}, { revokeTokens: true });
    expectError(await me(`Bearer ${second}`), 401, 'not_authenticated');
    const third = await api.signIn(owner.username, owner.password);
    expect((await me(`Bearer ${third}`)).status).toBe(200);
  });

  test('stays revoked however many tokens of the user are revoked', async () => {
    const { users: store } = api.areas.accounts;
    const owner = await api.makePerson();
    const now = new Date();
    const revoke = (token_id: string, minutes: number) =>
      store.revokeToken(
        {
          user_id: userNamed(owner.id),
          token_id,
          generation: 0,
          issued_at: now,
          expires_at: new Date(now.getTime() + minutes * 60_000),
        },
        now,
      );
    await revoke('long past', -5);
    for (let index = 0; index < 500; index += 1) await revoke(`token ${index}`, 60);
    const kept = await api.users.findOne({ _id: userNamed(owner.id) });
    expect(kept?.revoked_tokens).toHaveLength(500);
    expect(kept?.token_generation).toBe(0);
    await revoke('one too many', 60);
    expect(await api.users.findOne({ _id: userNamed(owner.id) })).toMatchObject({
      token_generation: 1,
      revoked_tokens: [],
    });
    expectError(await me(`Bearer ${owner.token}`), 401, 'not_authenticated');
  });

  test('stays valid while it is used, and not when it is unused for 12 hours', async () => {
    const owner = await api.makePerson();
    const tokens = createTokens(secretOfServer, { lifetime: 60, idle: 60 });
    const { token_id } = (await tokens.read(owner.token)) ?? { token_id: '' };
    const lastUse = async () =>
      (await api.users.findOne({ _id: userNamed(owner.id) }))?.token_uses?.[token_id];
    const useAt = (hoursAgo: number) =>
      api.users.updateOne(
        { _id: userNamed(owner.id) },
        { $set: { [`token_uses.${token_id}`]: new Date(Date.now() - hoursAgo * 3_600_000) } },
      );
    expect((await me(`Bearer ${owner.token}`)).status).toBe(200);
    expect(await lastUse()).toBeUndefined();
    await useAt(11);
    const before = Date.now();
    expect((await me(`Bearer ${owner.token}`)).status).toBe(200);
    expect((await lastUse())?.getTime()).toBeGreaterThanOrEqual(before);
    await useAt(13);
    expectError(await me(`Bearer ${owner.token}`), 401, 'not_authenticated');
  });

  test('is judged before the body and before the address of things', async () => {
    const bad = {
      method: 'POST' as const,
      text: '{"name":',
      headers: { 'content-type': 'application/json' },
    };
    expectError(await api.call('/projects', bad), 401, 'not_authenticated');
    expectError(await api.call('/projects/unknown'), 401, 'not_authenticated');
  });
});

describe('a temporary password', () => {
  test('opens everything by default', async () => {
    const newcomer = await api.makePerson({ must_change_password: true });
    expect((await api.as(newcomer)('/projects')).status).toBe(200);
  });

  test('opens only the own account where the setting asks for a change', async () => {
    const strict = await startApi({ environment: { ENFORCE_PASSWORD_CHANGE: 'true' } });
    try {
      const newcomer = await strict.makePerson({ must_change_password: true });
      expectError(await strict.as(newcomer)('/projects'), 403, 'password_change_required');
      const own = read(
        z.object({ must_change_password: z.boolean() }),
        await strict.as(newcomer)('/auth/me'),
      );
      expect(own.must_change_password).toBe(true);
    } finally {
      await strict.close();
    }
  });
});
