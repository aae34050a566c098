import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { comment } from '../../shared/domain/notes/model.ts';
import {
  inbox,
  type NotificationDocument,
  notification,
  readAllAnswer,
  unreadCount,
} from '../../shared/domain/notifications/model.ts';
import type { MembershipDocument } from '../../shared/domain/projects/model.ts';
import { keyOf, type ProjectId } from '../../shared/kernel/ids.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { taskNamed, userNamed } from '../support/ids.ts';
import { type Api, type Call, expectError, expectProblems, type Person, read, startApi } from './harness.ts';
import { storedTask } from './laboratory.ts';

let api: Api;
let owner: Person;
let member: Person;
let stranger: Person;
let project: ProjectId;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  [owner, member, stranger] = await Promise.all([api.makePerson(), api.makePerson(), api.makePerson()]);
  project = await api.makeProject(owner);
  await api.addMember(project, member, 'editor');
  await ask(owner, 'POST', '/chips', { chip_id: 'CHIP', size: 4 });
});

const ask = (person: Person, method: NonNullable<Call['method']>, url: string, body?: unknown) =>
  api.as(person, project)(url, { method, ...(body !== undefined && { body }) });
const noteOn = (qid: string, content: string) =>
  ask(owner, 'PUT', `/chips/CHIP/qubits/${qid}/note`, { content });
const inboxOf = async (person: Person, query: Record<string, string> = {}, inProject?: string) =>
  read(inbox, await api.as(person, inProject)('/notifications', { query }));
const titlesOf = async (person: Person) => (await inboxOf(person)).notifications.map(({ title }) => title);
const unreadOf = async (person: Person, inProject?: string) =>
  read(unreadCount, await api.as(person, inProject)('/notifications/unread-count')).unread_count;

test('a mention counts in any case, and in the title of a thread', async () => {
  const reader = await api.makePerson();
  await api.addMember(project, reader, 'viewer');
  await ask(owner, 'POST', '/forum/posts', {
    category: 'other',
    title: `Look here @${reader.username.toUpperCase()}`,
    content: 'Nothing.',
  });
  const { notifications } = await inboxOf(reader);
  expect(notifications.map(({ kind, excerpt }) => [kind, excerpt])).toEqual([['forum_mention', 'Nothing.']]);
});

describe('a mention in a note', () => {
  test('tells the member, not the writer, not who is outside the project', async () => {
    const text = `Ask @${member.username}, @${stranger.username}, @${owner.username} and @nobody.`;
    expect((await noteOn('0', text)).status).toBe(200);
    expect(await inboxOf(member)).toEqual({
      notifications: [
        {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          project_id: project,
          recipient_user_id: member.id,
          recipient_username: member.username,
          actor_user_id: owner.id,
          actor_username: owner.username,
          kind: 'note_mention',
          source_type: 'note_event',
          source_id: expect.any(String),
          target_url: '/chip?chip_id=CHIP&target=0',
          title: `${owner.username} mentioned you in the note on qubit 0 of CHIP`,
          excerpt: text,
          read_at: null,
          created_at: expect.stringMatching(/\.\d{3}Z$/),
        },
      ],
      total: 1,
      unread_count: 1,
      skip: 0,
      limit: 50,
    });
    expect((await inboxOf(stranger)).total).toBe(0);
    expect((await inboxOf(owner)).total).toBe(0);
  });

  test('tells once, however often the note is written, and of each note', async () => {
    for (const mark of ['', '.', '!']) await noteOn('0', `@${member.username} look${mark}`);
    await noteOn('1', `@${member.username}`);
    await ask(owner, 'PUT', '/chips/CHIP/qubits/0/metric-notes/t1', { content: `@${member.username}` });
    expect(await titlesOf(member)).toEqual([
      `${owner.username} mentioned you in the note on t1 of 0 of CHIP`,
      `${owner.username} mentioned you in the note on qubit 1 of CHIP`,
      `${owner.username} mentioned you in the note on qubit 0 of CHIP`,
    ]);
  });

  test('tells in comments, notes of chips and notes of tasks, with the page to go to', async () => {
    const content = `@${member.username}`;
    const made = read(comment, await ask(owner, 'POST', '/chips/CHIP/qubits/2/note/comments', { content }));
    await ask(owner, 'PUT', `/chips/CHIP/qubits/2/note/comments/${made.comment_id}`, { content });
    await ask(owner, 'PUT', '/chips/CHIP/note', { content });
    await api.database.db
      .collection<{ _id: string }>('task_results')
      .insertOne(storedTask(project, owner, { task_id: taskNamed('task') }));
    await ask(owner, 'PUT', '/task-results/task/note', { content });
    await ask(owner, 'DELETE', '/task-results/task/note');
    const { notifications } = await inboxOf(member);
    expect(notifications.map(({ title, target_url }) => [title, target_url])).toEqual([
      [`${owner.username} mentioned you in the note on CheckT1 of 0`, '/task-results/task'],
      [`${owner.username} mentioned you in the note on chip CHIP`, '/chip?chip_id=CHIP'],
      [`${owner.username} mentioned you in a comment on qubit 2 of CHIP`, '/chip?chip_id=CHIP&target=2'],
    ]);
  });

  test('of the project tells every active member whose account is open', async () => {
    const [disabled, former] = await Promise.all([api.makePerson(), api.makePerson()]);
    await api.addMember(project, disabled, 'viewer');
    await api.addMember(project, former, 'viewer', 'revoked');
    await api.users.updateOne({ _id: userNamed(disabled.id) }, { $set: { disabled: true } });
    await noteOn('0', `@Project see @${disabled.username} and @${former.username}`);
    const told = await api.database.db
      .collection<NotificationDocument>('notifications')
      .find({ project_id: project })
      .toArray();
    expect(told.map(({ recipient_user_id }) => recipient_user_id)).toEqual([member.id]);
  });

  test('that cannot be told is counted, and the note is written all the same', async () => {
    const notifications = api.database.db.collection<NotificationDocument>('notifications');
    await noteOn('0', `@${member.username}`);
    const put = await notifications.findOneAndDelete({ recipient_user_id: userNamed(member.id) });
    // The same message under another key: the next write of it meets the unique index.
    if (put) await notifications.insertOne({ ...put, _id: keyOf(project, newId()) });
    expect((await noteOn('0', `@${member.username} again`)).status).toBe(200);
    const { text } = await api.call('/metrics-prometheus');
    expect(text).toMatch(/^calibron_notification_failures 1$/m);
  });
});

