import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { domain } from '../../shared/domain/areas.ts';
import type { ChatMessageDocument } from '../../shared/domain/chat/model.ts';
import { type Issue, issue, issueList, issues } from '../../shared/domain/issues/model.ts';
import { inbox } from '../../shared/domain/notifications/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import type { ProjectId } from '../../shared/kernel/ids.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { taskNamed, userNamed } from '../support/ids.ts';
import { type Api, type Call, expectError, expectProblems, type Person, read, startApi } from './harness.ts';
import { storedTask } from './laboratory.ts';

let api: Api;
let owner: Person;
let viewer: Person;
let project: ProjectId;

beforeAll(async () => {
  api = await startApi({ environment: { ISSUES_PER_RESULT: '4', REPLIES_PER_ISSUE: '12' } });
  [owner, viewer] = await Promise.all([api.makePerson({ avatar_key: 'fox' }), api.makePerson()]);
});
afterAll(() => api.close());
beforeEach(async () => {
  project = await api.makeProject(owner);
  await api.addMember(project, viewer, 'viewer');
  await api.database.db
    .collection<TaskResultDocument>('task_results')
    .insertMany([
      storedTask(project, owner, { task_id: taskNamed('T1') }),
      storedTask(project, owner, { task_id: taskNamed('T2') }),
    ]);
});

const ask = (person: Person, method: NonNullable<Call['method']>, url: string, body?: unknown) =>
  api.as(person, project)(url, { method, ...(body !== undefined && { body }) });
const askList = (query: Record<string, string>) => api.as(viewer, project)('/issues', { query });
const post = (person: Person, body: unknown, task = 'T1') =>
  ask(person, 'POST', `/task-results/${task}/issues`, body);
const open = async (person: Person, title = 'Odd fit', task = 'T1') =>
  read(issue, await post(person, { title, content: `${title}, seen today.` }, task), 201);
const replyTo = async (person: Person, parent: Issue, content: string) =>
  read(issue, await post(person, { content, parent_id: parent.id }, parent.task_id), 201);
const listed = async (query: Record<string, string> = {}) => read(issueList, await askList(query));
const repliesOf = async ({ id }: Issue) => read(issues, await ask(viewer, 'GET', `/issues/${id}/replies`));

