import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MembershipDocument, ProjectDocument } from '../../shared/domain/projects/model.ts';
import { memberList, project, projectList } from '../../shared/domain/projects/model.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { projectNamed, userNamed } from '../support/ids.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';

let api: Api;
let owner: Person;
let stranger: Person;

beforeAll(async () => {
  api = await startApi();
  owner = await api.makePerson();
  stranger = await api.makePerson();
});
afterAll(() => api.close());

describe('creating a project', () => {
  const create = (body: unknown, person = owner) => api.as(person)('/projects', { method: 'POST', body });

  test('makes the caller its owner and answers 201 with every field', async () => {
    const answer = await create({ name: 'First', description: 'about it', tags: ['a', 'b'], unknown: 1 });
    const made = read(project, answer, 201);
    expect(made).toEqual({
      project_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      owner_user_id: owner.id,
      owner_username: owner.username,
      name: 'First',
      description: 'about it',
      tags: ['a', 'b'],
      default_role: 'viewer',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: expect.any(String),
    });
    expect(read(project, await api.as(owner)(`/projects/${made.project_id}`))).toEqual(made);
  });

  test('sends what is not set as null or empty', async () => {
    expect(read(project, await create({ name: 'Bare' }), 201)).toMatchObject({ description: null, tags: [] });
  });

  test('is 409 when the owner has one of that name, and leaves nothing behind', async () => {
    expect((await create({ name: 'Twice' })).status).toBe(201);
    const memberships = api.database.db.collection('memberships');
    const before = await memberships.countDocuments();
    expectError(await create({ name: 'Twice' }), 409, 'conflict');
    expect(await memberships.countDocuments()).toBe(before);
    expect((await create({ name: 'Twice' }, stranger)).status).toBe(201);
  });

  test('of one name, many times at once, makes one', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => create({ name: 'At once' })));
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 409)).toHaveLength(11);
  });

  test('is 422 for fields out of bounds, and says where', async () => {
    expectProblems(await create({}), [['missing', 'body', 'name']]);
    expectProblems(await create({ name: '' }), [['string_too_short', 'body', 'name']]);
    expectProblems(await create({ name: 'x'.repeat(101) }), [['string_too_long', 'body', 'name']]);
    expectProblems(await create({ name: 7 }), [['string_type', 'body', 'name']]);
    expectProblems(await create({ name: null }), [['string_type', 'body', 'name']]);
    expectProblems(await create({ name: 'a', description: 'x'.repeat(501) }), [
      ['string_too_long', 'body', 'description'],
    ]);
    expectProblems(await create({ name: 'a', tags: 7 }), [['list_type', 'body', 'tags']]);
    expectProblems(await create({ name: 'a', tags: ['ok', 3] }), [['string_type', 'body', 'tags', 1]]);
    expect((await create({ name: 'secret-name'.repeat(20) })).text).not.toContain('secret-name');
  });

  test('needs a token', async () => {
    const answer = await api.call('/projects', { method: 'POST', body: { name: 'a' } });
    expectError(answer, 401, 'not_authenticated');
  });
});

describe('the list of projects', () => {
  test('holds those with an active membership, oldest first, and no others', async () => {
    const person = await api.makePerson();
    const first = await api.makeProject(person, 'b');
    const second = await api.makeProject(person, 'a');
    const invited = await api.makeProject(owner);
    const left = await api.makeProject(owner);
    const waiting = await api.makeProject(owner);
    await api.addMember(invited, person, 'viewer');
    await api.addMember(left, person, 'editor', 'revoked');
    await api.addMember(waiting, person, 'editor', 'pending');
    const list = read(projectList, await api.as(person)('/projects'));
    expect(list.projects.map((each) => each.project_id)).toEqual([first, second, invited]);
    expect(list.total).toBe(3);
  });

  test('is empty for a newcomer, administrators included', async () => {
    const administrator = await api.makePerson({ system_role: 'admin' });
    expect(read(projectList, await api.as(administrator)('/projects'))).toEqual({ projects: [], total: 0 });
  });

  test('needs a token', async () => {
    expectError(await api.call('/projects'), 401, 'not_authenticated');
  });
});

