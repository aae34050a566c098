import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { user } from '../../shared/domain/accounts/model.ts';
import { passwordResetAnswer, registeredUser } from '../../shared/domain/administration/model.ts';
import { project } from '../../shared/domain/projects/model.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { messageBody } from '../../shared/kernel/wire.ts';
import { buildCheckedServer } from '../support/documented-answers.ts';
import { userNamed } from '../support/ids.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';

let api: Api;
let administrator: Person;

beforeAll(async () => {
  api = await startApi();
  administrator = await api.makePerson({ system_role: 'admin' });
});
afterAll(() => api.close());

const post = (person: Person, url: string, body?: unknown) => api.as(person)(url, { method: 'POST', body });
const me = async (token: string) =>
  (await api.call('/auth/me', { headers: { authorization: `Bearer ${token}` } })).status;

function login(username: string, password: string, from?: string) {
  return api.call('/auth/login', {
    method: 'POST',
    text: new URLSearchParams({ username, password }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    ...(from && { from }),
  });
}

describe('the own profile', () => {
  const change = (person: Person, body?: unknown) => api.as(person)('/auth/me', { method: 'PATCH', body });

  test('changes what is given, clears what is null, keeps what is absent', async () => {
    const person = await api.makePerson({ organization: 'Lab' });
    const first = read(user, await change(person, { display_name: '  Ada  ', avatar_key: 'fox_1' }));
    expect(first).toMatchObject({ display_name: 'Ada', avatar_key: 'fox_1', organization: 'Lab' });
    expect(read(user, await change(person, { avatar_key: null }))).toMatchObject({
      display_name: 'Ada',
      avatar_key: null,
    });
    expect(read(user, await change(person, { display_name: '   ' })).display_name).toBeNull();
    expect(read(user, await change(person))).toMatchObject({ display_name: null, organization: 'Lab' });
    expect(read(user, await api.as(person)('/auth/me')).organization).toBe('Lab');
  });

  test('cannot change role, organization or anything else', async () => {
    const person = await api.makePerson();
    const body = { system_role: 'admin', organization: 'x', disabled: true, user_id: userNamed('y') };
    expect(read(user, await change(person, body))).toMatchObject({
      system_role: 'user',
      organization: null,
      disabled: false,
      user_id: person.id,
    });
  });

  test('has bounds', async () => {
    const person = await api.makePerson();
    expectProblems(await change(person, { display_name: 'x'.repeat(101) }), [
      ['string_too_long', 'body', 'display_name'],
    ]);
    expectProblems(await change(person, { avatar_key: '' }), [
      ['string_pattern_mismatch', 'body', 'avatar_key'],
    ]);
    expectProblems(await change(person, { avatar_key: 'A b' }), [
      ['string_pattern_mismatch', 'body', 'avatar_key'],
    ]);
    expectProblems(await change(person, { avatar_key: 'x'.repeat(65) }), [
      ['string_too_long', 'body', 'avatar_key'],
    ]);
  });
});

describe('logout', () => {
  const logout = (token?: string) =>
    api.call('/auth/logout', {
      method: 'POST',
      ...(token && { headers: { authorization: `Bearer ${token}` } }),
    });

  test('revokes the token that is presented and no other', async () => {
    const person = await api.makePerson();
    const other = await api.signIn(person.username, person.password);
    expect(read(messageBody, await logout(person.token)).message).toContain('revoked');
    expect(await me(person.token)).toBe(401);
    expect(await me(other)).toBe(200);
    expect((await logout(person.token)).status).toBe(200);
  });

  test('notes a token once, so that repeating it cannot fill the list and revoke the rest', async () => {
    const person = await api.makePerson();
    for (let time = 0; time < 3; time += 1) await logout(person.token);
    expect((await api.users.findOne({ _id: userNamed(person.id) }))?.revoked_tokens).toHaveLength(1);
  });

  test('says so when there is no token to revoke', async () => {
    expect(read(messageBody, await logout()).message).toContain('nothing was revoked');
    expect(read(messageBody, await logout('a.b.c')).message).toContain('nothing was revoked');
  });
});

describe('changing the password', () => {
  const change = (person: Person, current_password: string, new_password: string, from?: string) =>
    api.as(person)('/auth/change-password', {
      method: 'POST',
      body: { current_password, new_password },
      ...(from && { from }),
    });

  test('needs the current one, ends a temporary one and revokes every token but the one that asks', async () => {
    const person = await api.makePerson({ must_change_password: true });
    const other = await api.signIn(person.username, person.password);
    expectError(await change(person, 'not it', 'another password'), 400, 'wrong_current_password');
    expect(await me(person.token)).toBe(200);
    read(messageBody, await change(person, person.password, 'another password'));
    expect([await me(person.token), await me(other)]).toEqual([200, 401]);
    expectError(await login(person.username, person.password), 401, 'wrong_credentials');
    const again = await login(person.username, 'another password');
    expect(again).toMatchObject({ status: 200, body: { must_change_password: false } });
  });

  test('may be done again with the token that was spared, until it is logged out', async () => {
    const person = await api.makePerson();
    read(messageBody, await change(person, person.password, 'second password'));
    const newer = await api.signIn(person.username, 'second password');
    read(messageBody, await change(person, 'second password', 'third password'));
    expect([await me(person.token), await me(newer)]).toEqual([200, 401]);
    await api.as(person)('/auth/logout', { method: 'POST' });
    expect(await me(person.token)).toBe(401);
  });

  test('by an administrator spares no token', async () => {
    const person = await api.makePerson();
    read(messageBody, await change(person, person.password, 'second password'));
    const administrator = await api.makePerson({ system_role: 'admin' });
    const body = { username: person.username };
    const reset = await api.as(administrator)('/auth/reset-password', { method: 'POST', body });
    expect(reset.status).toBe(200);
    expect(await me(person.token)).toBe(401);
  });

  test('has bounds, and never repeats a password', async () => {
    const person = await api.makePerson();
    const short = await change(person, person.password, 'short');
    expectProblems(short, [['string_too_short', 'body', 'new_password']]);
    expect(short.text).not.toContain('"short"');
    expect(short.text).not.toContain(person.password);
    expectProblems(await change(person, person.password, 'ü'.repeat(37)), [
      ['string_too_long', 'body', 'new_password'],
    ]);
    expectProblems(await post(person, '/auth/change-password', {}), [
      ['missing', 'body', 'current_password'],
      ['missing', 'body', 'new_password'],
    ]);
    expect((await change(person, person.password, 'ü'.repeat(36))).status).toBe(200);
  });

  test('does not help to guess the password with a stolen token', async () => {
    const person = await api.makePerson();
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expectError(
        await change(person, 'a guess', 'another password', '10.1.0.1'),
        400,
        'wrong_current_password',
      );
    }
    const refused = await change(person, person.password, 'another password', '10.1.0.1');
    expectError(refused, 429, 'too_many_requests');
    expectError(await login(person.username, person.password, '10.1.0.1'), 429, 'too_many_requests');
  });

  test('twice at the same moment changes it once', async () => {
    const person = await api.makePerson();
    const [one, two] = await Promise.all([
      change(person, person.password, 'first password', '10.1.0.2'),
      change(person, person.password, 'second password', '10.1.0.3'),
    ]);
    expect([one.status, two.status].sort()).toEqual([200, 400]);
    const winner = one.status === 200 ? 'first password' : 'second password';
    expect((await login(person.username, winner)).status).toBe(200);
  });
});

