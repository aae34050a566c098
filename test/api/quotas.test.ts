import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type Api, expectError, type Person, read, startApi } from './harness.ts';

let api: Api;
let person: Person;

beforeAll(async () => {
  api = await startApi({
    environment: {
      PROJECTS_PER_USER: '2',
      CHIPS_PER_PROJECT: '2',
      FORUM_POSTS_PER_PROJECT: '2',
      FORUM_CATEGORIES_PER_PROJECT: '6',
      RATE_LIMIT_USER: '60',
      RATE_LIMIT_TOKEN: '50',
    },
  });
  person = await api.makePerson();
});
afterAll(() => api.close());

test('a user owns so many projects', async () => {
  await api.makeProject(person);
  const project = await api.makeProject(person);
  const more = () => api.as(person)('/projects', { method: 'POST', body: { name: 'one more' } });
  expect(expectError(await more(), 409, 'quota_exceeded')).toBe(
    'This user has 2 projects; the limit is 2. Delete what is not needed, or ask an operator to raise PROJECTS_PER_USER.',
  );
  await api.areas.projects.hide(project);
  expect((await more()).status).toBe(201);
});

test('a project has so many chips', async () => {
  const owner = await api.makePerson();
  const as = api.as(owner, await api.makeProject(owner));
  const make = (chip_id: string) => as('/chips', { method: 'POST', body: { chip_id, size: 4 } });
  for (const chip of ['A', 'B']) expect((await make(chip)).status).toBe(200);
  expect(expectError(await make('C'), 409, 'quota_exceeded')).toContain(
    'This project has 2 chips; the limit is 2.',
  );
});

test('the forum of a project has so many posts, deleted ones and replies included, and so many categories', async () => {
  const owner = await api.makePerson();
  const as = api.as(owner, await api.makeProject(owner));
  const post = (url: string, body: object) => as(url, { method: 'POST', body });
  const thread = { category: 'qubit', title: 'T', content: 'x' };
  const begun = await post('/forum/posts', thread);
  const { id } = read(z.object({ id: z.string() }), begun, 201);
  expect((await post('/forum/posts', { ...thread, parent_id: id })).status).toBe(201);
  await as(`/forum/posts/${id}`, { method: 'DELETE' });
  expect(expectError(await post('/forum/posts', thread), 409, 'quota_exceeded')).toContain(
    'This project has 2 forum posts; the limit is 2.',
  );
  expect((await post('/forum/categories', { name: 'sixth' })).status).toBe(201);
  expect(expectError(await post('/forum/categories', { name: 'seventh' }), 409, 'quota_exceeded')).toContain(
    'This project has 6 categories; the limit is 6.',
  );
});

test('a user makes so many requests, with however many tokens', async () => {
  const user = await api.makePerson();
  const other = { ...user, token: await api.signIn(user.username, user.password) };
  const ask = async (by: Person, times: number) => {
    const answers = [];
    for (let asked = 0; asked < times; asked += 1) answers.push((await api.as(by)('/auth/me')).status);
    return answers.filter((status) => status === 200).length;
  };
  expect(await ask(user, 55)).toBe(50);
  expect(await ask(other, 20)).toBeLessThanOrEqual(10);
  expectError(await api.as(other)('/auth/me'), 429, 'too_many_requests');
});

test('wrong passwords from neighbouring IPv6 addresses count as from one', async () => {
  const login = (host: number) =>
    api.call('/auth/login', {
      method: 'POST',
      text: new URLSearchParams({ username: person.username, password: 'wrong' }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      from: `2001:db8:7:7::${host.toString(16)}`,
    });
  const statuses: number[] = [];
  for (let host = 1; host <= 12; host += 1) statuses.push((await login(host)).status);
  expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
});