describe('an inbox', () => {
  test('is read page by page, of one project or of all, the unread ones alone', async () => {
    for (const qid of ['0', '1', '2']) await noteOn(qid, `@${member.username} ${qid}`);
    const other = await api.makeProject(member);
    const page = await inboxOf(member, { skip: '1', limit: '1' });
    expect(page).toMatchObject({ total: 3, unread_count: 3, skip: 1, limit: 1 });
    expect(page.notifications.map(({ excerpt }) => excerpt)).toEqual([`@${member.username} 1`]);
    expect(await inboxOf(member, {}, other)).toMatchObject({ total: 0, unread_count: 0 });
    expect(await unreadOf(member, project)).toBe(3);
    expect(await unreadOf(member, other)).toBe(0);
    const [first] = page.notifications;
    const done = read(notification, await ask(member, 'PATCH', `/notifications/${first?.id}/read`, {}));
    expect(done.read_at).toEqual(expect.stringMatching(/Z$/));
    expect(read(notification, await ask(member, 'PATCH', `/notifications/${first?.id}/read`))).toEqual(done);
    expect(await inboxOf(member, { unread_only: 'true' }, project)).toMatchObject({
      total: 2,
      unread_count: 2,
    });
    expect(await inboxOf(member)).toMatchObject({ total: 3, unread_count: 2 });
  });

  test('is marked read as a whole, or as far as it is of one project', async () => {
    await noteOn('0', `@${member.username}`);
    const other = await api.makeProject(member);
    const readAll = async (inProject?: string) =>
      read(readAllAnswer, await api.as(member, inProject)('/notifications/read-all', { method: 'PATCH' }));
    expect(await readAll(other)).toEqual({ updated: 0 });
    expect(await readAll()).toEqual({ updated: 1 });
    expect(await readAll()).toEqual({ updated: 0 });
    expect(await unreadOf(member)).toBe(0);
  });

  test("is nobody else's, and asks for sensible pages", async () => {
    await noteOn('0', `@${member.username}`);
    const [first] = (await inboxOf(member)).notifications;
    const url = `/notifications/${first?.id}/read`;
    expectError(await ask(owner, 'PATCH', url), 404, 'not_found');
    expectError(await ask(member, 'PATCH', '/notifications/none/read'), 404, 'not_found');
    expectError(await api.call('/notifications'), 401, 'not_authenticated');
    const wrong = await api.as(member)('/notifications', { query: { limit: '201', skip: '-1' } });
    expectProblems(wrong, [
      ['greater_than_equal', 'query', 'skip'],
      ['less_than_equal', 'query', 'limit'],
    ]);
  });

  test('is removed with its user, and the messages that a removed member had stay readable', async () => {
    await noteOn('0', `@${member.username}`);
    await api.database.db
      .collection<MembershipDocument>('memberships')
      .updateOne({ _id: keyOf(project, member.id) }, { $set: { status: 'revoked' } });
    await noteOn('1', `@${member.username}`);
    expect((await inboxOf(member)).total).toBe(1);
    const administrator = await api.makePerson({ system_role: 'admin' });
    const gone = await api.as(administrator)(`/admin/users/${member.username}`, { method: 'DELETE' });
    expect(gone.status).toBe(200);
    const left = { recipient_user_id: member.id };
    expect(await api.database.db.collection('notifications').countDocuments(left)).toBe(0);
  });
});