describe('registration', () => {
  const register = (body: unknown, person = administrator) => post(person, '/auth/register', body);

  test('makes an account with a generated password of 18 characters, shown once', async () => {
    const made = read(registeredUser, await register({ username: 'new.comer', organization: ' Lab ' }));
    expect(made).toEqual({
      user_id: expect.stringMatching(/^usr_[0-9a-f]{32}$/),
      username: 'new.comer',
      display_name: null,
      organization: 'Lab',
      avatar_key: null,
      disabled: false,
      default_project_id: null,
      must_change_password: true,
      system_role: 'user',
      access_token: expect.any(String),
      initial_password: expect.stringMatching(/^[\w-]{18}$/),
    });
    expect(await me(made.access_token)).toBe(200);
    expect((await login('new.comer', made.initial_password ?? '')).status).toBe(200);
    expect((await api.as(administrator)('/admin/users/new.comer')).text).not.toContain(made.initial_password);
  });

  test('takes a given password, and does not repeat it', async () => {
    const password = 'a given password';
    const answer = await register({ username: 'given', password, display_name: 'G', avatar_key: 'g' });
    expect(read(registeredUser, answer)).toMatchObject({
      initial_password: null,
      must_change_password: true,
      display_name: 'G',
      avatar_key: 'g',
    });
    expect(answer.text).not.toContain(password);
    expect((await login('given', password)).status).toBe(200);
  });

  test('makes a default project when it is wanted', async () => {
    const made = read(
      registeredUser,
      await register({ username: 'with-project', create_default_project: true }),
    );
    const own = await api.call(`/projects/${made.default_project_id}`, {
      headers: { authorization: `Bearer ${made.access_token}` },
    });
    expect(read(project, own)).toMatchObject({
      name: "with-project's project",
      owner_user_id: made.user_id,
      default_role: 'viewer',
    });
  });

  test('of a username that is taken is 400, and one of many at once wins', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => register({ username: 'taken' })));
    const refused = answers.filter((answer) => answer.status !== 200);
    expect(refused).toHaveLength(5);
    for (const answer of refused) expectError(answer, 400, 'already_exists');
  });

  test('is 422 for a bad username or password', async () => {
    for (const username of ['ab', 'Abc', '.abc', '-abc', 'a b c', 'x'.repeat(65)]) {
      expectProblems(await register({ username }), [['string_pattern_mismatch', 'body', 'username']]);
    }
    expectProblems(await register({}), [['missing', 'body', 'username']]);
    expectProblems(await register({ username: 'good-name', password: '' }), [
      ['string_too_short', 'body', 'password'],
    ]);
    expectProblems(await register({ username: 'good-name', password: 'x'.repeat(73) }), [
      ['string_too_long', 'body', 'password'],
    ]);
  });

  test('is for administrators, whatever the body', async () => {
    const person = await api.makePerson();
    expectError(await register({ username: 'nobody' }, person), 403, 'admin_required');
    expectError(await register({}, person), 403, 'admin_required');
    expectError(
      await api.call('/auth/register', { method: 'POST', body: { username: 'nobody' } }),
      401,
      'not_authenticated',
    );
  });
});

