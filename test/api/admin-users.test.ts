import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { adminUser, registeredUser, userList } from '../../shared/domain/administration/model.ts';
import type { MembershipDocument } from '../../shared/domain/projects/model.ts';
import { projectList } from '../../shared/domain/projects/model.ts';
import { executionIdSchema } from '../../shared/kernel/ids.ts';
import { messageBody } from '../../shared/kernel/wire.ts';
import { userNamed } from '../support/ids.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';
import { makeLaboratory } from './laboratory.ts';

let api: Api;
let administrator: Person;

beforeAll(async () => {
  api = await startApi({ engine: 'prepared' });
  administrator = await api.makePerson({ system_role: 'admin' });
});
afterAll(() => api.close());

const ask = (url: string, person = administrator) => api.as(person)(url);
const put = (username: string, body?: unknown, person = administrator) =>
  api.as(person)(`/admin/users/${username}`, { method: 'PUT', body });
const remove = (username: string, person = administrator) =>
  api.as(person)(`/admin/users/${username}`, { method: 'DELETE' });
const giveProject = (username: string) =>
  api.as(administrator)(`/admin/users/${username}/project`, { method: 'POST' });
const register = (username: string) =>
  api.as(administrator)('/auth/register', { method: 'POST', body: { username } });
const me = (person: Person) => api.as(person)('/auth/me');

describe('the list of users', () => {
  test('is in pages by username, with the number of all', async () => {
    for (const name of ['list-c', 'list-a', 'list-b']) await api.makePerson({ username: name });
    const all = read(userList, await ask('/admin/users'));
    const names = all.users.map((each) => each.username);
    expect(names).toEqual([...names].sort());
    expect(all.total).toBe(names.length);
    const at = names.indexOf('list-a');
    const page = read(userList, await ask(`/admin/users?skip=${at}&limit=2`));
    expect(page.users.map((each) => each.username)).toEqual(['list-a', 'list-b']);
    expect(page.total).toBe(all.total);
    expect(read(userList, await ask('/admin/users?skip=9999')).users).toEqual([]);
  });

  test('shows an owned project for a user without a default one', async () => {
    const owner = await api.makePerson({ username: 'list-owner' });
    const first = await api.makeProject(owner);
    await api.makeProject(owner);
    const { users } = read(userList, await ask('/admin/users'));
    expect(users.find((each) => each.username === 'list-owner')?.default_project_id).toBe(first);
    expect(read(adminUser, await ask('/admin/users/list-owner')).default_project_id).toBeNull();
  });

  test('has bounds', async () => {
    for (const [query, type] of [
      ['skip=-1', 'greater_than_equal'],
      ['skip=x', 'int_parsing'],
      ['limit=0', 'greater_than_equal'],
      ['limit=1001', 'less_than_equal'],
    ] as const) {
      expectProblems(await ask(`/admin/users?${query}`), [[type, 'query', query.split('=')[0]]]);
    }
  });
});

describe('one user', () => {
  test('is shown with its times and nothing secret', async () => {
    const person = await api.makePerson();
    const answer = await ask(`/admin/users/${person.username}`);
    expect(read(adminUser, answer)).toMatchObject({ user_id: person.id, system_role: 'user' });
    expect(Object.keys(Object(answer.body)).sort()).toEqual(Object.keys(adminUser.shape).sort());
  });

  test('is 404 when unknown, whatever the name', async () => {
    for (const name of ['no-such-user', 'A%20B', '%24ne', 'x'.repeat(300)]) {
      expectError(await ask(`/admin/users/${name}`), 404, 'not_found');
      expectError(await put(name, {}), 404, 'not_found');
      expectError(await remove(name), 404, 'not_found');
      expectError(await giveProject(name), 404, 'not_found');
    }
  });
});

