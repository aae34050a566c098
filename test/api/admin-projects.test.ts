import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { adminProjectList, projectList } from '../../shared/domain/projects/model.ts';
import { executionIdSchema } from '../../shared/kernel/ids.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { messageBody } from '../../shared/kernel/wire.ts';
import { userNamed } from '../support/ids.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';
import { makeLaboratory } from './laboratory.ts';

let api: Api;
let administrator: Person;
let owner: Person;
let viewer: Person;

beforeAll(async () => {
  api = await startApi({ engine: 'prepared' });
  administrator = await api.makePerson({ system_role: 'admin' });
  [owner, viewer] = await Promise.all([api.makePerson(), api.makePerson()]);
});
afterAll(() => api.close());

describe('the list of all projects', () => {
  const list = (query = '', person = administrator) => api.as(person)(`/admin/projects${query}`);

  test('is in pages, oldest first, each with the number of its active members', async () => {
    const first = await api.makeProject(owner, 'List one');
    const second = await api.makeProject(owner, 'List two');
    const left = await api.makePerson();
    await api.addMember(second, viewer, 'viewer');
    await api.addMember(second, left, 'editor', 'revoked');
    const all = read(adminProjectList, await list());
    const at = all.projects.findIndex((each) => each.project_id === first);
    const page = read(adminProjectList, await list(`?skip=${at}&limit=2`));
    expect(page).toEqual({
      projects: [
        {
          project_id: first,
          name: 'List one',
          owner_user_id: userNamed(owner.id),
          owner_username: owner.username,
          description: null,
          member_count: 1,
          created_at: expect.stringMatching(/Z$/),
        },
        expect.objectContaining({ project_id: second, member_count: 2 }),
      ],
      total: all.total,
    });
    expect(all.total).toBe(all.projects.length);
  });

  test('has bounds and is for administrators', async () => {
    expectProblems(await list('?skip=-1'), [['greater_than_equal', 'query', 'skip']]);
    expectProblems(await list('?limit=0'), [['greater_than_equal', 'query', 'limit']]);
    expectProblems(await list('?limit=1001'), [['less_than_equal', 'query', 'limit']]);
    expectError(await list('?limit=0', owner), 403, 'admin_required');
  });
});

describe('deleting a project', () => {
  const remove = (id: string, person = owner) => api.as(person)(`/projects/${id}`, { method: 'DELETE' });
  const removeAsAdministrator = (id: string, person = administrator) =>
    api.as(person)(`/admin/projects/${id}`, { method: 'DELETE' });

  test('by its owner is 204, and the project is 404 for everyone from then on', async () => {
    const id = await api.makeProject(owner, 'Used again');
    await api.addMember(id, viewer, 'viewer');
    await api.users.updateMany(
      { _id: { $in: [userNamed(owner.id), userNamed(viewer.id)] } },
      { $set: { default_project_id: id } },
    );
    const answer = await remove(id);
    expect([answer.status, answer.text]).toEqual([204, '']);
    for (const person of [owner, viewer]) {
      expectError(await api.as(person)(`/projects/${id}`), 404, 'not_found');
      expectError(await api.as(person, id)('/chips'), 404, 'not_found');
      const mine = read(projectList, await api.as(person)('/projects')).projects;
      expect(mine.map((each) => each.project_id)).not.toContain(id);
      expect((await api.users.findOne({ _id: userNamed(person.id) }))?.default_project_id).toBeNull();
    }
    expectError(await api.as(administrator)(`/admin/projects/${id}/members`), 404, 'not_found');
    expectError(await remove(id), 404, 'not_found');
    expect((await api.as(owner)('/projects', { method: 'POST', body: { name: 'Used again' } })).status).toBe(
      201,
    );
  });

  test('by an administrator is 200 with its name, but not for the own project', async () => {
    const id = await api.makeProject(owner, 'By decree');
    expect(read(messageBody, await removeAsAdministrator(id)).message).toContain('By decree');
    expectError(await api.as(owner)(`/projects/${id}`), 404, 'not_found');
    const own = await api.makeProject(administrator);
    expectError(await removeAsAdministrator(own), 400, 'bad_request');
    expect((await remove(own, administrator)).status).toBe(204);
  });

  test('is 409 while a run holds it, and names the run', async () => {
    const laboratory = await makeLaboratory(api, owner, viewer);
    const { execution_id } = read(z.object({ execution_id: executionIdSchema }), await laboratory.execute());
    for (const answer of [
      await remove(laboratory.project),
      await removeAsAdministrator(laboratory.project),
    ]) {
      expect(expectError(answer, 409, 'project_busy')).toContain(execution_id);
    }
    expect((await laboratory.as('/chips')).status).toBe(200);
    await laboratory.free();
    expect((await remove(laboratory.project)).status).toBe(204);
  });

  test('many concurrent requests take effect once, and no permitted one is refused', async () => {
    const id = await api.makeProject(owner);
    const answers = await Promise.all(Array.from({ length: 5 }, () => remove(id)));
    for (const { status } of answers) expect([204, 404]).toContain(status);
    expect(answers.some(({ status }) => status === 204)).toBe(true);
  });

  test('takes an empty JSON body, and is 503 while the engine is away', async () => {
    const id = await api.makeProject(owner);
    const away = await startApi({ environment: { TEMPORAL_ADDRESS: '127.0.0.1:1' } });
    try {
      const person = await away.makePerson();
      const own = await away.makeProject(person);
      const refused = await away.as(person)(`/projects/${own}`, { method: 'DELETE' });
      expectError(refused, 503, 'engine_unavailable');
      expect((await away.as(person)(`/projects/${own}`)).status).toBe(200);
    } finally {
      await away.close();
    }
    const answer = await api.as(owner)(`/projects/${id}`, { method: 'DELETE', body: {} });
    expect(answer.status).toBe(204);
  });

  test('is for the owner, or an administrator by the other address', async () => {
    const id = await api.makeProject(owner);
    const editor = await api.makePerson();
    await api.addMember(id, editor, 'editor');
    expectError(await remove(id, editor), 403, 'forbidden');
    expectError(await remove(id, administrator), 403, 'forbidden');
    expectError(await removeAsAdministrator(id, owner), 403, 'admin_required');
    expectError(await remove(newId()), 404, 'not_found');
  });
});