describe('an issue', () => {
  test('is opened by any member on a task result, and shown with the avatar that its author has now', async () => {
    const opened = await open(owner);
    expect(opened).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      task_id: 'T1',
      user_id: owner.id,
      username: owner.username,
      avatar_key: 'fox',
      title: 'Odd fit',
      content: 'Odd fit, seen today.',
      created_at: expect.stringMatching(/\.\d{3}Z$/),
      updated_at: opened.created_at,
      parent_id: null,
      reply_count: 0,
      is_closed: false,
      is_ai_reply: false,
    });
    expect(read(issue, await ask(viewer, 'GET', `/issues/${opened.id}`))).toEqual(opened);
    expect((await open(viewer)).avatar_key).toBeNull();
  });

  test('needs a title, a text that is not blank, and a task result of the project', async () => {
    expectProblems(await post(owner, { content: 'x' }), [['missing', 'body', 'title']]);
    expectProblems(await post(owner, { title: '  ', content: 'x' }), [['value_error', 'body', 'title']]);
    expectProblems(await post(owner, { title: 'x', content: ' \n' }), [['value_error', 'body', 'content']]);
    expectProblems(await post(owner, { title: 'x'.repeat(201), content: 'x'.repeat(5001) }), [
      ['string_too_long', 'body', 'title'],
      ['string_too_long', 'body', 'content'],
    ]);
    expectError(await post(owner, { title: 'x', content: 'x' }, 'unknown'), 404, 'not_found');
    expectError(await ask(owner, 'GET', '/task-results/unknown/issues'), 404, 'not_found');
  });

  test('is one of a limited number on a task result', async () => {
    await Promise.all([open(owner), open(owner), open(owner), open(owner)]);
    expect(expectError(await post(owner, { title: 'x', content: 'x' }), 409, 'quota_exceeded')).toContain(
      'ISSUES_PER_RESULT',
    );
    await open(owner, 'another result', 'T2');
  });

  test('is changed by its author alone, also where somebody else owns the project', async () => {
    const opened = await open(viewer);
    const change = (person: Person, body: unknown) => ask(person, 'PATCH', `/issues/${opened.id}`, body);
    const changed = read(issue, await change(viewer, { title: 'Odd edge', content: 'Look at the edge.' }));
    expect(changed).toMatchObject({ title: 'Odd edge', content: 'Look at the edge.' });
    expect(changed.updated_at > opened.updated_at).toBe(true);
    expect(read(issue, await change(viewer, { title: null, content: 'Again.' })).title).toBe('Odd edge');
    expectProblems(await change(viewer, { title: ' ', content: 'x' }), [['value_error', 'body', 'title']]);
    expectProblems(await change(viewer, { title: 'x' }), [['missing', 'body', 'content']]);
    expectError(await change(owner, { content: 'mine' }), 403, 'forbidden');
  });

  test('is closed and reopened by its author or the owner, again without effect', async () => {
    const [ofViewer, ofOwner] = [await open(viewer), await open(owner)];
    const close = (person: Person, { id }: Issue) => ask(person, 'PATCH', `/issues/${id}/close`);
    expectError(await close(viewer, ofOwner), 403, 'forbidden');
    for (const person of [owner, viewer]) expect((await close(person, ofViewer)).status).toBe(200);
    const closed = read(issue, await ask(viewer, 'GET', `/issues/${ofViewer.id}`));
    expect(closed.is_closed).toBe(true);
    expect(closed.updated_at > ofViewer.updated_at).toBe(true);
    expect((await ask(viewer, 'PATCH', `/issues/${ofViewer.id}/reopen`)).status).toBe(200);
    expect(read(issue, await ask(viewer, 'GET', `/issues/${ofViewer.id}`)).is_closed).toBe(false);
  });

  test('keeps the name of an author whose account is gone', async () => {
    const leaver = await api.makePerson();
    const administrator = await api.makePerson({ system_role: 'admin' });
    await api.addMember(project, leaver, 'viewer');
    const opened = await open(leaver);
    expect(
      (await api.as(administrator)(`/admin/users/${leaver.username}`, { method: 'DELETE' })).status,
    ).toBe(200);
    expect(read(issue, await ask(viewer, 'GET', `/issues/${opened.id}`))).toEqual(opened);
  });
});

