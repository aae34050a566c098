import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminMember, adminMemberList, member, memberList } from '../../shared/domain/projects/model.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { messageBody } from '../../shared/kernel/wire.ts';
import { userNamed } from '../support/ids.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';

let api: Api;
let owner: Person;
let administrator: Person;

beforeAll(async () => {
  api = await startApi();
  owner = await api.makePerson({ display_name: 'Owner' });
  administrator = await api.makePerson({ system_role: 'admin' });
});
afterAll(() => api.close());

const list = async (id: string, person = owner) =>
  read(memberList, await api.as(person)(`/projects/${id}/members`));
const invite = (id: string, body: unknown, person = owner) =>
  api.as(person)(`/projects/${id}/members`, { method: 'POST', body });
const change = (id: string, username: string, body: unknown, person = owner) =>
  api.as(person)(`/projects/${id}/members/${username}`, { method: 'PATCH', body });
const remove = (id: string, username: string, person = owner) =>
  api.as(person)(`/projects/${id}/members/${username}`, { method: 'DELETE' });

describe('the members of a project', () => {
  test('are listed oldest first, each with account, role and inviter', async () => {
    const id = await api.makeProject(owner);
    const guest = await api.makePerson({ display_name: 'Guest', organization: 'Lab', avatar_key: 'owl' });
    await invite(id, { username: guest.username, role: 'editor' });
    expect(await list(id)).toEqual({
      members: [
        {
          project_id: id,
          user_id: owner.id,
          username: owner.username,
          display_name: 'Owner',
          organization: null,
          avatar_key: null,
          role: 'owner',
          status: 'active',
          invited_by_user_id: null,
          invited_by: null,
          last_accessed_at: expect.stringMatching(/Z$/),
        },
        {
          project_id: id,
          user_id: guest.id,
          username: guest.username,
          display_name: 'Guest',
          organization: 'Lab',
          avatar_key: 'owl',
          role: 'editor',
          status: 'active',
          invited_by_user_id: owner.id,
          invited_by: owner.username,
          last_accessed_at: null,
        },
      ],
      total: 2,
    });
  });

  test('who have left are shown to the owner only', async () => {
    const id = await api.makeProject(owner);
    const [left, viewer] = await Promise.all([api.makePerson(), api.makePerson()]);
    await api.addMember(id, left, 'editor', 'revoked');
    await api.addMember(id, viewer, 'viewer');
    expect((await list(id)).members.map((each) => each.status).sort()).toEqual([
      'active',
      'active',
      'revoked',
    ]);
    const seen = await list(id, viewer);
    expect(seen.members.map((each) => each.username)).toEqual([owner.username, viewer.username]);
    expect(seen.total).toBe(2);
  });
});

describe('an invite', () => {
  test('is active at once, by default with the default role of the project', async () => {
    const id = await api.makeProject(owner);
    const [one, two] = await Promise.all([api.makePerson(), api.makePerson()]);
    expect(read(member, await invite(id, { username: one.username }), 201)).toMatchObject({
      role: 'viewer',
      status: 'active',
    });
    expect((await api.as(one)(`/projects/${id}`)).status).toBe(200);
    await api.as(owner)(`/projects/${id}`, { method: 'PATCH', body: { default_role: 'editor' } });
    expect(read(member, await invite(id, { username: two.username }), 201).role).toBe('editor');
  });

  test('of an active member is 409 and changes nothing; one of many at once wins', async () => {
    const id = await api.makeProject(owner);
    const guest = await api.makePerson();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => invite(id, { username: guest.username, role: 'viewer' })),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    expectError(await invite(id, { username: guest.username, role: 'editor' }), 409, 'conflict');
    expectError(await invite(id, { username: owner.username, role: 'editor' }), 409, 'conflict');
    const roles = (await list(id)).members.map((each) => each.role);
    expect(roles).toEqual(['owner', 'viewer']);
  });

  test('revives a member who was removed, with the new role and inviter', async () => {
    const id = await api.makeProject(owner);
    const guest = await api.makePerson();
    await invite(id, { username: guest.username, role: 'editor' });
    expect((await remove(id, guest.username)).status).toBe(204);
    expect(read(member, await invite(id, { username: guest.username, role: 'viewer' }), 201)).toMatchObject({
      role: 'viewer',
      status: 'active',
    });
    expect((await api.as(guest)(`/projects/${id}`)).status).toBe(200);
    expect((await list(id)).total).toBe(2);
  });

  test('makes no owner, and needs a known user', async () => {
    const id = await api.makeProject(owner);
    expectError(await invite(id, { username: 'no-such-user', role: 'owner' }), 400, 'owner_membership');
    expectError(await invite(id, { username: 'no-such-user' }), 404, 'not_found');
    expectProblems(await invite(id, {}), [['missing', 'body', 'username']]);
    expectProblems(await invite(id, { username: 'Upper' }), [
      ['string_pattern_mismatch', 'body', 'username'],
    ]);
    expectProblems(await invite(id, { username: 'abc', role: 'king' }), [['enum', 'body', 'role']]);
  });
});

