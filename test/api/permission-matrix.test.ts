import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { menuBody } from '../../shared/domain/menus/model.ts';
import type { MembershipDocument } from '../../shared/domain/projects/model.ts';
import { entityId } from '../../shared/domain/provenance/rules.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { executionIdSchema, keyOf, type ProjectId } from '../../shared/kernel/ids.ts';
import { executionNamed, taskNamed, userNamed } from '../support/ids.ts';
import type { Access } from './access.ts';
import { type Answer, type Api, type Call, expectError, type Person, read, startApi } from './harness.ts';
import { storedTask } from './laboratory.ts';
import { accessOf } from './permission-matrix.ts';
import { queryOf } from './required-queries.ts';

const code = `export async function only_theirs(session) {
  session.log('nothing');
}
`;

interface Route {
  name: string;
  method: NonNullable<Call['method']>;
  url: string;
  access: Access;
}

const methods = z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
const routes = Object.entries(accessOf).map(([name, access]): Route => {
  const [method, url = ''] = name.split(' ');
  return { name, method: methods.parse(method), url, access };
});
/** Routes whose project is in the header, not in the path. */
const scopedByHeader = routes.filter(
  ({ access, url }) => ['viewer', 'editor', 'owner'].includes(access) && !url.includes(':project_id'),
);

let api: Api;
/** A project with one of everything, and who is what in it. */
let project: ProjectId;
let people: Record<'stranger' | 'former' | 'viewer' | 'editor' | 'owner' | 'administrator', Person>;
/** Another project, of the stranger, in which there is nothing. */
let emptyProject: string;
/** The values of the parts of a path in the project with one of everything. */
let things: Record<string, string>;

beforeAll(async () => {
  api = await startApi({ engine: 'prepared' });
  const [stranger, former, viewer, editor, owner, administrator] = await Promise.all([
    api.makePerson(),
    api.makePerson(),
    api.makePerson(),
    api.makePerson(),
    api.makePerson(),
    api.makePerson({ system_role: 'admin' }),
  ]);
  people = { stranger, former, viewer, editor, owner, administrator };
  project = await api.makeProject(owner);
  emptyProject = await api.makeProject(stranger);
  await api.addMember(project, viewer, 'viewer');
  await api.addMember(project, editor, 'editor');
  await api.addMember(project, former, 'editor', 'revoked');
  things = { project_id: project, ...(await fillProject(owner)) };
  const menu = menuBody.parse({ name: things['name'], schedule: '0', tasks: ['CheckT1'] });
  await api.areas.menus.create(project, { _id: userNamed(viewer.id), username: viewer.username }, menu);
});
afterAll(() => api.close());

async function fillProject(owner: Person): Promise<Record<string, string>> {
  const post = (url: string, body?: unknown) => api.as(owner, project)(url, { method: 'POST', body });
  await post('/chips', { chip_id: 'CHIP', size: 4 });
  await post('/cryostats', { cryo_id: 'CRYO' });
  await post('/cooldowns', { cooldown_id: 'COLD', cryo_id: 'CRYO', started_at: '2026-01-01' });
  await post('/flows', { name: 'only_theirs', code, chip_id: 'CHIP' });
  const started = read(
    z.object({ execution_id: executionIdSchema, flow_run_id: z.string() }),
    await post('/flows/only_theirs/execute'),
  );
  const at = new Date('2026-01-02T03:04:05Z');
  await api.areas.provenance.add({
    project_id: project,
    chip_id: 'CHIP',
    execution_id: executionNamed('20260102-000'),
    task_id: taskNamed('task'),
    task_name: 'CheckT1',
    task_type: 'qubit',
    qid: '0',
    status: 'completed',
    started_at: at,
    ended_at: at,
    outputs: [{ parameter_name: 't1', value: 50, value_type: 'float', unit: 'µs', error: 0.5 }],
    used_entities: [],
  });
  await api.database.db
    .collection<TaskResultDocument>('task_results')
    .insertOne(
      storedTask(project, owner, { task_id: taskNamed('task'), execution_id: started.execution_id }),
    );
  await api.as(owner, project)('/task-results/task/note', { method: 'PUT', body: { content: 'seen' } });
  const { id: issue_id } = read(
    z.object({ id: z.string() }),
    await post('/task-results/task/issues', { title: 'odd', content: 'The fit is odd.' }),
    201,
  );
  await api.as(owner, project)(`/issues/${issue_id}/close`, { method: 'PATCH' });
  const { id: knowledge_id } = read(
    z.object({ id: z.string() }),
    await post(`/issues/${issue_id}/extract-knowledge`),
    201,
  );
  return {
    ...started,
    chip_id: 'CHIP',
    cryo_id: 'CRYO',
    cooldown_id: 'COLD',
    qid: '0',
    coupling_id: '0-1',
    mux_id: '0',
    metric: 't1',
    topology_id: 'linear-16',
    name: 'only_theirs',
    task_id: 'task',
    issue_id,
    knowledge_id,
    entity_id: entityId('t1', '0', executionNamed('20260102-000'), taskNamed('task')),
    username: owner.username,
  };
}

/** Well-formed values for things that do not exist. */
const formed: Readonly<Record<string, string>> = { index: '999', recorded_date: '20260102' };

