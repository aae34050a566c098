import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { post, threadPage } from '../../shared/domain/forum/model.ts';
import { inbox } from '../../shared/domain/notifications/model.ts';
import type { ProjectId } from '../../shared/kernel/ids.ts';
import { type Api, type Call, expectError, expectProblems, type Person, read, startApi } from './harness.ts';

let api: Api;
let owner: Person;
let editor: Person;
let viewer: Person;
let author: Person;
let project: ProjectId;

beforeAll(async () => {
  api = await startApi();
  [owner, editor, viewer, author] = await Promise.all([
    api.makePerson({ avatar_key: 'fox' }),
    api.makePerson(),
    api.makePerson(),
    api.makePerson({ avatar_key: 'owl' }),
  ]);
});
afterAll(() => api.close());
beforeEach(async () => {
  project = await api.makeProject(owner);
  await api.addMember(project, editor, 'editor');
  await api.addMember(project, viewer, 'viewer');
  await api.addMember(project, author, 'viewer');
});

const ask = (person: Person, method: NonNullable<Call['method']>, url: string, body?: unknown) =>
  api.as(person, project)(url, { method, ...(body !== undefined && { body }) });
const write = (body: object, person = author) =>
  ask(person, 'POST', '/forum/posts', { category: 'qubit', title: 'A title', content: 'Text', ...body });
const begin = async (body: object = {}, person = author) => read(post, await write(body, person), 201);
const reply = (parent_id: string, content = 'A reply', person = viewer) =>
  ask(person, 'POST', '/forum/posts', { category: 'ignored', content, parent_id });
const get = async (id: string) => read(post, await ask(viewer, 'GET', `/forum/posts/${id}`));
const change = (id: string, body: object, person = author) =>
  ask(person, 'PATCH', `/forum/posts/${id}`, body);
const list = async (query: Record<string, string> = {}) =>
  read(threadPage, await api.as(viewer, project)('/forum/posts', { query }));
const titles = async (query: Record<string, string> = {}) =>
  (await list(query)).posts.map(({ title }) => title);
const repliesOf = async (id: string) =>
  read(z.array(post), await ask(viewer, 'GET', `/forum/posts/${id}/replies`));

