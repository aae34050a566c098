import { z } from 'zod';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { taskNamed } from '../support/ids.ts';
import { type Api, type Person, read } from './harness.ts';
import { type Laboratory, storedTask } from './laboratory.ts';

/** Names of things that there are, by the parameter or field that takes them. */
export type Known = Readonly<Record<string, readonly string[]>>;

const made = z.looseObject({ id: z.string() });
const commented = z.looseObject({ comment_id: z.string() });
const inbox = z.looseObject({ notifications: z.array(made) });
const stats = z.looseObject({ recent_entities: z.array(z.looseObject({ entity_id: z.string() })) });

/**
 * Fills a laboratory with what people leave in one: threads, issues, a knowledge case, notes, a cool-down, a
 * conversation, and a value with its origin.
 */
export async function liveIn(
  api: Api,
  { project, as }: Laboratory,
  { owner, viewer }: { owner: Person; viewer: Person },
): Promise<Known> {
  const post = (url: string, body: unknown = {}) => as(url, { method: 'POST', body });
  const task_id = `task-${Math.random().toString(36).slice(2)}`;
  const results = api.database.db.collection<TaskResultDocument>('task_results');
  await results.insertOne(storedTask(project, owner, { task_id: taskNamed(task_id), qid: '0' }));
  const thread = { category: 'qubit', title: 'A title', content: 'A text' };
  const { id: post_id } = read(made, await post('/forum/posts', thread), 201);
  const reply = { category: 'qubit', content: 'A reply', parent_id: post_id };
  const replied = await api.as(viewer, project)('/forum/posts', { method: 'POST', body: reply });
  const { id: reply_id } = read(made, replied, 201);
  const opened = () => post(`/task-results/${task_id}/issues`, { title: 'Short T1', content: 'Why?' });
  const [{ id: open }, { id: closed }] = [read(made, await opened(), 201), read(made, await opened(), 201)];
  await as(`/issues/${closed}/close`, { method: 'PATCH' });
  const { id: knowledge_id } = read(made, await post(`/issues/${closed}/extract-knowledge`), 201);
  await post('/cryostats', { cryo_id: 'CRYO' });
  await post('/cooldowns', { cooldown_id: 'CD', cryo_id: 'CRYO', started_at: '2026-01-01T00:00:00Z' });
  await post('/cooldowns/CD/chips/CHIP');
  await post('/copilot/chat/sessions', { session_id: 'chat' });
  const note = { content: 'A note' };
  const { comment_id } = read(commented, await post('/chips/CHIP/qubits/0/note/comments', note));
  await as('/chips/CHIP/qubits/0/metric-notes/t1', { method: 'PUT', body: note });
  await as(`/task-results/${task_id}/note`, { method: 'PUT', body: note });
  const edit = { chip_id: 'CHIP', qid: '0', parameters: { t1: 40 } };
  await as('/calibrations/parameters', { method: 'PATCH', body: edit });
  const { recent_entities } = read(stats, await as('/provenance/stats'));
  const { notifications } = read(inbox, await api.as(owner)('/notifications'));
  return {
    post_id: [post_id, reply_id],
    parent_id: [post_id, reply_id, open],
    issue_id: [open, closed],
    knowledge_id: [knowledge_id],
    task_id: [task_id],
    source_task_id: [task_id],
    category: ['qubit'],
    category_key: ['qubit', 'other'],
    cryo_id: ['CRYO'],
    cooldown_id: ['CD'],
    session_id: ['chat'],
    comment_id: [comment_id],
    metric_key: ['t1'],
    parameter_name: ['t1'],
    entity_id: recent_entities.map(({ entity_id }) => entity_id),
    notification_id: notifications.map(({ id }) => id),
  };
}