describe('a reply', () => {
  test('is counted, listed in order and read by its id; its title counts for nothing', async () => {
    const opened = await open(owner);
    const first = read(
      issue,
      await post(viewer, { title: 'no', content: 'I see it too.', parent_id: opened.id }),
      201,
    );
    const second = await replyTo(owner, opened, 'Measured again.');
    expect(first).toMatchObject({ parent_id: opened.id, title: null, task_id: 'T1', reply_count: 0 });
    expect(await repliesOf(opened)).toEqual([first, second]);
    expect(read(issue, await ask(viewer, 'GET', `/issues/${second.id}`))).toEqual(second);
    expect((await listed()).issues).toMatchObject([{ id: opened.id, reply_count: 2 }]);
    expect(read(issues, await ask(viewer, 'GET', '/task-results/T1/issues'))).toMatchObject([
      { id: opened.id, reply_count: 0 },
      { id: first.id },
      { id: second.id },
    ]);
  });

  test('of a result is listed among all texts there, oldest first, page by page', async () => {
    const [one, two] = [await open(owner), await open(viewer)];
    const written = [one, two];
    for (const of of [two, one, two]) written.push(await replyTo(owner, of, 'Seen.'));
    const page = async (query: string) =>
      read(issues, await ask(viewer, 'GET', `/task-results/T1/issues${query}`)).map(({ id }) => id);
    const ids = written.map(({ id }) => id);
    expect(await page('')).toEqual(ids);
    expect(await page('?skip=1&limit=3')).toEqual(ids.slice(1, 4));
    expect(await page('?skip=9')).toEqual([]);
    expectProblems(await ask(viewer, 'GET', '/task-results/T1/issues?limit=1001'), [
      ['less_than_equal', 'query', 'limit'],
    ]);
    const [, , reply] = read(issues, await ask(viewer, 'GET', '/task-results/T1/issues'));
    expect(reply).toEqual(written[2]);
  });

  test('is refused to what is no issue of this result, to a reply and to a closed issue, and nothing is kept', async () => {
    const opened = await open(owner);
    const reply = await replyTo(owner, opened, 'one');
    const to = (parent_id: string, task?: string) => post(owner, { content: 'x', parent_id }, task);
    for (const parent of ['unknown', 'f'.repeat(24), '']) expectError(await to(parent), 404, 'not_found');
    expectError(await to(opened.id, 'T2'), 404, 'not_found');
    expectProblems(await to(reply.id), [['value_error', 'body', 'parent_id']]);
    await ask(owner, 'PATCH', `/issues/${opened.id}/close`);
    expectError(await to(opened.id), 409, 'conflict');
    expect(await repliesOf(opened)).toEqual([{ ...reply, is_closed: true }]);
    const stored = await api.database.db.collection('issues').countDocuments({ project_id: project });
    expect(stored).toBe(1);
  });

  test('is changed and deleted by its author alone', async () => {
    const opened = await open(owner);
    const [mine, theirs] = [await replyTo(viewer, opened, 'mine'), await replyTo(owner, opened, 'theirs')];
    const changed = read(
      issue,
      await ask(viewer, 'PATCH', `/issues/${mine.id}`, { title: 'x', content: 'better' }),
    );
    expect(changed).toMatchObject({ title: null, content: 'better', parent_id: opened.id });
    expectError(await ask(viewer, 'PATCH', `/issues/${theirs.id}`, { content: 'x' }), 403, 'forbidden');
    expectError(await ask(owner, 'DELETE', `/issues/${mine.id}`), 403, 'forbidden');
    expect((await ask(viewer, 'DELETE', `/issues/${mine.id}`)).status).toBe(200);
    expectError(await ask(viewer, 'DELETE', `/issues/${mine.id}`), 404, 'not_found');
    expect(await repliesOf(opened)).toEqual([theirs]);
    expect((await listed()).issues).toMatchObject([{ reply_count: 1 }]);
  });

  test('is not closed, reopened or looked at for replies', async () => {
    const reply = await replyTo(owner, await open(owner), 'one');
    for (const [method, word] of [
      ['PATCH', 'close'],
      ['PATCH', 'reopen'],
      ['GET', 'replies'],
    ] as const) {
      expectError(await ask(owner, method, `/issues/${reply.id}/${word}`), 404, 'not_found');
    }
  });

  test('by many at once loses none, and takes no more than there is room for', async () => {
    const opened = await open(owner);
    const answers = await Promise.all(
      Array.from({ length: 15 }, (_, index) =>
        post(owner, { content: `reply ${index}`, parent_id: opened.id }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(12);
    const refused = answers.filter(({ status }) => status !== 201);
    for (const answer of refused) expectError(answer, 409, 'quota_exceeded');
    expect(await repliesOf(opened)).toHaveLength(12);
    expect((await listed()).issues).toMatchObject([{ reply_count: 12 }]);
  });

  test('and the close of its issue meet in one order: what was answered with 201 is there, and nothing else', async () => {
    const opened = await open(owner);
    const asked = Array.from({ length: 10 }, (_, index) =>
      post(viewer, { content: `reply ${index}`, parent_id: opened.id }),
    );
    asked.splice(5, 0, ask(owner, 'PATCH', `/issues/${opened.id}/close`));
    const answers = await Promise.all(asked);
    const kept = answers.filter(({ status }) => status === 201).length;
    for (const answer of answers.filter(({ status }) => status > 201)) expectError(answer, 409, 'conflict');
    expect(await repliesOf(opened)).toHaveLength(kept);
  });
});

describe('the deletion of an issue', () => {
  test('is for its author alone, and takes the replies of everybody along', async () => {
    const opened = await open(viewer);
    const reply = await replyTo(owner, opened, 'one');
    expectError(await ask(owner, 'DELETE', `/issues/${opened.id}`), 403, 'forbidden');
    expect((await ask(viewer, 'DELETE', `/issues/${opened.id}`)).status).toBe(200);
    for (const id of [opened.id, reply.id])
      expectError(await ask(owner, 'GET', `/issues/${id}`), 404, 'not_found');
    expectError(await ask(owner, 'GET', `/issues/${opened.id}/replies`), 404, 'not_found');
    expect(read(issues, await ask(owner, 'GET', '/task-results/T1/issues'))).toEqual([]);
  });

  test('shows its replies to no user without it, whenever they look', async () => {
    const opened = await open(owner);
    for (const content of ['one', 'two', 'three']) await replyTo(owner, opened, content);
    const looks = Array.from({ length: 12 }, () => ask(viewer, 'GET', '/task-results/T1/issues'));
    looks.splice(6, 0, ask(owner, 'DELETE', `/issues/${opened.id}`));
    const seen = await Promise.all(looks);
    const counts = seen.flatMap(({ body }) => (Array.isArray(body) ? [body.length] : []));
    expect(counts).toHaveLength(12);
    expect(counts.filter((count) => count !== 0 && count !== 4)).toEqual([]);
  });
});

describe('the list', () => {
  test('shows open issues, closed ones or all, newest first, in pages that add up', async () => {
    const made: Issue[] = [];
    for (const [title, task] of [
      ['a', 'T1'],
      ['b', 'T1'],
      ['c', 'T2'],
    ] as const)
      made.push(await open(owner, title, task));
    await ask(owner, 'PATCH', `/issues/${made[1]?.id}/close`);
    const titles = async (query: Record<string, string>) => {
      const { issues: found, total } = await listed(query);
      return [found.map(({ title }) => title), total];
    };
    expect(await titles({})).toEqual([['c', 'a'], 2]);
    expect(await titles({ is_closed: 'False' })).toEqual([['c', 'a'], 2]);
    expect(await titles({ is_closed: 'true' })).toEqual([['b'], 1]);
    for (const all of ['all', 'null', '']) {
      expect(await titles({ is_closed: all })).toEqual([['c', 'b', 'a'], 3]);
    }
    expect(await titles({ task_id: 'T1', is_closed: 'all' })).toEqual([['b', 'a'], 2]);
    expect(await titles({ task_id: 'T1' })).toEqual([['a'], 1]);
    expect(await titles({ task_id: 'unknown' })).toEqual([[], 0]);
    expect(await titles({ is_closed: 'all', skip: '1', limit: '1' })).toEqual([['b'], 3]);
    expect(await listed({ skip: '7' })).toMatchObject({ skip: 7, limit: 50, issues: [], total: 2 });
  });

  test('bounds its page', async () => {
    expectProblems(await askList({ limit: '201', skip: '-1' }), [
      ['greater_than_equal', 'query', 'skip'],
      ['less_than_equal', 'query', 'limit'],
    ]);
    expectProblems(await askList({ is_closed: 'maybe' }), [['bool_parsing', 'query', 'is_closed']]);
  });
});

test('members who are mentioned are notified once, and the author of an issue of each reply', async () => {
  const [author, member] = await Promise.all([api.makePerson(), api.makePerson()]);
  for (const person of [author, member]) await api.addMember(project, person, 'viewer');
  const content = `@${member.username}, look.`;
  const opened = read(issue, await post(author, { title: 'Odd fit', content }), 201);
  await ask(author, 'PATCH', `/issues/${opened.id}`, { content: `${content} Please.` });
  const reply = read(issue, await post(member, { content: 'Seen.', parent_id: opened.id }), 201);
  await ask(member, 'PATCH', `/issues/${reply.id}`, { content: `Seen. @${owner.username} too` });
  const told = async (person: Person) =>
    read(inbox, await api.as(person, project)('/notifications')).notifications.map(
      ({ kind, source_id, target_url, title }) => ({ kind, source_id, target_url, title }),
    );
  const target_url = `/issues/${opened.id}`;
  const where = 'the issue “Odd fit”';
  expect(await told(member)).toEqual([
    {
      kind: 'mention',
      source_id: opened.id,
      target_url,
      title: `${author.username} mentioned you in ${where}`,
    },
  ]);
  expect(await told(author)).toEqual([
    { kind: 'issue_reply', source_id: reply.id, target_url, title: `${member.username} replied in ${where}` },
  ]);
  expect(await told(owner)).toMatchObject([{ kind: 'mention', source_id: reply.id }]);
});

test('the lab’s chat receives an issue, its replies and its closing, once each and in one thread', async () => {
  const slack = { SLACK_TOKEN: 'xoxb-test', SLACK_CHANNEL: 'C1', CLIENT_URL: 'http://lab/' };
  const own = domain.open({
    db: api.database.db,
    engine: api.engine,
    settings: { ...api.settings, ...slack },
    log: createLog('test', 'SILENT'),
  });
  const actor = { user_id: userNamed(owner.id), username: owner.username, isOwner: true };
  const { issues: talk } = own.areas;
  const opened = await talk.create(project, taskNamed('T1'), { title: 'Odd fit', content: 'Look.' }, actor);
  const reply = await talk.create(
    project,
    taskNamed('T1'),
    { content: 'Seen.', parent_id: opened.id },
    actor,
  );
  for (const isClosed of [true, true, false]) await talk.setClosed(project, opened.id, isClosed, actor);
  const told = await api.database.db
    .collection<ChatMessageDocument>('chat_messages')
    .find({ project_id: project })
    .toArray();
  await own.close();
  const idOf = (event: string) => `${project}/issue/${opened.id}/${event}`;
  expect(told.map(({ _id }) => _id)).toEqual(
    expect.arrayContaining([
      idOf(opened.id),
      idOf(reply.id),
      expect.stringMatching(/\/closed-\d{13}$/),
      expect.stringMatching(/\/open-\d{13}$/),
    ]),
  );
  expect(told).toHaveLength(4);
  expect(told.find(({ rank }) => rank === 0)?.message).toMatchObject({
    headline: { text: 'Odd fit', url: `http://lab/issues/${opened.id}` },
    text: 'Look.',
  });
  const headlines = told.map(({ message }) => message?.headline.text);
  for (const line of ['open → closed', 'closed → open']) {
    expect(headlines).toContain(`${owner.username}: ${line}`);
  }
});

test('what a language model replied has no author, stays in a closed issue, and who asked for it may delete it', async () => {
  const opened = await open(owner);
  await ask(owner, 'PATCH', `/issues/${opened.id}/close`);
  const reply = await api.areas.issues.addModelReply(project, opened.id, 'It is the edge.', {
    user_id: userNamed(viewer.id),
  });
  expect(reply).toMatchObject({ user_id: null, username: 'qdash', avatar_key: null, is_ai_reply: true });
  expect(await repliesOf(opened)).toEqual([reply]);
  expectError(await ask(owner, 'DELETE', `/issues/${reply.id}`), 403, 'forbidden');
  expect((await ask(viewer, 'DELETE', `/issues/${reply.id}`)).status).toBe(200);
});