describe('one project', () => {
  test('is 404 when unknown, whatever its id looks like', async () => {
    for (const id of [newId(), 'not-a-uuid', '..', '%00', "';--"]) {
      expectError(await api.as(owner)(`/projects/${encodeURIComponent(id)}`), 404, 'not_found');
    }
  });

  test('is 403 for others, revoked members and system administrators', async () => {
    const id = await api.makeProject(owner);
    const administrator = await api.makePerson({ system_role: 'admin' });
    await api.addMember(id, stranger, 'editor', 'revoked');
    expectError(await api.as(stranger)(`/projects/${id}`), 403, 'forbidden');
    expectError(await api.as(administrator)(`/projects/${id}`), 403, 'forbidden');
  });

  test('is named by its path, whatever the header says', async () => {
    const id = await api.makeProject(owner);
    const other = await api.makeProject(owner);
    expect(read(project, await api.as(owner, other)(`/projects/${id}`)).project_id).toBe(id);
  });

  test('needs a token', async () => {
    expectError(await api.call(`/projects/${newId()}`), 401, 'not_authenticated');
  });
});

describe('the project of a request', () => {
  test('is the only one that the user is a member of, where nothing else is said', async () => {
    const person = await api.makePerson();
    const [only, second, closed] = [
      await api.makeProject(owner),
      await api.makeProject(owner),
      await api.makeProject(owner),
    ];
    await api.addMember(closed, person, 'viewer', 'revoked');
    expectError(await api.as(person)('/chips'), 400, 'project_required');
    await api.addMember(only, person, 'viewer');
    expect((await api.as(person)('/chips')).status).toBe(200);
    await api.addMember(second, person, 'viewer');
    expectError(await api.as(person)('/chips'), 400, 'project_required');
  });

  test('is the header, else the default, else an owned one, else 400', async () => {
    const person = await api.makePerson();
    expectError(await api.as(person)('/chips'), 400, 'project_required');
    const owned = await api.makeProject(person);
    const fallback = await api.makeProject(owner);
    const named = await api.makeProject(owner);
    await api.addMember(fallback, person, 'editor');
    await api.addMember(named, person, 'editor');
    const chipsSeenIn = async (projectId?: string) => {
      const { body } = await api.as(person, projectId)('/chips');
      return JSON.stringify(body);
    };
    for (const [id, chip] of [
      [owned, 'Owned'],
      [fallback, 'Default'],
      [named, 'Named'],
    ] as const) {
      const made = await api.as(person, id)('/chips', { method: 'POST', body: { chip_id: chip, size: 4 } });
      expect(made.status).toBe(200);
    }
    expect(await chipsSeenIn()).toContain('Owned');
    await api.users.updateOne({ _id: userNamed(person.id) }, { $set: { default_project_id: fallback } });
    expect(await chipsSeenIn()).toContain('Default');
    expect(await chipsSeenIn('')).toContain('Default');
    expect(await chipsSeenIn(named)).toContain('Named');
  });

  test('is 404 when the header or the default names none, 403 when the caller is not in it', async () => {
    const person = await api.makePerson();
    const foreign = await api.makeProject(owner);
    expectError(await api.as(person, newId())('/chips'), 404, 'not_found');
    expectError(await api.as(person, 'x/y')('/chips'), 404, 'not_found');
    expectError(await api.as(person, foreign)('/chips'), 403, 'forbidden');
    await api.users.updateOne(
      { _id: userNamed(person.id) },
      { $set: { default_project_id: projectNamed(newId()) } },
    );
    expectError(await api.as(person)('/chips'), 404, 'not_found');
  });

  test('notes when a member used it, at most once a minute', async () => {
    const id = await api.makeProject(owner);
    const memberships = api.database.db.collection<MembershipDocument>('memberships');
    const noted = async () => (await memberships.findOne({ project_id: id }))?.last_accessed_at;
    expect(await noted()).toBeNull();
    await api.as(owner, id)('/chips');
    const first = await noted();
    expect(first).toBeInstanceOf(Date);
    await api.as(owner, id)('/chips');
    expect(await noted()).toEqual(first);
    await memberships.updateOne(
      { project_id: id },
      { $set: { last_accessed_at: new Date(Date.now() - 61_000) } },
    );
    await api.as(owner, id)('/chips');
    expect((await noted())?.getTime()).toBeGreaterThanOrEqual(first?.getTime() ?? Number.NaN);
  });

  test('asks for the permission before it looks at the body', async () => {
    const id = await api.makeProject(owner);
    const viewer = await api.makePerson();
    await api.addMember(id, viewer, 'viewer');
    const body = { chip_id: 7 };
    expectError(await api.as(viewer, id)('/chips', { method: 'POST', body }), 403, 'forbidden');
    expectError(await api.as(viewer, id)('/flows', { method: 'POST', text: '{' }), 403, 'forbidden');
    expectProblems(await api.as(owner, id)('/chips', { method: 'POST', body }), [
      ['string_type', 'body', 'chip_id'],
    ]);
  });
});