/** A route's address with the given things in it; what is not given is something unknown. */
function addressOf(route: Route, known: Readonly<Record<string, string>>): string {
  const path = route.url
    .replace(/:([a-z_]+)/g, (_, name: string) => encodeURIComponent(known[name] ?? formed[name] ?? 'unknown'))
    .replace('*', 'index.html');
  const query = queryOf[route.name];
  return query ? `${path}?${query}` : path;
}

/** A stream of events ends with its run only. */
const isEndless = (route: Route) => route.url.endsWith('/events');

/**
 * A request that shows whether its maker may make it, and changes nothing even where so: permission is judged before
 * the body, and this body cannot be read.
 */
function probe(route: Route): Call {
  if (route.method === 'GET') return {};
  return { method: route.method, text: '{', headers: { 'content-type': 'application/json' } };
}

const codeOf = (answer: Answer) => z.object({ code: z.string() }).safeParse(answer.body).data?.code;

/** What somebody with this standing gets for a route: null when it may be asked. */
function refusal(access: Access, standing: 'nobody' | keyof typeof people): string | null {
  if (access === 'anyone') return null;
  if (access === 'measurement') return 'not_authenticated';
  if (standing === 'nobody') return 'not_authenticated';
  if (access === 'user') return null;
  if (access === 'administrator') return standing === 'administrator' ? null : 'admin_required';
  const rank = { viewer: 1, editor: 2, owner: 3 };
  const own = standing === 'viewer' || standing === 'editor' || standing === 'owner' ? rank[standing] : 0;
  return own >= rank[access] ? null : 'forbidden';
}

test('every route of the server has a line in the table, and every line a route', () => {
  const served = api.server.knownRoutes
    .all()
    .filter(({ method }) => method !== 'HEAD')
    .map(({ method, url }) => `${method} ${url}`);
  expect(served.sort()).toEqual(Object.keys(accessOf).sort());
});

describe('the table holds for', () => {
  test('somebody without a token', async () => {
    for (const route of routes) {
      await expectStanding(route, 'nobody', await api.call(addressOf(route, things), probe(route)));
    }
  });

  for (const standing of ['stranger', 'former', 'viewer', 'editor', 'owner', 'administrator'] as const) {
    test(`the ${standing} of a project`, async () => {
      const as = api.as(people[standing], project);
      for (const route of routes) {
        const address = addressOf(route, isEndless(route) ? {} : things);
        await expectStanding(route, standing, await as(address, probe(route)));
      }
    });
  }

  async function expectStanding(route: Route, standing: Parameters<typeof refusal>[1], answer: Answer) {
    const refused = refusal(route.access, standing);
    if (refused) {
      expect([route.name, answer.status, codeOf(answer)]).toEqual([
        route.name,
        refused === 'not_authenticated' ? 401 : 403,
        refused,
      ]);
      return;
    }
    expect([route.name, answer.status < 500 && ![401, 403].includes(answer.status)]).toEqual([
      route.name,
      true,
    ]);
    if (route.method !== 'GET') expect([route.name, answer.status >= 400]).toEqual([route.name, true]);
  }
});

test('a viewer may read all that there is', async () => {
  const as = api.as(people.viewer, project);
  const known = routes.filter(
    (route) =>
      route.method === 'GET' &&
      route.access === 'viewer' &&
      !isEndless(route) &&
      !queryOf[route.name]?.includes('date=') && // of that day there is no history
      (route.url.match(/:[a-z_]+/g) ?? []).every((part) => part.slice(1) in things),
  );
  expect(known.length).toBeGreaterThan(20);
  for (const route of known) {
    expect([route.name, (await as(addressOf(route, things))).status]).toEqual([route.name, 200]);
  }
});

test("another project's things are 404, and in no list", async () => {
  const as = api.as(people.stranger, emptyProject);
  const marks = [project, people.owner.username, things['execution_id'], things['entity_id'], 'only_theirs'];
  for (const route of scopedByHeader.filter(({ method }) => method === 'GET')) {
    const answer = await as(addressOf(route, things));
    if (Object.keys(things).some((name) => route.url.includes(`:${name}`))) {
      expect([route.name, answer.status]).toEqual([route.name, 404]);
    } else {
      expect(
        marks.filter((mark) => answer.text.includes(mark ?? '')).map((mark) => [route.name, mark]),
      ).toEqual([]);
    }
  }
});

test('every route inside a project asks for one', async () => {
  const newcomer = await api.makePerson();
  for (const route of scopedByHeader) {
    const answer = await api.as(newcomer)(addressOf(route, things), probe(route));
    expect([route.name, answer.status, codeOf(answer)]).toEqual([route.name, 400, 'project_required']);
  }
});

test('a default project whose membership was lost is 403, also where another project is owned', async () => {
  const leaver = await api.makePerson({ default_project_id: project });
  await api.makeProject(leaver);
  await api.addMember(project, leaver, 'editor');
  expect((await api.as(leaver)('/chips')).status).toBe(200);
  await api.database.db
    .collection<MembershipDocument>('memberships')
    .updateOne({ _id: keyOf(project, leaver.id) }, { $set: { status: 'revoked' } });
  for (const route of scopedByHeader) {
    expectError(await api.as(leaver)(addressOf(route, things), probe(route)), 403, 'forbidden');
  }
});