describe('changing a user', () => {
  test('sets what is given, keeps what is absent or null, clears what is blank', async () => {
    const { username } = await api.makePerson({ organization: 'Old', display_name: 'Old' });
    const before = read(adminUser, await ask(`/admin/users/${username}`));
    const given = { display_name: ' New ', organization: null, avatar_key: ' owl ' };
    const after = read(adminUser, await put(username, given));
    expect(after).toMatchObject({ display_name: 'New', organization: 'Old', avatar_key: 'owl' });
    expect(after.updated_at > before.updated_at).toBe(true);
    expect(read(adminUser, await put(username, { display_name: ' ', avatar_key: '' }))).toMatchObject({
      display_name: null,
      avatar_key: null,
      organization: 'Old',
    });
    expect(read(adminUser, await put(username))).toMatchObject({ organization: 'Old', disabled: false });
  });

  test('has bounds', async () => {
    const { username } = await api.makePerson();
    expectProblems(await put(username, { system_role: 'root' }), [['enum', 'body', 'system_role']]);
    expectProblems(await put(username, { disabled: 'perhaps' }), [['bool_parsing', 'body', 'disabled']]);
    expectProblems(await put(username, { organization: 'x'.repeat(101) }), [
      ['string_too_long', 'body', 'organization'],
    ]);
    expectProblems(await put(username, { avatar_key: 'A/b' }), [
      ['string_pattern_mismatch', 'body', 'avatar_key'],
    ]);
  });

  test('disables and enables: tokens are refused meanwhile and revoked for good', async () => {
    const person = await api.makePerson();
    expect(read(adminUser, await put(person.username, { disabled: true })).disabled).toBe(true);
    expectError(await me(person), 403, 'account_disabled');
    await expect(api.signIn(person.username, person.password)).rejects.toThrow();
    expect(read(adminUser, await put(person.username, { disabled: 'off' })).disabled).toBe(false);
    expectError(await me(person), 401, 'not_authenticated');
    const token = await api.signIn(person.username, person.password);
    expect((await me({ ...person, token })).status).toBe(200);
  });

  test('gives and takes the role of administrator at once', async () => {
    const person = await api.makePerson();
    expectError(await ask('/admin/users', person), 403, 'admin_required');
    await put(person.username, { system_role: 'admin' });
    expect((await ask('/admin/users', person)).status).toBe(200);
    expect(read(adminUser, await put(person.username, { system_role: 'user' })).system_role).toBe('user');
    expectError(await ask('/admin/users', person), 403, 'admin_required');
  });

  test('never takes from administrators their own account or role', async () => {
    const { username } = administrator;
    expectError(await put(username, { disabled: true }), 400, 'own_account');
    expectError(await put(username, { system_role: 'user' }), 400, 'own_account');
    expectError(await remove(username), 400, 'own_account');
    expect((await put(username, { system_role: 'admin', disabled: false })).status).toBe(200);
    expect((await ask('/admin/users')).status).toBe(200);
  });
});

describe('the last active administrator', () => {
  test('stays when two take the role from each other, or disable or delete each other, at the same moment', async () => {
    const alone = await startApi({ engine: 'prepared' });
    const as = (person: Person) => alone.as(person);
    const active = () => alone.users.countDocuments({ system_role: 'admin', disabled: false });
    try {
      const calls = [
        (by: Person, of: Person) =>
          as(by)(`/admin/users/${of.username}`, { method: 'PUT', body: { system_role: 'user' } }),
        (by: Person, of: Person) =>
          as(by)(`/admin/users/${of.username}`, { method: 'PUT', body: { disabled: true } }),
        (by: Person, of: Person) => as(by)(`/admin/users/${of.username}`, { method: 'DELETE' }),
      ];
      for (const [index, call] of [...calls, ...calls, ...calls].entries()) {
        const one = await alone.makePerson({ username: `one-${index}`, system_role: 'admin' });
        const two = await alone.makePerson({ username: `two-${index}`, system_role: 'admin' });
        const answers = await Promise.all([call(one, two), call(two, one), call(one, two), call(two, one)]);
        for (const { status } of answers) expect([200, 400, 401, 403, 404, 409]).toContain(status);
        expect(await active()).toBeGreaterThan(0);
        await alone.users.deleteMany({});
      }
    } finally {
      await alone.close();
    }
  });

  test('is refused with a message, and a request that died while it took a role does not block others for long', async () => {
    const alone = await startApi();
    try {
      const one = await alone.makePerson({ system_role: 'admin' });
      const two = await alone.makePerson({ system_role: 'admin' });
      const demote = () =>
        alone.as(one)(`/admin/users/${two.username}`, { method: 'PUT', body: { system_role: 'user' } });
      const leaving = (ageSeconds: number) => ({
        leaving: { id: 'dead', at: new Date(Date.now() - ageSeconds * 1000) },
      });
      await alone.users.updateOne({ _id: userNamed(one.id) }, { $set: leaving(1) });
      expectError(await demote(), 400, 'last_administrator');
      await alone.users.updateOne({ _id: userNamed(one.id) }, { $set: leaving(31) });
      expect(read(adminUser, await demote()).system_role).toBe('user');
      expect(await alone.users.findOne({ _id: userNamed(one.id) })).not.toHaveProperty('leaving');
      expect(await alone.users.findOne({ _id: userNamed(two.id) })).not.toHaveProperty('leaving');
    } finally {
      await alone.close();
    }
  });
});

