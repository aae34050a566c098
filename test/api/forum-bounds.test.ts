import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { post } from '../../shared/domain/forum/model.ts';
import { type Api, type Call, expectError, expectProblems, type Person, read, startApi } from './harness.ts';

let api: Api;
let author: Person;
let project: string;

beforeAll(async () => {
  api = await startApi();
  author = await api.makePerson();
});
afterAll(() => api.close());
beforeEach(async () => {
  project = await api.makeProject(author);
});

const ask = (method: NonNullable<Call['method']>, url: string, body?: unknown) =>
  api.as(author, project)(url, { method, ...(body !== undefined && { body }) });
const asked = (url: string, query: Record<string, string>) => api.as(author, project)(url, { query });
const write = (body: object) =>
  ask('POST', '/forum/posts', { category: 'qubit', title: 'A title', content: 'Text', ...body });
const begin = async (body: object = {}) => read(post, await write(body), 201);
const change = (id: string, body: object) => ask('PATCH', `/forum/posts/${id}`, body);

test('what no store or reader could bear is 422: a NUL in what is looked for, blocks without bound', async () => {
  for (const q of ['\0', 'abc\0def']) {
    expectProblems(await asked('/forum/posts', { q }), [['value_error', 'query', 'q']]);
  }
  const content_blocks = [{ type: 'p', text: 'x'.repeat(200_000) }];
  expectProblems(await write({ content_blocks }), [['value_error', 'body', 'content_blocks']]);
});

test('bounds of pages, numbers and texts are kept, and an id that is none is not found', async () => {
  const wrong: Record<string, string>[] = [
    { skip: '-1' },
    { limit: '0' },
    { limit: '201' },
    { limit: 'many' },
    { number: '0' },
    { target_type: 'chip' },
    { q: 'x'.repeat(129) },
  ];
  for (const query of wrong) {
    const { status } = await asked('/forum/posts', query);
    expect([query, status]).toEqual([query, 422]);
  }
  expect((await asked('/forum/posts', { limit: '200', q: 'x'.repeat(128) })).status).toBe(200);
  const full = {
    title: 'x'.repeat(200),
    content: 'x'.repeat(8000),
    ...{ chip_id: 'x'.repeat(128), target_type: 'qubit', target_id: 'x'.repeat(128) },
    cooldown_id: 'x'.repeat(128),
  };
  const { id } = await begin(full);
  const longer = Object.entries(full).filter(([field]) => field !== 'target_type');
  for (const [field, text] of longer) {
    expect([field, (await write({ [field]: `${text}x` })).status]).toEqual([field, 422]);
    expect([field, (await change(id, { [field]: `${text}x` })).status]).toEqual([field, 422]);
  }
  expect((await asked(`/forum/posts/${id}/replies`, { limit: '201' })).status).toBe(422);
  for (const none of ['none', '0'.repeat(24), '%00', '..%2F', encodeURIComponent('🙂')]) {
    expectError(await ask('GET', `/forum/posts/${none}`), 404, 'not_found');
    expectError(await ask('DELETE', `/forum/posts/${none}`), 404, 'not_found');
  }
});

test('a thread is begun with null for all that it need not say, as clients of other languages send', async () => {
  const nothing = {
    content_blocks: null,
    parent_id: null,
    labels: null,
    assignee_username: null,
    status: null,
    ...{ chip_id: null, target_type: null, target_id: null, cooldown_id: null },
  };
  const made = await begin(nothing);
  expect(made).toMatchObject({ labels: [], status: 'open', content_blocks: [], cooldown_id: null });
  const changed = read(
    post,
    await change(made.id, { ...nothing, category: null, title: null, content: null }),
  );
  expect(changed).toEqual({ ...made, updated_at: changed.updated_at });
});