describe('a thread', () => {
  test('is begun by any member, with what it is about', async () => {
    const made = await begin({
      title: ' Readout drifts ',
      content_blocks: [{ type: 'p', children: [] }],
      labels: ['Discussion'],
      assignee_username: editor.username,
      chip_id: 'CHIP',
      target_type: 'qubit',
      target_id: '3',
      cooldown_id: 'CD1',
    });
    expect(made).toEqual({
      id: expect.any(String),
      project_id: project,
      number: 1,
      category: 'qubit',
      user_id: author.id,
      username: author.username,
      avatar_key: 'owl',
      title: 'Readout drifts',
      content: 'Text',
      content_blocks: [{ type: 'p', children: [] }],
      parent_id: null,
      labels: ['review'],
      assignee_username: editor.username,
      status: 'open',
      chip_id: 'CHIP',
      target_type: 'qubit',
      target_id: '3',
      cooldown_id: 'CD1',
      reply_count: 0,
      is_deleted: false,
      is_ai_reply: false,
      created_at: expect.stringMatching(/\.\d{3}Z$/),
      updated_at: expect.stringMatching(/\.\d{3}Z$/),
    });
    expect(await get(made.id)).toEqual(made);
  });

  test('needs title, open category, known label and an assignee who may work here; half a target is none', async () => {
    expectProblems(await write({ title: '  ' }), [['missing', 'body', 'title']]);
    expectProblems(await write({ category: 'none' }), [['value_error', 'body', 'category']]);
    expectProblems(await write({ assignee_username: 'nobody-here' }), [
      ['value_error', 'body', 'assignee_username'],
    ]);
    for (const wrong of [
      { labels: ['resolved'] },
      { labels: ['review', 'anomaly'] },
      { status: 'closed' },
      { content: '' },
    ]) {
      expect((await write(wrong)).status).toBe(422);
    }
    expect(
      await begin({ chip_id: 'CHIP', target_id: '3', target_type: '', assignee_username: '' }),
    ).toMatchObject({
      assignee_username: null,
      number: 1,
      chip_id: null,
      target_type: null,
      target_id: null,
    });
  });

  test('gets the next number, without a gap, however many begin at once', async () => {
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        write({ title: `T${index}`, category: index % 3 ? 'qubit' : 'none' }),
      ),
    );
    expect(made.filter(({ status }) => status === 422)).toHaveLength(4);
    const numbers = (await list()).posts.map(({ number }) => number);
    expect(numbers).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
  });

  test('takes replies until it is closed, and again when it is reopened', async () => {
    const { id } = await begin();
    const first = read(post, await reply(id), 201);
    expect(first).toMatchObject({
      number: 1,
      parent_id: id,
      title: null,
      category: 'qubit',
      username: viewer.username,
    });
    expectProblems(await reply(first.id), [['value_error', 'body', 'parent_id']]);
    expectError(await reply('none'), 404, 'not_found');
    expectError(await ask(editor, 'PATCH', `/forum/posts/${id}/close`), 403, 'forbidden');
    expectError(await ask(owner, 'PATCH', `/forum/posts/${first.id}/close`), 404, 'not_found');
    for (let twice = 0; twice < 2; twice += 1) {
      expect((await ask(author, 'PATCH', `/forum/posts/${id}/close`)).status).toBe(200);
    }
    expect((await get(id)).status).toBe('resolved');
    expectError(await reply(id), 409, 'conflict');
    expect((await ask(owner, 'PATCH', `/forum/posts/${id}/reopen`)).status).toBe(200);
    read(post, await reply(id, 'another'), 201);
    expect(await get(id)).toMatchObject({ status: 'open', reply_count: 2 });
    expect((await repliesOf(id)).map(({ content }) => content)).toEqual(['A reply', 'another']);
    const second = await api.as(viewer, project)(`/forum/posts/${id}/replies`, {
      query: { skip: '1', limit: '1' },
    });
    expect(read(z.array(post), second).map(({ content }) => content)).toEqual(['another']);
  });

  test('is changed by author and owner, filed by editors too; replies show what it is about now', async () => {
    const { id } = await begin({ cooldown_id: 'CD1', chip_id: 'C', target_type: 'qubit', target_id: '1' });
    const answer = read(post, await reply(id), 201);
    const filing = {
      status: 'investigating',
      labels: ['anomaly'],
      category: 'control',
      target_id: '2',
      content: 'Text',
    };
    expectError(await change(id, filing, viewer), 403, 'forbidden');
    const filed = read(post, await change(id, filing, editor));
    expect(filed).toMatchObject({
      status: 'investigating',
      labels: ['anomaly'],
      target_id: '2',
      cooldown_id: 'CD1',
    });
    expect(await get(answer.id)).toMatchObject({
      status: 'investigating',
      category: 'control',
      target_id: '2',
    });
    expectError(await change(id, { content: 'Other text' }, editor), 403, 'forbidden');
    expectProblems(await change(id, { title: ' ' }), [['string_too_short', 'body', 'title']]);
    const text = {
      title: 'New',
      content: 'New text',
      content_blocks: [{ a: 1 }],
      status: null,
      cooldown_id: null,
      target_type: null,
    };
    expect(read(post, await change(id, text))).toMatchObject({
      title: 'New',
      content: 'New text',
      content_blocks: [{ a: 1 }],
      status: 'investigating',
      cooldown_id: null,
      chip_id: null,
    });
    expect(read(post, await change(id, { content: 'By the owner' }, owner)).content_blocks).toEqual([
      { a: 1 },
    ]);
    expectProblems(await change(id, { category: 'none' }), [['value_error', 'body', 'category']]);
    expectError(await change('none', {}), 404, 'not_found');
  });

  test('has replies that only their author and the owner change, and whose filing is nothing of theirs', async () => {
    const { id } = await begin();
    const { id: mine } = read(post, await reply(id), 201);
    expectError(await change(mine, { content: 'x' }, editor), 403, 'forbidden');
    const changed = read(post, await change(mine, { content: 'y', status: 'resolved', title: 'z' }, viewer));
    expect(changed).toMatchObject({ content: 'y', status: 'open', title: null });
    expect((await get(id)).status).toBe('open');
  });

  test('is deleted by its author alone, and its replies with it; its number is never given again', async () => {
    const { id } = await begin();
    const { id: answer } = read(post, await reply(id), 201);
    for (const person of [owner, editor]) {
      expectError(await ask(person, 'DELETE', `/forum/posts/${id}`), 403, 'forbidden');
    }
    expect((await ask(author, 'DELETE', `/forum/posts/${id}`)).status).toBe(200);
    for (const gone of [id, answer]) {
      expectError(await ask(viewer, 'GET', `/forum/posts/${gone}`), 404, 'not_found');
      expectError(await ask(viewer, 'DELETE', `/forum/posts/${gone}`), 404, 'not_found');
    }
    expectError(await ask(viewer, 'GET', `/forum/posts/${id}/replies`), 404, 'not_found');
    expectError(await reply(id), 404, 'not_found');
    expect((await list({ status: 'all' })).total).toBe(0);
    expect((await begin()).number).toBe(2);
  });

  test('loses a deleted reply from its count', async () => {
    const { id } = await begin();
    const { id: answer } = read(post, await reply(id), 201);
    expect((await list()).posts[0]?.reply_count).toBe(1);
    expect((await ask(viewer, 'DELETE', `/forum/posts/${answer}`)).status).toBe(200);
    expect((await list()).posts[0]?.reply_count).toBe(0);
    expect(await repliesOf(id)).toEqual([]);
  });

  test("stays under the name of a deleted user, and is the owner's to delete then", async () => {
    const leaver = await api.makePerson();
    await api.addMember(project, leaver, 'viewer');
    const { id } = await begin({}, leaver);
    const administrator = await api.makePerson({ system_role: 'admin' });
    await api.as(administrator)(`/admin/users/${leaver.username}`, { method: 'DELETE' });
    expect(await get(id)).toMatchObject({ username: leaver.username, user_id: leaver.id, avatar_key: null });
    expect((await ask(owner, 'DELETE', `/forum/posts/${id}`)).status).toBe(200);
  });
});

