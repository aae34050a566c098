import { issue } from '../../shared/domain/issues/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { taskNamed } from '../support/ids.ts';
import { type Creation, elements, first, form, type Place, post, put } from './creations.ts';
import { read } from './harness.ts';
import { storedTask } from './laboratory.ts';

const thread = { category: 'qubit', title: 'A title', content: 'A text' };
const note = { content: 'A note' };

/** The smallest picture. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const asAdministrator = (at: Place, url: string, body?: unknown) =>
  at.api.as(at.administrator)(url, { method: 'POST', ...(body !== undefined && { body }) });

/** A note of a target or result: each change adds an event. */
const noteAt = (route: string, url: (at: Place) => string): Creation => ({
  route: `PUT ${route}`,
  collection: 'note_events',
  prepare: (at, name) => () => put(at, url(at), { content: name }),
});

const commentAt = (route: string, url: string): Creation => ({
  route: `POST ${route}`,
  collection: 'note_comments',
  prepare: (at) => () => post(at, url, note),
});

/** What people create: accounts, projects, posts, issues, notes and chats. */
export const creationsOfPeople: readonly Creation[] = [
  {
    route: 'POST /projects',
    collection: 'projects',
    prepare: (at, name) => () => at.api.as(at.owner)('/projects', { method: 'POST', body: { name } }),
  },
  {
    route: 'POST /auth/register',
    collection: 'users',
    prepare: (at, username) => () => asAdministrator(at, '/auth/register', { username }),
  },
  {
    route: 'POST /api/auth/register',
    collection: 'users',
    prepare: (at, username) => () =>
      asAdministrator(at, '/api/auth/register', {
        username,
        password: 'horse battery staple',
        full_name: 'A',
      }),
  },
  {
    route: 'POST /admin/users/bulk-import',
    collection: 'users',
    prepare: (at, name) => () =>
      at.api.as(at.administrator)('/admin/users/bulk-import', {
        method: 'POST',
        ...form('text/csv', 'users.csv', Buffer.from(`username\r\n${name}\r\n`)),
      }),
  },
  {
    route: 'POST /admin/users/{username}/project',
    collection: 'projects',
    async prepare(at) {
      const { username } = await at.api.makePerson();
      return () => asAdministrator(at, `/admin/users/${username}/project`);
    },
  },
  {
    route: 'POST /auth/tokens',
    collection: 'program_tokens',
    prepare: (at, name) => () => post(at, '/auth/tokens', { name, scopes: ['read'] }),
  },
  {
    route: 'POST /projects/{project_id}/service-accounts',
    collection: 'users',
    prepare: (at, name) => () => post(at, `/projects/${at.laboratory.project}/service-accounts`, { name }),
  },
  {
    route: 'POST /projects/{project_id}/members',
    named: true,
    collection: 'memberships',
    async prepare(at) {
      const { username } = await at.api.makePerson();
      return () => post(at, `/projects/${at.laboratory.project}/members`, { username, role: 'viewer' });
    },
  },
  {
    route: 'POST /admin/projects/{project_id}/members',
    named: true,
    collection: 'memberships',
    async prepare(at) {
      const { username } = await at.api.makePerson();
      const url = `/admin/projects/${at.laboratory.project}/members`;
      return () => asAdministrator(at, url, { username, role: 'viewer' });
    },
  },
  {
    route: 'POST /forum/categories',
    collection: 'forum_categories',
    prepare: (at, name) => () => post(at, '/forum/categories', { key: name, name }),
  },
  {
    route: 'POST /forum/posts',
    what: 'a thread',
    collection: 'forum_threads',
    prepare: (at) => () => post(at, '/forum/posts', thread),
  },
  {
    route: 'POST /forum/posts',
    what: 'a reply',
    collection: 'forum_replies',
    prepare: (at) => () =>
      post(at, '/forum/posts', { category: 'qubit', content: 'A reply', parent_id: first(at, 'post_id') }),
  },
  {
    route: 'POST /forum/posts/{post_id}/ai-reply/stream',
    collection: 'forum_replies',
    prepare: (at) => () =>
      post(at, `/forum/posts/${first(at, 'post_id')}/ai-reply/stream`, { user_message: '@qdash why?' }),
  },
  {
    route: 'POST /forum/upload-image',
    collection: 'images',
    prepare: (at) => () =>
      at.laboratory.as('/forum/upload-image', { method: 'POST', ...form('image/png', 'a.png', picture) }),
  },
  {
    route: 'POST /issues/upload-image',
    collection: 'images',
    prepare: (at) => () =>
      at.laboratory.as('/issues/upload-image', { method: 'POST', ...form('image/png', 'a.png', picture) }),
  },
  {
    route: 'POST /task-results/{task_id}/issues',
    what: 'an issue',
    collection: 'issues',
    async prepare(at, task_id) {
      const results = at.api.database.db.collection<TaskResultDocument>('task_results');
      await results.insertOne(storedTask(at.laboratory.project, at.owner, { task_id: taskNamed(task_id) }));
      return () => post(at, `/task-results/${task_id}/issues`, { title: 'Short', content: 'Why?' });
    },
  },
  {
    route: 'POST /task-results/{task_id}/issues',
    what: 'a reply',
    collection: 'issues',
    command: 'findAndModify',
    count: elements('issues', 'replies'),
    prepare: (at) => () =>
      post(at, `/task-results/${first(at, 'task_id')}/issues`, {
        content: 'A reply',
        parent_id: first(at, 'issue_id'),
      }),
  },
  {
    route: 'POST /issues/{issue_id}/ai-reply/stream',
    collection: 'issues',
    command: 'findAndModify',
    count: elements('issues', 'replies'),
    prepare: (at) => () =>
      post(at, `/issues/${first(at, 'issue_id')}/ai-reply/stream`, { user_message: '@qdash why?' }),
  },
  {
    route: 'POST /issues/{issue_id}/extract-knowledge',
    collection: 'knowledge_cases',
    command: 'update',
    async prepare(at) {
      const body = { title: 'Short', content: 'Why?' };
      const { id } = read(issue, await post(at, `/task-results/${first(at, 'task_id')}/issues`, body), 201);
      await at.laboratory.as(`/issues/${id}/close`, { method: 'PATCH' });
      return () => post(at, `/issues/${id}/extract-knowledge`);
    },
  },
  commentAt('/chips/{chip_id}/qubits/{qid}/note/comments', '/chips/CHIP/qubits/0/note/comments'),
  commentAt(
    '/chips/{chip_id}/couplings/{coupling_id}/note/comments',
    '/chips/CHIP/couplings/0-1/note/comments',
  ),
  noteAt('/chips/{chip_id}/note', () => '/chips/CHIP/note'),
  noteAt('/chips/{chip_id}/qubits/{qid}/note', () => '/chips/CHIP/qubits/1/note'),
  noteAt('/chips/{chip_id}/couplings/{coupling_id}/note', () => '/chips/CHIP/couplings/0-1/note'),
  noteAt(
    '/chips/{chip_id}/qubits/{qid}/metric-notes/{metric_key}',
    () => '/chips/CHIP/qubits/1/metric-notes/t1',
  ),
  noteAt(
    '/chips/{chip_id}/couplings/{coupling_id}/metric-notes/{metric_key}',
    () => '/chips/CHIP/couplings/0-1/metric-notes/zx90_gate_fidelity',
  ),
  noteAt('/task-results/{task_id}/note', (at) => `/task-results/${first(at, 'task_id')}/note`),
  {
    route: 'POST /copilot/chat/sessions',
    collection: 'chat_sessions',
    prepare: (at, session_id) => () => post(at, '/copilot/chat/sessions', { session_id }),
  },
  {
    route: 'POST /copilot/chat/sessions/{session_id}/messages',
    collection: 'chat_sessions',
    command: 'findAndModify',
    count: elements('chat_sessions', 'messages'),
    prepare: (at) => () =>
      post(at, '/copilot/chat/sessions/chat/messages', { messages: [{ role: 'user', content: 'Why?' }] }),
  },
];