describe('resetting a password', () => {
  const reset = (body: unknown, person = administrator) => post(person, '/auth/reset-password', body);

  test('gives a temporary one once, and revokes every token of the user', async () => {
    const person = await api.makePerson();
    const answer = read(passwordResetAnswer, await reset({ username: person.username }));
    expect(answer.initial_password).toMatch(/^[\w-]{18}$/);
    expect(await me(person.token)).toBe(401);
    expectError(await login(person.username, person.password), 401, 'wrong_credentials');
    expect(await login(person.username, answer.initial_password ?? '')).toMatchObject({
      status: 200,
      body: { must_change_password: true },
    });
  });

  test('honours a new password that is given', async () => {
    const person = await api.makePerson();
    const body = { username: person.username, new_password: 'given by hand' };
    expect(read(passwordResetAnswer, await reset(body))).toEqual({ message: expect.any(String) });
    expect((await login(person.username, 'given by hand')).status).toBe(200);
  });

  test('is 404 for an unknown user, 422 for no username or a short password, 403 for others', async () => {
    expectError(await reset({ username: 'no-such-user' }), 404, 'not_found');
    expectProblems(await reset({}), [['missing', 'body', 'username']]);
    expectProblems(await reset({ username: 'ab' }), [['string_pattern_mismatch', 'body', 'username']]);
    expectProblems(await reset({ username: administrator.username, new_password: 'short' }), [
      ['string_too_short', 'body', 'new_password'],
    ]);
    expectError(await reset({}, await api.makePerson()), 403, 'admin_required');
  });
});

describe('where a temporary password must be changed', () => {
  test('the profile, the change and logout are open, and everything else after the change', async () => {
    const strict = await startApi({ environment: { ENFORCE_PASSWORD_CHANGE: 'true' } });
    try {
      const newcomer = await strict.makePerson({ must_change_password: true });
      const as = strict.as(newcomer);
      expectError(await as('/projects'), 403, 'password_change_required');
      expect((await as('/auth/me', { method: 'PATCH', body: { display_name: 'N' } })).status).toBe(200);
      const body = { current_password: newcomer.password, new_password: 'my own password' };
      expect((await as('/auth/change-password', { method: 'POST', body })).status).toBe(200);
      const token = await strict.signIn(newcomer.username, 'my own password');
      const headers = { authorization: `Bearer ${token}` };
      expect((await strict.call('/projects', { headers })).status).toBe(200);
      expect((await strict.call('/auth/logout', { method: 'POST', headers })).status).toBe(200);
      expect((await strict.call('/projects', { headers })).status).toBe(401);
    } finally {
      await strict.close();
    }
  });
});

test('tokens stay revoked when the service starts again', async () => {
  const person = await api.makePerson();
  const kept = await api.signIn(person.username, person.password);
  await api.as(person)('/auth/logout', { method: 'POST' });
  const { settings, database, engine } = api;
  const restarted = await buildCheckedServer({
    settings,
    database,
    engine,
    log: createLog('test', 'silent'),
  });
  const status = async (token: string) =>
    (await restarted.inject({ url: '/auth/me', headers: { authorization: `Bearer ${token}` } })).statusCode;
  expect([await status(person.token), await status(kept)]).toEqual([401, 200]);
  await restarted.close();
});