describe('changing a project', () => {
  const change = (id: string, body?: unknown, person = owner) =>
    api.as(person)(`/projects/${id}`, { method: 'PATCH', body });

  test('sets what is given and keeps what is absent or null', async () => {
    const id = await api.makeProject(owner, 'Before');
    const before = read(project, await api.as(owner)(`/projects/${id}`));
    const given = { name: 'After', description: 'words', tags: ['x'], default_role: 'editor' };
    const after = read(project, await change(id, given));
    expect(after).toMatchObject({ ...given, owner_user_id: owner.id, created_at: before.created_at });
    expect(after.updated_at > before.updated_at).toBe(true);
    const kept = { name: null, tags: null, default_role: null, description: null };
    expect(read(project, await change(id, kept))).toMatchObject(given);
    expect(read(project, await change(id, { description: '' }))).toMatchObject({
      description: '',
      name: 'After',
    });
    expect(read(project, await change(id)).name).toBe('After');
  });

  test('is 409 for a name that the owner has already, and changes nothing', async () => {
    await api.makeProject(owner, 'Occupied');
    const id = await api.makeProject(owner, 'Free');
    expectError(await change(id, { name: 'Occupied', description: 'x' }), 409, 'conflict');
    expect(read(project, await api.as(owner)(`/projects/${id}`))).toMatchObject({
      name: 'Free',
      description: null,
    });
    expect((await change(id, { name: 'Free' })).status).toBe(200);
  });

  test('cannot change the owner, and has bounds', async () => {
    const id = await api.makeProject(owner);
    const body = {
      owner_user_id: userNamed(stranger.id),
      owner_username: 'x',
      project_id: 'y',
      created_at: 0,
    };
    expect(read(project, await change(id, body))).toMatchObject({ owner_user_id: owner.id, project_id: id });
    expectProblems(await change(id, { name: '' }), [['string_too_short', 'body', 'name']]);
    expectProblems(await change(id, { description: 'x'.repeat(501) }), [
      ['string_too_long', 'body', 'description'],
    ]);
    expectProblems(await change(id, { default_role: 'owner' }), [['enum', 'body', 'default_role']]);
    expectProblems(await change(id, { tags: ['x'.repeat(101)] }), [['string_too_long', 'body', 'tags', 0]]);
  });

  test('is for its owner', async () => {
    const id = await api.makeProject(owner);
    const editor = await api.makePerson();
    await api.addMember(id, editor, 'editor');
    expectError(await change(id, { name: 7 }, editor), 403, 'forbidden');
    expectError(await change(newId(), {}), 404, 'not_found');
  });
});

