import { afterAll, beforeAll, expect, test } from 'vitest';
import { startedRun } from '../../../shared/domain/runs/model.ts';
import { keyOf } from '../../../shared/kernel/ids.ts';
import { eventually } from '../../support/laboratory.ts';
import { type Api, expectError, type Person, read, startApi } from '../harness.ts';
import { type Laboratory, makeLaboratory } from '../laboratory.ts';
import { type EventListener, listen } from './event-listener.ts';

const PER_USER = 3;
let api: Api;
let owner: Person;
let admin: Person;
let lab: Laboratory;
let base: string;
let execution: string;
/** Listens from the beginning, and keeps the right to. */
let staying: EventListener;
let disturbed = false;

beforeAll(async () => {
  api = await startApi({ engine: 'prepared', environment: { EVENT_STREAMS_PER_USER: String(PER_USER) } });
  [owner, admin] = await Promise.all([api.makePerson(), api.makePerson({ system_role: 'admin' })]);
  lab = await makeLaboratory(api, owner, await api.makePerson());
  base = await api.server.listen({ host: '127.0.0.1', port: 0 });
  // No worker runs, so the run and its events stay open.
  execution = read(startedRun, await lab.execute({})).execution_id;
  staying = (await newListener()).listener;
  const note = () => {
    disturbed = true;
  };
  staying.ended.then(note, note);
});
afterAll(async () => {
  await lab.free();
  await api.close();
});

/** A member who listens to the run. */
async function newListener(): Promise<{ member: Person; listener: EventListener }> {
  const member = await api.makePerson();
  await api.addMember(lab.project, member, 'viewer');
  return { member, listener: await listenAs(member) };
}

async function listenAs(person: Person, project = lab.project): Promise<EventListener> {
  const listener = await listen(`${base}/executions/${execution}/events`, {
    authorization: `Bearer ${person.token}`,
    'x-project-id': project,
  });
  if (listener.status === 200) await eventually(async () => listener.events.length > 0);
  return listener;
}

const asAdmin = (url: string, method: 'PUT' | 'POST' | 'DELETE', body?: unknown) =>
  api.as(admin)(url, { method, ...(body !== undefined && { body }) });

/** What ends a member's right to listen, over the API. */
const ends: [string, (member: Person) => Promise<{ status: number }>][] = [
  ['logs out', (member) => api.as(member)('/auth/logout', { method: 'POST' })],
  [
    'changes the password from another token',
    async (member) => {
      const other = { ...member, token: await api.signIn(member.username, member.password) };
      const body = { current_password: member.password, new_password: 'another good password' };
      return api.as(other)('/auth/change-password', { method: 'POST', body });
    },
  ],
  ['is disabled', ({ username }) => asAdmin(`/admin/users/${username}`, 'PUT', { disabled: true })],
  ['is deleted', ({ username }) => asAdmin(`/admin/users/${username}`, 'DELETE')],
  [
    'gets another password from an administrator',
    ({ username }) => asAdmin('/auth/reset-password', 'POST', { username }),
  ],
  [
    'is removed from the project',
    ({ username }) => lab.as(`/projects/${lab.project}/members/${username}`, { method: 'DELETE' }),
  ],
];

test.each(ends)('the events of a member who %s end at once', async (_, end) => {
  const { member, listener } = await newListener();
  expect((await end(member)).status).toBeLessThan(300);
  await listener.ended;
  expect(listener.events.at(-1)?.event).not.toBe('end');
});

test('a removal that another process made is noticed within seconds', async () => {
  const { member, listener } = await newListener();
  await api.database.db
    .collection<{ _id: string }>('memberships')
    .updateOne({ _id: keyOf(lab.project, member.id) }, { $set: { status: 'revoked' } });
  await listener.ended;
});

test('the events of a project end for all when it is deleted', async () => {
  const person = await api.makePerson();
  const own = await makeLaboratory(api, person, await api.makePerson());
  const { execution_id } = read(startedRun, await own.execute({}));
  const listener = await listen(`${base}/executions/${execution_id}/events`, {
    authorization: `Bearer ${person.token}`,
    'x-project-id': own.project,
  });
  await api.areas.projects.hide(own.project);
  await listener.ended;
  await own.free();
});

test('a user has a limited number of streams, and may open the next one when one has ended', async () => {
  const { member, listener } = await newListener();
  const more = await Promise.all(Array.from({ length: PER_USER - 1 }, () => listenAs(member)));
  const over = await api.as(member, lab.project)(`/executions/${execution}/events`);
  expect(expectError(over, 429, 'too_many_requests')).toBe(
    'You have 3 event streams open, the most that are allowed; close one first.',
  );
  const { listener: another } = await newListener();
  expect(another.status).toBe(200);
  listener.close();
  const next = await eventually(async () => {
    const opened = await listenAs(member);
    return opened.status === 200 && opened;
  });
  for (const each of [...more, another, next]) each.close();
});

test('who still may listen was not disturbed by all this', () => {
  expect(disturbed).toBe(false);
  staying.close();
});
