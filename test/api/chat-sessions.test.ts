import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { CHAT_LIMITS, chatSession, chatSessionList } from '../../shared/domain/chat-sessions/model.ts';
import { type Api, type Call, expectError, expectProblems, type Person, read, startApi } from './harness.ts';

let api: Api;
let person: Person;
let other: Person;

beforeAll(async () => {
  api = await startApi({ environment: { CHAT_SESSIONS_PER_USER: '3' } });
});
afterAll(() => api.close());
beforeEach(async () => {
  [person, other] = await Promise.all([api.makePerson(), api.makePerson()]);
});

const ask = (method: NonNullable<Call['method']>, path: string, body?: unknown, asker = person) =>
  api.as(asker)(`/copilot/chat/sessions${path}`, { method, ...(body !== undefined && { body }) });
const begin = async (session_id: string, fields: object = {}) =>
  read(chatSession, await ask('POST', '', { session_id, ...fields }));
const idsOf = async (query = '') =>
  read(chatSessionList, await ask('GET', query)).sessions.map(({ session_id }) => session_id);
const said = (content: string) => ({ role: 'user', content });

test('a session is begun with what the client says of it, and read back whole', async () => {
  expect(await begin('bare')).toEqual({
    session_id: 'bare',
    title: 'New Chat',
    context: null,
    messages: [],
    created_at: expect.stringMatching(/\.\d{3}Z$/),
    updated_at: expect.stringMatching(/\.\d{3}Z$/),
  });
  const full = await begin('full', {
    title: 'Q3',
    context: { chip_id: 'CHIP', qid: '3' },
    messages: [
      { ...said('How is it?'), created_at: '2026-01-02T03:04:05+09:00' },
      { role: 'assistant', content: 'Well.', attached_image: 'aGk=' },
    ],
  });
  expect(full.context).toEqual({ chip_id: 'CHIP', qid: '3' });
  expect(full.messages).toEqual([
    { ...said('How is it?'), attached_image: null, created_at: '2026-01-01T18:04:05.000Z' },
    { role: 'assistant', content: 'Well.', attached_image: 'aGk=', created_at: full.created_at },
  ]);
  expect(read(chatSession, await ask('GET', '/full'))).toEqual(full);
  expect(read(chatSessionList, await ask('GET', ''))).toMatchObject({
    sessions: [
      { session_id: 'full', message_count: 2 },
      { session_id: 'bare', message_count: 0 },
    ],
  });
});

test('the session last used comes first, and the list has pages', async () => {
  for (const id of ['a', 'b', 'c']) await begin(id);
  await ask('PATCH', '/a', { title: 'again' });
  expect(await idsOf()).toEqual(['a', 'c', 'b']);
  expect(await idsOf('?skip=1&limit=1')).toEqual(['c']);
  expectProblems(await ask('GET', '?limit=501'), [['less_than_equal', 'query', 'limit']]);
});

test('a change replaces what it names and leaves what is null or absent', async () => {
  await begin('one', { context: { chip_id: 'CHIP' }, messages: [said('first'), said('second')] });
  const changed = read(
    chatSession,
    await ask('PATCH', '/one', { title: 'Named', context: null, messages: [said('only')] }),
  );
  expect(changed).toMatchObject({ title: 'Named', context: { chip_id: 'CHIP' } });
  expect(changed.messages).toMatchObject([{ content: 'only' }]);
  expect(read(chatSession, await ask('PATCH', '/one', { messages: null })).messages).toHaveLength(1);
  expect(read(chatSessionList, await ask('GET', '')).sessions[0]?.message_count).toBe(1);
});

test('messages that several append at once are all kept', async () => {
  await begin('busy');
  await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      ask('POST', '/busy/messages', { messages: [said(`question ${index}`), said(`answer ${index}`)] }),
    ),
  );
  const { messages } = read(chatSession, await ask('GET', '/busy'));
  expect(messages).toHaveLength(24);
  for (let at = 0; at < 24; at += 2) {
    expect(messages[at + 1]?.content).toBe(messages[at]?.content.replace('question', 'answer'));
  }
});

test("another user's session is not found, whatever is asked of it, and both may have the same id", async () => {
  await begin('mine', { messages: [said('secret')] });
  for (const [method, path, body] of [
    ['GET', '/mine', undefined],
    ['PATCH', '/mine', { title: 'x' }],
    ['POST', '/mine/messages', { messages: [said('x')] }],
    ['DELETE', '/mine', undefined],
  ] as const) {
    expectError(await ask(method, path, body, other), 404, 'not_found');
  }
  expect((await ask('POST', '', { session_id: 'mine' }, other)).status).toBe(200);
  expect(read(chatSession, await ask('GET', '/mine')).messages).toMatchObject([{ content: 'secret' }]);
  expectError(await ask('POST', '', { session_id: 'mine' }), 409, 'conflict');
});

test('a deleted session is gone', async () => {
  await begin('one');
  expect((await ask('DELETE', '/one')).body).toEqual({ deleted: true });
  for (const method of ['GET', 'DELETE'] as const) expectError(await ask(method, '/one'), 404, 'not_found');
});

test('sessions, messages and bytes are bounded', async () => {
  const image = 'x'.repeat(CHAT_LIMITS.image - 1000);
  await begin('large', { messages: [{ ...said('look'), attached_image: image }] });
  const more = { messages: [{ ...said('again'), attached_image: 'x'.repeat(2_000_000) }] };
  expectError(await ask('POST', '/large/messages', more), 413, 'too_large');
  expect(read(chatSession, await ask('GET', '/large')).messages).toHaveLength(1);
  await begin('long', { messages: Array.from({ length: CHAT_LIMITS.messages }, () => said('x')) });
  expectError(await ask('POST', '/long/messages', { messages: [said('x')] }), 413, 'too_large');
  expectProblems(await ask('POST', '', { session_id: 'a/b', context: { text: 'x'.repeat(20_001) } }), [
    ['string_pattern_mismatch', 'body', 'session_id'],
    ['value_error', 'body', 'context'],
  ]);
  expectProblems(await ask('POST', '/long/messages', { messages: [] }), [['too_short', 'body', 'messages']]);
  await begin('third');
  expect(expectError(await ask('POST', '', { session_id: 'fourth' }), 409, 'quota_exceeded')).toContain(
    'CHAT_SESSIONS_PER_USER',
  );
});

test('the sessions of a deleted account are deleted', async () => {
  const administrator = await api.makePerson({ system_role: 'admin' });
  await begin('one');
  await api.as(administrator)(`/admin/users/${person.username}`, { method: 'DELETE' });
  expect(await api.database.db.collection('chat_sessions').countDocuments({ user_id: person.id })).toBe(0);
});
