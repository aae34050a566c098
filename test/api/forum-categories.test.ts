import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { categoryList, category as categorySchema, post } from '../../shared/domain/forum/model.ts';
import type { ProjectId } from '../../shared/kernel/ids.ts';
import { type Api, type Call, expectError, expectProblems, type Person, read, startApi } from './harness.ts';

let api: Api;
let owner: Person;
let viewer: Person;
let project: ProjectId;

beforeAll(async () => {
  api = await startApi();
  [owner, viewer] = await Promise.all([api.makePerson(), api.makePerson()]);
});
afterAll(() => api.close());
beforeEach(async () => {
  project = await api.makeProject(owner);
  await api.addMember(project, viewer, 'viewer');
});

const ask = (person: Person, method: NonNullable<Call['method']>, url: string, body?: unknown) =>
  api.as(person, project)(url, { method, ...(body !== undefined && { body }) });
const write = (body: object) =>
  ask(viewer, 'POST', '/forum/posts', { category: 'qubit', title: 'A title', content: 'Text', ...body });

describe('categories', () => {
  const names = async (url = '/forum/categories') =>
    read(categoryList, await ask(viewer, 'GET', url)).categories.map(({ key }) => key);

  test('are there from the first look on, in order', async () => {
    const [first] = read(categoryList, await ask(viewer, 'GET', '/forum/categories')).categories;
    expect(first).toEqual({
      id: expect.any(String),
      project_id: project,
      key: 'qubit',
      name: 'Qubit Health',
      description: expect.any(String),
      color: 'success',
      icon: 'activity',
      sort_order: 10,
      is_archived: false,
    });
    expect(await names()).toEqual(['qubit', 'coupling', 'control', 'system', 'other']);
  });

  test('are made once by many first looks', async () => {
    await Promise.all(Array.from({ length: 5 }, () => names()));
    expect(await names()).toHaveLength(5);
  });

  test('are added by the owner, under a key of their own or one made of the name', async () => {
    const made = read(
      categorySchema,
      await ask(owner, 'POST', '/forum/categories', { name: ' Gate  Sets! ' }),
      201,
    );
    expect(made).toMatchObject({
      key: 'gate-sets',
      name: 'Gate  Sets!',
      color: 'neutral',
      icon: 'message-square',
      sort_order: 100,
      description: '',
    });
    await ask(owner, 'POST', '/forum/categories', { name: 'A later one' });
    expect((await names()).slice(-2)).toEqual(['gate-sets', 'a-later-one']);
    expectError(
      await ask(owner, 'POST', '/forum/categories', { name: 'x', key: 'gate-sets' }),
      409,
      'conflict',
    );
    expectProblems(await ask(owner, 'POST', '/forum/categories', { name: '量子' }), [
      ['value_error', 'body', 'name'],
    ]);
    expect((await ask(owner, 'POST', '/forum/categories', { name: 'x', key: '-x' })).status).toBe(422);
    expect((await ask(owner, 'POST', '/forum/categories', { name: 'x', color: 'pink' })).status).toBe(422);
  });

  test('are archived and restored; one always stays, and threads keep theirs', async () => {
    const { id } = read(post, await write({ category: 'other' }), 201);
    const remove = (key: string) => ask(owner, 'DELETE', `/forum/categories/${key}`);
    expect((await remove('other')).status).toBe(200);
    expect((await remove('other')).status).toBe(200);
    expect(read(post, await ask(viewer, 'GET', `/forum/posts/${id}`)).category).toBe('other');
    expectProblems(await write({ category: 'other' }), [['value_error', 'body', 'category']]);
    for (const key of ['coupling', 'control', 'system']) await remove(key);
    expectError(await remove('qubit'), 409, 'conflict');
    const patched = await ask(owner, 'PATCH', '/forum/categories/qubit', {
      is_archived: true,
      name: 'Half done',
    });
    expectError(patched, 409, 'conflict');
    const [last] = read(categoryList, await ask(owner, 'GET', '/forum/categories')).categories;
    expect(last).toMatchObject({ key: 'qubit', name: 'Qubit Health' });
    expect(await names()).toEqual(['qubit']);
    expect(await names('/forum/categories?include_archived=true')).toHaveLength(5);
    const back = { is_archived: false, name: null, description: 'Anything' };
    const restored = read(categorySchema, await ask(owner, 'PATCH', '/forum/categories/other', back));
    expect(restored).toMatchObject({ name: 'Other', description: 'Anything', is_archived: false });
    expectError(await remove('none'), 404, 'not_found');
    expectError(await ask(owner, 'PATCH', '/forum/categories/none', {}), 404, 'not_found');
  });
});

test('of requests that archive the last two categories at once, one wins', async () => {
  for (let round = 0; round < 5; round += 1) {
    const own = await api.makeProject(owner);
    const as = api.as(owner, own);
    const remove = (key: string) => as(`/forum/categories/${key}`, { method: 'DELETE' });
    await as('/forum/categories');
    for (const key of ['coupling', 'control', 'system']) await remove(key);
    const answers = await Promise.all([remove('qubit'), remove('other')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const { categories } = read(categoryList, await as('/forum/categories'));
    expect(categories).toHaveLength(1);
  }
});

test('a new category without a place comes after all others', async () => {
  const own = await api.makeProject(owner);
  const as = api.as(owner, own);
  const add = (body: object) => as('/forum/categories', { method: 'POST', body });
  await add({ name: 'Far', sort_order: 5000 });
  await add({ name: 'New' });
  const { categories } = read(categoryList, await as('/forum/categories'));
  expect(categories.slice(-2).map(({ key }) => key)).toEqual(['far', 'new']);
});