describe('the list', () => {
  test('has open threads, the newest first, unless another status or all are requested', async () => {
    for (const status of ['open', 'identified', 'resolved', 'open']) await begin({ title: status, status });
    expect(await titles()).toEqual(['open', 'open']);
    expect(await titles({ status: 'identified' })).toEqual(['identified']);
    for (const all of ['all', '', 'null']) {
      expect(await titles({ status: all })).toEqual(['open', 'resolved', 'identified', 'open']);
    }
    expect((await api.as(viewer, project)('/forum/posts', { query: { status: 'closed' } })).status).toBe(422);
    expect(await list({ status: 'all', skip: '1', limit: '2' })).toMatchObject({
      total: 4,
      skip: 1,
      limit: 2,
    });
    expect(await titles({ status: 'all', skip: '1', limit: '2' })).toEqual(['resolved', 'identified']);
  });

  test('is narrowed by what threads are about', async () => {
    const target = { chip_id: 'A', target_type: 'coupling', target_id: '0-1', cooldown_id: 'CD' };
    await begin({ title: 'one', labels: ['anomaly'], category: 'coupling', ...target });
    await begin({ title: 'two', ...target, chip_id: 'B' });
    const queries: Record<string, string>[] = [
      { label: 'Anomaly' },
      { category: 'coupling' },
      { chip_id: 'A' },
      { number: '1' },
      { target_type: 'coupling', target_id: '0-1', chip_id: 'A', cooldown_id: 'CD' },
    ];
    for (const query of queries) {
      expect(await titles(query)).toEqual(['one']);
    }
    expect(await titles({ target_id: '0-1' })).toEqual(['two', 'one']);
    expect((await api.as(viewer, project)('/forum/posts', { query: { label: 'other' } })).status).toBe(422);
  });

  test('is searched for any part of a text, in any case, and for numbers', async () => {
    const zoe = await api.makePerson({ username: 'zoe' });
    await api.addMember(project, zoe, 'viewer');
    await begin({
      title: 'Readout drifts',
      content: 'See the 50% (drop).\nA+B',
      assignee_username: 'zoe',
    });
    await begin({
      title: '読み出しが悪い',
      content: 'x',
      chip_id: 'CHIP-7',
      target_type: 'qubit',
      target_id: '31',
      cooldown_id: 'WINTER',
    });
    const first = ['Readout drifts'];
    const second = ['読み出しが悪い'];
    for (const q of ['EADOU', 'out dri', '50% (', '(drop).', 'a+b', ' ts ', 'Zoe']) {
      expect([q, await titles({ q })]).toEqual([q, first]);
    }
    for (const q of ['出し', '悪', 'hip-7', '31', 'winter', '#2', '2'])
      expect([q, await titles({ q })]).toEqual([q, second]);
    for (const q of ['.*', 'out  dri', 'nothing', '#9', 'drop.'])
      expect([q, await titles({ q })]).toEqual([q, []]);
    expect(await titles({ q: 'qubit' })).toEqual([...second, ...first]);
    expect(await titles({ q: 'qubit', status: 'resolved' })).toEqual([]);
    expect(await titles({ q: '#' })).toEqual([...second, ...first]);
    const [found] = (await list({ q: 'drifts' })).posts;
    await change(found?.id ?? '', { title: 'Quiet' });
    expect(await titles({ q: 'drifts' })).toEqual([]);
    expect(await titles({ q: 'quiet' })).toEqual(['Quiet']);
  });
});