describe('a user who guesses usernames', () => {
  const guess = async (existing: number) => {
    const guesser = await api.makePerson();
    const id = await api.makeProject(guesser);
    const strangers = await Promise.all(Array.from({ length: existing }, () => api.makePerson()));
    for (let number = 0; number < 20 - existing; number += 1) {
      expectError(await invite(id, { username: `no-such-user-${number}` }, guesser), 404, 'not_found');
    }
    for (const { username } of strangers) {
      expect((await invite(id, { username }, guesser)).status).toBe(201);
    }
    return { guesser, id, strangers };
  };

  test.each([0, 3])(
    'is stopped, also if %i of the 20 existed, and then learns nothing about others',
    async (existing) => {
      const { guesser, id } = await guess(existing);
      const stranger = await api.makePerson();
      const [unknown, known] = await Promise.all([
        invite(id, { username: 'no-such-user' }, guesser),
        invite(id, { username: stranger.username }, guesser),
      ]);
      expectError(unknown, 429, 'too_many_requests');
      expectError(known, 429, 'too_many_requests');
      expect(unknown.text).toBe(known.text);
      expect(known.headers['retry-after']).toBeDefined();
      const change = (username: string) =>
        api.as(guesser)(`/projects/${id}/members/${username}`, { method: 'DELETE' });
      expect((await change(stranger.username)).text).toBe((await change('no-such-user')).text);
      const other = await api.makeProject(owner);
      expect((await invite(other, { username: stranger.username })).status).toBe(201);
    },
  );

  test('still invites those with whom a project is shared, and former members', async () => {
    const { guesser, id, strangers } = await guess(2);
    const [former, colleague] = strangers;
    if (!former || !colleague) throw new Error('the guesses made no members');
    await remove(id, former.username, guesser);
    expect((await invite(id, { username: former.username }, guesser)).status).toBe(201);
    const second = await api.makeProject(guesser);
    expect((await invite(second, { username: colleague.username }, guesser)).status).toBe(201);
    expectError(await invite(second, { username: guesser.username }, guesser), 409, 'conflict');
  });
});

