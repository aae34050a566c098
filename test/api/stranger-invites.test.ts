import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminMemberList, member, memberList, projectList } from '../../shared/domain/projects/model.ts';
import type { UserId } from '../../shared/kernel/ids.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { type Api, expectError, type Person, read, startApi } from './harness.ts';

let api: Api;
let owner: Person;
let administrator: Person;

beforeAll(async () => {
  api = await startApi({ environment: { INVITE_STRANGERS: 'concealed' } });
  owner = await api.makePerson();
  administrator = await api.makePerson({ system_role: 'admin' });
});
afterAll(() => api.close());

/** Whether an id looks like that of an account. */
const isUserId = ({ user_id }: { user_id: UserId }) => /^usr_[0-9a-f]{32}$/.test(user_id);

const list = async (id: string, person: Person) =>
  read(memberList, await api.as(person)(`/projects/${id}/members`));
const invite = (id: string, body: unknown, person: Person) =>
  api.as(person)(`/projects/${id}/members`, { method: 'POST', body });
const change = (id: string, username: string, body: unknown, person: Person) =>
  api.as(person)(`/projects/${id}/members/${username}`, { method: 'PATCH', body });
const remove = (id: string, username: string, person: Person) =>
  api.as(person)(`/projects/${id}/members/${username}`, { method: 'DELETE' });

