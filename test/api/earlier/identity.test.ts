import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ProjectId } from '../../../shared/kernel/ids.ts';
import { userNamed } from '../../support/ids.ts';
import { type Api, expectError, type Person, read, startApi } from '../harness.ts';

/** An installation that trusts usernames. */
let api: Api;
let owner: Person;
let project: ProjectId;

beforeAll(async () => {
  api = await startApi({ environment: { LEGACY_AUTH: 'header' } });
  owner = await api.makePerson();
  project = await api.makeProject(owner);
  await api.as(owner, project)('/chips', { method: 'POST', body: { chip_id: 'CHIP', size: 4 } });
});
afterAll(() => api.close());

const named = (username: string) => ({ headers: { 'x-username': username } });
const account = z.object({ username: z.string() });

describe('where usernames are trusted', () => {
  test('X-Username alone names the user, in their own project', async () => {
    const me = read(account, await api.call('/api/auth/me', named(owner.username)));
    expect(me.username).toBe(owner.username);
    const chips = read(
      z.array(z.object({ chip_id: z.string() })),
      await api.call('/api/chip', named(owner.username)),
    );
    expect(chips).toEqual([{ chip_id: 'CHIP' }]);
  });

  test('a missing or unknown name is 401, and the answer says how to ask', async () => {
    for (const given of [{}, named(''), named('nobody-at-all')]) {
      const answer = await api.call('/api/auth/me', given);
      expect([answer.status, answer.body]).toMatchObject([401, { code: 'not_authenticated' }]);
      expect(answer.headers['www-authenticate']).toBe('ApiKey');
    }
  });

  test('a disabled user is 403', async () => {
    const gone = await api.makePerson();
    await api.users.updateOne({ _id: userNamed(gone.id) }, { $set: { disabled: true } });
    expectError(await api.call('/api/auth/me', named(gone.username)), 403, 'account_disabled');
  });

  test('a request without a name, where none was needed, is the user `default`, if there is one', async () => {
    expect((await api.call('/api/chip')).status).toBe(401);
    const standIn = await api.makePerson({ username: 'default' });
    await api.addMember(project, standIn, 'viewer');
    for (const url of ['/api/chip', '/api/backend', '/api/settings', '/api/executions/lock_status']) {
      expect([url, (await api.call(url)).status]).toEqual([url, 200]);
    }
    expect((await api.call('/api/chip/CHIP')).status).toBe(401);
  });

  test('a token that is presented is checked all the same', async () => {
    const other = await api.makePerson();
    const forged = { authorization: 'Bearer nonsense', 'x-username': owner.username };
    expect((await api.call('/api/auth/me', { headers: forged })).status).toBe(401);
    expectError(await api.as(other)('/api/auth/me', named(owner.username)), 403, 'forbidden');
  });

  test('permissions are those of the user who is named', async () => {
    const viewer = await api.makePerson();
    await api.addMember(project, viewer, 'viewer');
    const body = { username: 'new-colleague', password: 'long enough', full_name: 'New Colleague' };
    const register = (by: Person) => api.as(by)('/api/auth/register', { method: 'POST', body });
    expectError(await register(viewer), 403, 'admin_required');
    const administrator = await api.makePerson({ system_role: 'admin' });
    // An account is one of the current interface too, where a name alone counts for nothing.
    const nameAlone = { method: 'POST', body, ...named(administrator.username) } as const;
    expectError(await api.call('/api/auth/register', nameAlone), 401, 'not_authenticated');
    expect((await register(administrator)).body).toEqual({
      username: 'new-colleague',
      full_name: 'New Colleague',
      disabled: false,
    });
    expectError(await register(administrator), 400, 'already_exists');
  });

  test('the current interface asks for a token as ever', async () => {
    expectError(await api.call('/chips', named(owner.username)), 401, 'not_authenticated');
  });
});

test('login answers a map of texts, among them the token; a wrong password is 401', async () => {
  const login = (password: string) =>
    api.call('/api/auth/login', {
      method: 'POST',
      text: new URLSearchParams({ username: owner.username, password }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  const answer = read(z.record(z.string(), z.string()), await login(owner.password));
  expect(answer['username']).toBe(owner.username);
  const token = { authorization: `Bearer ${answer['access_token']}` };
  expect((await api.call('/api/auth/me', { headers: token })).status).toBe(200);
  expect((await api.call('/api/auth/logout', { method: 'POST', headers: token })).status).toBe(200);
  expectError(await api.call('/api/auth/me', { headers: token }), 401, 'not_authenticated');
  expectError(await login('wrong password'), 401, 'wrong_credentials');
});