describe('a member', () => {
  test('gets another role, effective at once', async () => {
    const id = await api.makeProject(owner);
    const guest = await api.makePerson();
    await api.addMember(id, guest, 'viewer');
    const makeChip = () =>
      api.as(guest, id)('/chips', { method: 'POST', body: { chip_id: 'CHIP', size: 4 } });
    expectError(await makeChip(), 403, 'forbidden');
    expect(read(member, await change(id, guest.username, { role: 'editor' })).role).toBe('editor');
    expect((await makeChip()).status).toBe(200);
  });

  test('who is not active, or no member, is 404', async () => {
    const id = await api.makeProject(owner);
    const [left, stranger] = await Promise.all([api.makePerson(), api.makePerson()]);
    await api.addMember(id, left, 'editor', 'revoked');
    for (const username of [left.username, stranger.username, 'no-such-user']) {
      expectError(await change(id, username, { role: 'viewer' }), 404, 'not_found');
      expectError(await remove(id, username), 404, 'not_found');
    }
  });

  test('loses access and a default project that points there when removed, pending ones too', async () => {
    const id = await api.makeProject(owner);
    const guest = await api.makePerson({ default_project_id: id });
    const waiting = await api.makePerson();
    await api.addMember(id, guest, 'editor');
    await api.addMember(id, waiting, 'editor', 'pending');
    const answer = await remove(id, guest.username);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expectError(await api.as(guest)(`/projects/${id}`), 403, 'forbidden');
    expect((await api.users.findOne({ _id: userNamed(guest.id) }))?.default_project_id).toBeNull();
    expectError(await api.as(guest)('/chips'), 400, 'project_required');
    expect((await remove(id, waiting.username)).status).toBe(204);
  });

  test('who owns the project is neither demoted nor removed nor added twice', async () => {
    const id = await api.makeProject(owner);
    const guest = await api.makePerson();
    await api.addMember(id, guest, 'editor');
    expectError(await change(id, owner.username, { role: 'viewer' }), 400, 'owner_membership');
    expectError(await change(id, guest.username, { role: 'owner' }), 400, 'owner_membership');
    expectError(await remove(id, owner.username), 400, 'owner_membership');
    expectProblems(await change(id, guest.username, {}), [['missing', 'body', 'role']]);
    expect((await list(id)).members.map((each) => each.role)).toEqual(['owner', 'editor']);
  });

  test('is managed by the owner alone', async () => {
    const id = await api.makeProject(owner);
    const editor = await api.makePerson();
    await api.addMember(id, editor, 'editor');
    expectError(await invite(id, {}, editor), 403, 'forbidden');
    expectError(await change(id, editor.username, {}, editor), 403, 'forbidden');
    expectError(await remove(id, editor.username, editor), 403, 'forbidden');
    expectError(await invite(id, {}, administrator), 403, 'forbidden');
  });
});

describe('administrators, without being members,', () => {
  const as = (url: string, method: 'GET' | 'POST' | 'DELETE' = 'GET', body?: unknown) =>
    api.as(administrator)(`/admin/projects/${url}`, { method, body });

  test('see the active members', async () => {
    const id = await api.makeProject(owner);
    const [left, guest] = await Promise.all([api.makePerson(), api.makePerson()]);
    await api.addMember(id, left, 'editor', 'revoked');
    await api.addMember(id, guest, 'viewer');
    const { members, total } = read(adminMemberList, await as(`${id}/members`));
    expect(members.map((each) => [each.username, each.role, each.status])).toEqual([
      [owner.username, 'owner', 'active'],
      [guest.username, 'viewer', 'active'],
    ]);
    expect(total).toBe(2);
  });

  test('add members; who is one already is 400', async () => {
    const id = await api.makeProject(owner);
    const guest = await api.makePerson();
    const add = (body: unknown) => as(`${id}/members`, 'POST', body);
    const added = await add({ username: guest.username, role: 'editor' });
    expect(read(adminMember, added, 201)).toMatchObject({ role: 'editor', status: 'active' });
    expect(Object.keys(Object(added.body)).sort()).toEqual(Object.keys(adminMember.shape).sort());
    expectError(await add({ username: guest.username }), 400, 'already_exists');
    expectError(await add({ username: owner.username }), 400, 'already_exists');
    expectError(await add({ username: guest.username, role: 'owner' }), 400, 'owner_membership');
    expectError(await add({ username: 'no-such-user' }), 404, 'not_found');
    expectProblems(await add({}), [['missing', 'body', 'username']]);
  });

  test('remove members, but not the owner', async () => {
    const id = await api.makeProject(owner);
    const guest = await api.makePerson();
    await api.addMember(id, guest, 'editor');
    const url = (username: string) => `${id}/members/${username}`;
    expect(read(messageBody, await as(url(guest.username), 'DELETE')).message).toContain(guest.username);
    expectError(await as(url(guest.username), 'DELETE'), 404, 'not_found');
    expectError(await as(url('no-such-user'), 'DELETE'), 404, 'not_found');
    expectError(await as(url(owner.username), 'DELETE'), 400, 'owner_membership');
  });

  test('get 404 for an unknown project', async () => {
    const id = newId();
    const guest = await api.makePerson();
    expectError(await as(`${id}/members`), 404, 'not_found');
    expectError(await as(`${id}/members`, 'POST', { username: guest.username }), 404, 'not_found');
    expectError(await as(`${id}/members/${guest.username}`, 'DELETE'), 404, 'not_found');
    expectError(await as(id, 'DELETE'), 404, 'not_found');
  });
});