describe('the user who is meant', () => {
  const inboxOf = async (person: Person) =>
    read(inbox, await api.as(person, project)('/notifications')).notifications.map(
      ({ kind, title, target_url }) => [kind, title, target_url],
    );

  test('is notified of mentions, replies and assigned work, once and not of their own', async () => {
    const { id } = await begin({
      title: 'Drift',
      content: `@${viewer.username} look`,
      assignee_username: editor.username,
    });
    const at = `/forum/${id}`;
    await change(id, { content: `@${viewer.username} and @${owner.username} look` });
    await reply(id, `@${author.username} yes, @${viewer.username}`);
    await reply(id, 'I agree', author);
    await change(id, { assignee_username: viewer.username }, editor);
    expect(await inboxOf(editor)).toEqual([
      ['forum_mention', `${author.username} assigned you to #1 Drift`, at],
    ]);
    expect(await inboxOf(owner)).toEqual([
      ['forum_mention', `${author.username} mentioned you in #1 Drift`, at],
    ]);
    expect(await inboxOf(author)).toEqual([
      ['forum_mention', `${viewer.username} mentioned you in #1 Drift`, at],
    ]);
    expect(await inboxOf(viewer)).toEqual([
      ['forum_mention', `${editor.username} assigned you to #1 Drift`, at],
      ['forum_mention', `${author.username} mentioned you in #1 Drift`, at],
    ]);
  });

  test('is not notified of old words again when a thread is only closed or labelled', async () => {
    const { id } = await begin({ title: 'Drift', content: '@project look' });
    const before = await Promise.all([author, owner, editor, viewer].map(inboxOf));
    const late = await api.makePerson();
    await api.addMember(project, late, 'viewer');
    await change(id, { status: 'resolved' }, owner);
    await change(id, { labels: ['Discussion'] }, owner);
    expect(await Promise.all([author, owner, editor, viewer].map(inboxOf))).toEqual(before);
    expect(await inboxOf(late)).toEqual([]);
  });

  test('is notified of a reply to their thread', async () => {
    const { id } = await begin({ title: 'Drift' });
    await reply(id);
    expect(await inboxOf(author)).toEqual([
      ['forum_reply', `${viewer.username} replied in #1 Drift`, `/forum/${id}`],
    ]);
  });
});

test('the forum of another project is another one', async () => {
  const { id } = await begin();
  const other = await api.makeProject(author);
  const elsewhere = api.as(author, other);
  expectError(await elsewhere(`/forum/posts/${id}`), 404, 'not_found');
  expectError(await elsewhere(`/forum/posts/${id}/close`, { method: 'PATCH' }), 404, 'not_found');
  const body = { category: 'qubit', content: 'x', parent_id: id };
  expectError(await elsewhere('/forum/posts', { method: 'POST', body }), 404, 'not_found');
  expect(read(threadPage, await elsewhere('/forum/posts')).total).toBe(0);
});