describe('where strangers are concealed, a user who guesses usernames', () => {
  const guess = async (existing: number) => {
    const guesser = await api.makePerson();
    const id = await api.makeProject(guesser);
    const strangers = await Promise.all(Array.from({ length: existing }, () => api.makePerson()));
    for (let number = 0; number < 20 - existing; number += 1) {
      expect((await invite(id, { username: `no-such-user-${number}` }, guesser)).status).toBe(201);
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
      expect((await invite(other, { username: stranger.username }, owner)).status).toBe(201);
    },
  );

  test('sees the same of an account, of a name without one, and of what became of either', async () => {
    const guesser = await api.makePerson();
    const stranger = await api.makePerson({
      display_name: 'Stranger',
      organization: 'Lab',
      avatar_key: 'owl',
    });
    const names = [stranger.username, `user-${newId().slice(0, 8)}`];
    const [id, second] = [await api.makeProject(guesser), await api.makeProject(guesser)];
    /** What is shown of a name in the list, with what is random or the name itself replaced. */
    const row = async (username: string, project = id) => {
      const { members } = await list(project, guesser);
      return members
        .filter((each) => each.username === username)
        .map((each) => ({ ...each, user_id: typeof each.user_id, username: '' }));
    };
    const seen = [];
    for (const username of names) {
      const answer = read(member, await invite(id, { username, role: 'editor' }, guesser), 201);
      const again = await invite(id, { username }, guesser);
      const elsewhere = read(member, await invite(second, { username }, guesser), 201);
      const assigned = await api.as(guesser, id)('/forum/posts', {
        method: 'POST',
        body: { title: 'T', content: 'C', category: 'discussion', assignee_username: username },
      });
      const changed = read(member, await change(id, username, { role: 'viewer' }, guesser));
      const listed = await row(username);
      const removed = await remove(id, username, guesser);
      const revoked = await row(username);
      const revived = read(member, await invite(id, { username }, guesser), 201);
      seen.push({
        answer: { ...answer, user_id: isUserId(answer), username: '' },
        repeated: [again.status, again.text],
        isOtherId: elsewhere.user_id !== answer.user_id,
        isSameId: [changed, revived].map((each) => each.user_id === answer.user_id),
        assigned: [assigned.status, assigned.text],
        listed,
        removed: [removed.status, removed.text],
        revoked,
        revived: { ...revived, user_id: isUserId(revived), username: '' },
      });
    }
    expect(seen[0]).toEqual(seen[1]);
    expect(seen[0]?.answer).toMatchObject({
      user_id: true,
      status: 'active',
      role: 'editor',
      display_name: null,
    });
    expect(seen[0]?.repeated[0]).toBe(409);
  });

  test('learns who a stranger is when that person enters the project, who could do so at once', async () => {
    const guesser = await api.makePerson();
    const stranger = await api.makePerson({ display_name: 'Stranger' });
    const id = await api.makeProject(guesser);
    await invite(id, { username: stranger.username, role: 'editor' }, guesser);
    const mine = read(projectList, await api.as(stranger)('/projects'));
    expect(mine.projects.map((each) => each.project_id)).toEqual([id]);
    const shown = async () => (await list(id, guesser)).members.find((each) => each.role === 'editor');
    expect(await shown()).toMatchObject({ display_name: null, last_accessed_at: null });
    expect((await shown())?.user_id).not.toBe(stranger.id);
    expect((await api.as(stranger, id)('/chips')).status).toBe(200);
    expect(await shown()).toMatchObject({ display_name: 'Stranger', user_id: stranger.id });
  });

  test('sees no change when the account of a stranger is deleted, and the name inherits nothing', async () => {
    const guesser = await api.makePerson();
    const stranger = await api.makePerson();
    const { username } = stranger;
    const id = await api.makeProject(guesser);
    await invite(id, { username }, guesser);
    const before = await list(id, guesser);
    const deleted = await api.as(administrator)(`/admin/users/${username}`, { method: 'DELETE' });
    expect(deleted.status).toBe(200);
    expect(await list(id, guesser)).toMatchObject({ ...before, members: [{}, before.members[1]] });
    const heir = await api.makePerson({ username });
    expectError(await api.as(heir)(`/projects/${id}`), 403, 'forbidden');
  });

  test('gives nothing to an account made later under an invited name, until it is invited again', async () => {
    const guesser = await api.makePerson();
    const username = `user-${newId().slice(0, 8)}`;
    const id = await api.makeProject(guesser);
    const first = read(member, await invite(id, { username, role: 'editor' }, guesser), 201);
    const later = await api.makePerson({ username });
    expectError(await api.as(later)(`/projects/${id}`), 403, 'forbidden');
    const listed = async () => (await list(id, guesser)).members.filter((each) => each.username === username);
    expect(await listed()).toEqual([first]);
    expectError(await invite(id, { username }, guesser), 409, 'conflict');
    expect(await listed()).toEqual([first]);
    expect((await api.as(later)(`/projects/${id}`)).status).toBe(200);
    expect((await listed()).map((each) => [each.user_id, each.role])).toEqual([[later.id, 'editor']]);
    const { members } = read(adminMemberList, await api.as(administrator)(`/admin/projects/${id}/members`));
    expect(members).toHaveLength(2);
  });

  test('invites of names without an account are no members for administrators', async () => {
    const guesser = await api.makePerson();
    const id = await api.makeProject(guesser);
    await invite(id, { username: 'no-such-user' }, guesser);
    const { members } = read(adminMemberList, await api.as(administrator)(`/admin/projects/${id}/members`));
    expect(members.map((each) => each.username)).toEqual([guesser.username]);
  });

  test('still invites those with whom a project is shared, and former members', async () => {
    const { guesser, id, strangers } = await guess(2);
    const [former, colleague] = strangers;
    if (!former || !colleague) throw new Error('the guesses made no members');
    for (const each of [former, colleague]) expect((await api.as(each)(`/projects/${id}`)).status).toBe(200);
    await remove(id, former.username, guesser);
    expect((await invite(id, { username: former.username }, guesser)).status).toBe(201);
    const second = await api.makeProject(guesser);
    expect((await invite(second, { username: colleague.username }, guesser)).status).toBe(201);
    expectError(await invite(second, { username: guesser.username }, guesser), 409, 'conflict');
  });
});

test('where strangers are not invited, an account looks like an unknown username unless a project is shared', async () => {
  const closed = await startApi({ environment: { INVITE_STRANGERS: 'off' } });
  try {
    const [inviter, stranger, colleague] = await Promise.all([
      closed.makePerson(),
      closed.makePerson(),
      closed.makePerson(),
    ]);
    const [id, common] = [await closed.makeProject(inviter), await closed.makeProject(colleague)];
    const add = (username: string) =>
      closed.as(inviter)(`/projects/${id}/members`, { method: 'POST', body: { username } });
    const [known, unknown] = [await add(stranger.username), await add('no-such-user')];
    expectError(known, 404, 'not_found');
    expect(known.text).toBe(unknown.text);
    expectError(await add(colleague.username), 404, 'not_found');
    await closed.addMember(common, inviter, 'viewer');
    expect((await add(colleague.username)).status).toBe(201);
  } finally {
    await closed.close();
  }
});
