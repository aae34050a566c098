import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ChatMessageDocument } from '../../shared/domain/chat/model.ts';
import { chatWorkflowId } from '../../shared/domain/chat/workflow-model.ts';
import { newPost } from '../../shared/domain/forum/model.ts';
import type { Member } from '../../shared/domain/forum/rules.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import type { RunningWorkers } from '../../workers/workers.ts';
import { historyOf, replay } from '../support/histories.ts';
import { userNamed } from '../support/ids.ts';
import { type Laboratory, openLaboratory } from '../support/laboratory.ts';
import { startOwnWorkers } from '../support/own-workers.ts';
import { type SlackServer, startSlackServer } from './slack-server.ts';

const TOKEN = 'xoxb-secret-of-the-test';

let slack: SlackServer;
let lab: Laboratory;
let workers: RunningWorkers;
let member: Member;

beforeAll(async () => {
  slack = await startSlackServer(TOKEN);
  lab = await openLaboratory({
    SLACK_TOKEN: TOKEN,
    SLACK_CHANNEL: 'C42',
    SLACK_API_URL: slack.url,
    CLIENT_URL: 'http://lab.example/',
  });
  workers = await startOwnWorkers(lab);
});
afterAll(async () => {
  await workers.stop();
  await lab.close();
  await slack.close();
});
beforeEach(async () => {
  slack.messages.length = 0;
  slack.calls.length = 0;
  const { projectId } = await lab.newProject({ blank: true });
  member = { projectId, role: 'owner', actor: { user_id: userNamed('someone'), username: 'mia' } };
});

const begin = (content = 'It drifts.') =>
  lab.areas.forum.create(member, newPost.parse({ category: 'qubit', title: 'Readout <drifts>', content }));
const reply = (parent_id: string, content: string) =>
  lab.areas.forum.create(member, newPost.parse({ category: 'qubit', content, parent_id }));

/** Waits until nothing is left to send in a thread, and its workflow has ended. */
async function settled(id: string): Promise<ChatMessageDocument[]> {
  const handle = lab.engine.client.workflow.getHandle(chatWorkflowId(member.projectId, 'forum_post', id));
  const messages = lab.database.db.collection<ChatMessageDocument>('chat_messages');
  await expect
    .poll(async () => (await messages.countDocuments({ thread_id: id, state: 'pending' })) === 0)
    .toBe(true);
  await handle.result();
  return messages.find({ thread_id: id }).sort({ created_at: 1 }).toArray();
}

test('a thread has one message, and in its thread replies and changes of status, in order', async () => {
  const { id } = await begin('@qdash It drifts.\n\nA lot.');
  await reply(id, 'Since when?');
  await lab.areas.forum.change(member, id, { status: 'investigating', labels: ['anomaly'] });
  await lab.areas.forum.change(member, id, { labels: [] });
  await lab.areas.forum.setStatus(member, id, 'resolved');
  await lab.areas.forum.setStatus(member, id, 'resolved');
  await settled(id);
  const [root, ...rest] = slack.messages;
  expect(root).toEqual({
    ts: expect.any(String),
    channel: 'C42',
    text: `*<http://lab.example/forum/${id}|#1 Readout &lt;drifts&gt;>*`,
    thread_ts: null,
    attachments: [
      {
        text: 'It drifts.\nA lot.',
        color: '#3a5ccc',
        fields: [
          { title: 'Author', value: 'mia' },
          { title: 'Environment', value: 'local' },
          { title: 'Chip', value: '-' },
          { title: 'Target', value: '-' },
          { title: 'Category', value: 'qubit' },
        ],
      },
    ],
  });
  expect(rest.map(({ text, thread_ts, attachments }) => [text, thread_ts, attachments[0]?.color])).toEqual([
    ['*mia*', root?.ts, undefined],
    ['*mia: open → investigating*', root?.ts, '#d97706'],
    ['*mia: investigating → resolved*', root?.ts, '#18794e'],
  ]);
});

test('a chat that asks to wait, fails or breaks off is asked again, and nothing is told twice', async () => {
  slack.faults.push(
    { kind: 'rate_limited', retryAfter: 1 },
    { kind: 'status', status: 503 },
    { kind: 'cut_off' },
  );
  const { id } = await begin();
  await reply(id, 'Still there?');
  const sent = await settled(id);
  expect(sent.map(({ state }) => state)).toEqual(['sent', 'sent']);
  expect(slack.calls.length).toBe(5);
  expect(slack.messages.map(({ thread_ts }) => thread_ts)).toEqual([null, slack.messages[0]?.ts]);
});

test('a chat that refuses the first message gets no more messages about the thread, and the reason is stored', async () => {
  slack.faults.push({ kind: 'error', error: 'channel_not_found' });
  const { id } = await begin();
  await settled(id);
  await reply(id, 'Hello?');
  const kept = await settled(id);
  expect(kept.map(({ state, reason, message }) => [state, reason, message])).toEqual([
    ['failed', 'The chat refused it: channel_not_found.', undefined],
    ['skipped', 'Its thread was not begun in the chat.', undefined],
  ]);
  expect(slack.messages).toEqual([]);
});

test('what was kept while the engine was away is sent by the next round', async () => {
  const { id } = await begin();
  await settled(id);
  const messages = lab.database.db.collection<ChatMessageDocument>('chat_messages');
  const [first] = await messages.find({ thread_id: id }).toArray();
  if (!first) throw new Error('nothing was kept');
  const message = { headline: { text: 'late', url: null }, fields: [], text: '', color: null };
  const late = {
    ...first,
    _id: userNamed(`${first._id}/late`),
    rank: 1 as const,
    client_msg_id: 'late',
    state: 'pending' as const,
  };
  await messages.insertOne({ ...late, message });
  await lab.areas.chat.resume(new Date(Date.now() + 1000));
  await settled(id);
  expect(slack.messages.map(({ text }) => text).at(-1)).toBe('*late*');
});

test('neither texts nor the token are in the history of a delivery, which replays', async () => {
  const { id } = await begin('A very particular text.');
  slack.faults.push({ kind: 'error', error: 'internal_error' });
  await reply(id, 'Another very particular text.');
  await settled(id);
  const handle = lab.engine.client.workflow.getHandle(chatWorkflowId(member.projectId, 'forum_post', id));
  const { events } = await handle.fetchHistory();
  const payloads = JSON.stringify(events, (_, value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value,
  );
  expect(payloads).toContain(id);
  expect(payloads).not.toContain('particular text');
  expect(payloads).not.toContain(TOKEN);
  const histories = await historyOf(lab, 'chat-delivery', chatWorkflowId(member.projectId, 'forum_post', id));
  expect(await replay({ codePath: await workflowBundle(lab.cache) }, histories)).toEqual([]);
});