describe('handing a project over', () => {
  let administrator: Person;
  beforeAll(async () => {
    administrator = await api.makePerson({ system_role: 'admin' });
  });
  const hand = (id: string, username: string, person = administrator) =>
    api.as(person)(`/projects/${id}/transfer`, { method: 'POST', body: { username, role: 'viewer' } });
  const rolesIn = async (id: string, person: Person) => {
    const { members } = read(memberList, await api.as(person)(`/projects/${id}/members`));
    return Object.fromEntries(members.map((each) => [each.username, `${each.role} ${each.status}`]));
  };

  test('makes the target owner and the former owner editor', async () => {
    const heir = await api.makePerson();
    const id = await api.makeProject(owner);
    expect(read(project, await hand(id, heir.username))).toMatchObject({
      owner_user_id: heir.id,
      owner_username: heir.username,
    });
    expect(await rolesIn(id, heir)).toEqual({
      [heir.username]: 'owner active',
      [owner.username]: 'editor active',
    });
    expect((await api.as(heir)(`/projects/${id}`, { method: 'PATCH', body: {} })).status).toBe(200);
    expectError(await api.as(owner)(`/projects/${id}`, { method: 'PATCH', body: {} }), 403, 'forbidden');
    const mine = read(projectList, await api.as(heir)('/projects'));
    expect(mine.projects.map((each) => each.project_id)).toEqual([id]);
    expect((await hand(id, owner.username)).status).toBe(200);
    expect(await rolesIn(id, owner)).toEqual({
      [heir.username]: 'editor active',
      [owner.username]: 'owner active',
    });
  });

  test('revives a membership that was revoked', async () => {
    const id = await api.makeProject(owner);
    const heir = await api.makePerson();
    await api.addMember(id, heir, 'viewer', 'revoked');
    await hand(id, heir.username);
    expect(await rolesIn(id, heir)).toMatchObject({ [heir.username]: 'owner active' });
  });

  test('shows readers the old owner or the new one, never both or none', async () => {
    const heir = await api.makePerson();
    const watcher = await api.makePerson();
    const id = await api.makeProject(owner);
    await api.addMember(id, watcher, 'viewer');
    let done = false;
    const seen: string[] = [];
    const watch = async () => {
      while (!done) {
        const roles = Object.values(await rolesIn(id, watcher));
        seen.push(roles.filter((role) => role === 'owner active').join());
      }
    };
    const watching = [watch(), watch(), watch()];
    for (const { username } of [heir, owner, heir, owner, heir]) await hand(id, username);
    done = true;
    await Promise.all(watching);
    expect(new Set(seen)).toEqual(new Set(['owner active']));
  });

  test('that is cut off after the change of hands leaves nothing to mend', async () => {
    const heir = await api.makePerson();
    const id = await api.makeProject(owner);
    await api.database.db
      .collection<ProjectDocument>('projects')
      .updateOne({ _id: id }, { $set: { owner_user_id: userNamed(heir.id), owner_username: heir.username } });
    expect(await rolesIn(id, heir)).toEqual({
      [heir.username]: 'owner active',
      [owner.username]: 'editor active',
    });
    expect(
      read(projectList, await api.as(heir)('/projects')).projects.map((each) => each.project_id),
    ).toEqual([id]);
    expect((await hand(id, owner.username)).status).toBe(200);
    expect(await rolesIn(id, heir)).toEqual({
      [heir.username]: 'editor active',
      [owner.username]: 'owner active',
    });
  });

  test('is 400 to its owner, 404 for an unknown project or user, 409 for a name that is taken', async () => {
    const heir = await api.makePerson();
    const id = await api.makeProject(owner, 'Same name');
    await api.makeProject(heir, 'Same name');
    expectError(await hand(id, owner.username), 400, 'already_exists');
    expectError(await hand(newId(), heir.username), 404, 'not_found');
    expectError(await hand(id, 'no-such-user'), 404, 'not_found');
    expectError(await hand(id, heir.username), 409, 'conflict');
    expect(await rolesIn(id, owner)).toEqual({ [owner.username]: 'owner active' });
    expectProblems(await hand(id, 'A'), [['string_pattern_mismatch', 'body', 'username']]);
    const gone = await api.makePerson({ username: 'gone-user' });
    await api.users.updateOne({ _id: userNamed(gone.id) }, { $set: { disabled: true } });
    expectError(await hand(id, gone.username), 409, 'conflict');
  });

  test('is for system administrators, not for the owner', async () => {
    const id = await api.makeProject(owner);
    expectError(await hand(id, stranger.username, owner), 403, 'admin_required');
  });
});