describe('a default project', () => {
  test('is the oldest owned one, else a new one', async () => {
    const owner = await api.makePerson();
    const first = await api.makeProject(owner);
    await api.makeProject(owner);
    const given = read(adminUser, await giveProject(owner.username), 201);
    expect(given.default_project_id).toBe(first);
    const newcomer = await api.makePerson();
    const made = read(adminUser, await giveProject(newcomer.username), 201);
    const { projects } = read(projectList, await ask('/projects', newcomer));
    expect(projects).toMatchObject([
      { project_id: made.default_project_id, name: `${newcomer.username}'s project` },
    ]);
    const again = read(adminUser, await giveProject(newcomer.username), 201);
    expect(again.default_project_id).toBe(made.default_project_id);
  });

  test('is 400 for a user who already has one', async () => {
    const owner = await api.makePerson();
    const person = await api.makePerson({ default_project_id: await api.makeProject(owner) });
    expectError(await giveProject(person.username), 400, 'already_exists');
  });

  test('asked for many times at once is made once', async () => {
    const person = await api.makePerson();
    const answers = await Promise.all(Array.from({ length: 6 }, () => giveProject(person.username)));
    const ids = answers.map((answer) => read(adminUser, answer, 201).default_project_id);
    expect(new Set(ids).size).toBe(1);
    expect(read(projectList, await ask('/projects', person)).total).toBe(1);
    expect(await api.database.db.collection('memberships').countDocuments({ user_id: person.id })).toBe(1);
  });
});

describe('deleting a user', () => {
  test('takes projects, memberships, tokens and default projects with it', async () => {
    const leaver = await api.makePerson();
    const owned = await api.makeProject(leaver);
    const other = await api.makeProject(administrator);
    await api.addMember(other, leaver, 'editor');
    const colleague = await api.makePerson({ default_project_id: owned });
    await api.addMember(owned, colleague, 'viewer');
    expect(read(messageBody, await remove(leaver.username)).message).toContain(leaver.username);
    expectError(await me(leaver), 401, 'not_authenticated');
    expectError(await ask(`/admin/users/${leaver.username}`), 404, 'not_found');
    expectError(await ask(`/projects/${owned}`, colleague), 404, 'not_found');
    expect(read(projectList, await ask('/projects', colleague)).total).toBe(0);
    expect((await api.users.findOne({ _id: userNamed(colleague.id) }))?.default_project_id).toBeNull();
    const memberships = api.database.db.collection<MembershipDocument>('memberships');
    expect(await memberships.countDocuments({ user_id: userNamed(leaver.id) })).toBe(0);
  });

  test('leaves nothing to whoever registers the name again', async () => {
    const leaver = await api.makePerson({ system_role: 'admin', display_name: 'Old' });
    const shared = await api.makeProject(administrator);
    await api.addMember(shared, leaver, 'editor');
    await remove(leaver.username);
    const heir = read(registeredUser, await register(leaver.username));
    expect(heir).toMatchObject({ system_role: 'user', display_name: null, default_project_id: null });
    expect(heir.user_id).not.toBe(leaver.id);
    const headers = { authorization: `Bearer ${heir.access_token}` };
    expectError(await api.call(`/projects/${shared}`, { headers }), 403, 'forbidden');
    expectError(await me(leaver), 401, 'not_authenticated');
    const invited = await api.as(administrator)(`/projects/${shared}/members`, {
      method: 'POST',
      body: { username: leaver.username, role: 'viewer' },
    });
    expect(invited).toMatchObject({ status: 201, body: { user_id: heir.user_id, role: 'viewer' } });
  });

  test('is 409 while a run holds one of the projects, and changes nothing then', async () => {
    const owner = await api.makePerson();
    const free = await api.makeProject(owner);
    const held = await makeLaboratory(api, owner, await api.makePerson());
    const { execution_id } = read(z.object({ execution_id: executionIdSchema }), await held.execute());
    expect(expectError(await remove(owner.username), 409, 'project_busy')).toContain(execution_id);
    expect((await me(owner)).status).toBe(200);
    expect((await ask(`/projects/${free}`, owner)).status).toBe(200);
    await held.free();
    expect((await remove(owner.username)).status).toBe(200);
  });
});
