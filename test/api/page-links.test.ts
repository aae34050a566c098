import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { ExecutionDocument } from '../../shared/domain/executions/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { executionNamed, taskNamed } from '../support/ids.ts';
import { operationsOf } from './fuzzed-requests.ts';
import { type Answer, type Api, type Person, read, startApi } from './harness.ts';
import { type Laboratory, makeLaboratory, storedExecution, storedTask } from './laboratory.ts';
import { type Known, liveIn } from './lived-in.ts';
import { queryOf } from './required-queries.ts';

let api: Api;
let admin: Person;
let laboratory: Laboratory;
let known: Known;

beforeAll(async () => {
  api = await startApi();
  const [owner, viewer] = await Promise.all([api.makePerson({ system_role: 'admin' }), api.makePerson()]);
  admin = owner;
  laboratory = await makeLaboratory(api, owner, viewer);
  known = await liveIn(api, laboratory, { owner, viewer });
  const { project } = laboratory;
  const { db } = api.database;
  for (const index of [0, 1, 2]) {
    const execution_id = `20260102-00${index}`;
    const task = {
      task_id: taskNamed(`task-${index}`),
      execution_id: executionNamed(execution_id),
      qid: '0',
      name: 'CheckT1',
    };
    await db
      .collection<ExecutionDocument>('executions')
      .insertOne(storedExecution(project, owner, { execution_id: executionNamed(execution_id) }));
    await db.collection<TaskResultDocument>('task_results').insertOne(storedTask(project, owner, task));
    await laboratory.as('/cryostats', { method: 'POST', body: { cryo_id: `CRYO-${index}` } });
    await laboratory.as('/copilot/chat/sessions', { method: 'POST', body: { session_id: `chat-${index}` } });
  }
});
afterAll(() => api.close());

const parameters = z.array(z.looseObject({ name: z.string(), in: z.string() }));

/** Every GET with a page in its query, as the document describes it. */
function pagedLists() {
  return operationsOf(api.server.swagger()).filter(({ method, parameters: given }) => {
    const names = parameters.parse(given).flatMap((each) => (each.in === 'query' ? [each.name] : []));
    return (
      method === 'GET' && names.includes('limit') && (names.includes('skip') || names.includes('offset'))
    );
  });
}

const lists = () => pagedLists().map((each) => ({ ...each, address: addressOf(each.path) }));

/** The address of a list in the laboratory, with the query that it needs. */
function addressOf(path: string): string {
  const inPath: Record<string, string> = {
    ...{ chip_id: 'CHIP', qid: '0', coupling_id: '0-1', execution_id: '20260102-000', name: 'rabi' },
    session_id: 'none',
  };
  const filled = path.replace(
    /\{([^}]+)\}/g,
    (_, name: string) => inPath[name] ?? known[name]?.[0] ?? 'none',
  );
  const query = queryOf[`GET ${path.replace(/\{([^}]+)\}/g, ':$1')}`] ?? '';
  return `${filled}?${query}`;
}

/** The entries of a page: the answer itself, or the first list in it, or the first map. */
function entriesOf({ body }: Answer): unknown[] {
  if (Array.isArray(body)) return body;
  const fields = Object.values(z.record(z.string(), z.unknown()).parse(body));
  const list = fields.find(Array.isArray);
  if (list) return list;
  const map = fields.find((each) => typeof each === 'object' && each !== null);
  return Object.entries(map ?? {});
}

/** The address of the next page, as a client finds it. */
function nextOf({ headers }: Answer, address: string): string | undefined {
  const [, reference] = /^<([^>]*)>; rel="next"$/.exec(String(headers['link'])) ?? [];
  if (reference === undefined) return undefined;
  const next = new URL(reference, `http://service.example${address}`);
  return `${next.pathname}${next.search}`;
}

test('following the links from page to page gives every list whole, and the last page has none', async () => {
  const long: string[] = [];
  for (const { path, address } of lists()) {
    const ask = api.as(admin, laboratory.project);
    const whole = await ask(address);
    if (whole.status === 404) continue;
    expect([path, whole.status, whole.headers['link']]).toEqual([path, 200, undefined]);
    const entries = entriesOf(whole);
    const found: unknown[] = [];
    let next: string | undefined = `${address}&limit=1`;
    for (let page = 0; next !== undefined && page < entries.length + 2; page += 1) {
      const answer: Answer = await ask(next);
      expect([path, answer.status]).toEqual([path, 200]);
      found.push(...entriesOf(answer));
      next = nextOf(answer, next);
    }
    expect([path, found]).toEqual([path, entries]);
    if (entries.length > 1) long.push(path);
  }
  expect(long).toEqual(
    expect.arrayContaining([
      '/executions',
      '/task-results',
      '/chips/{chip_id}/qubits',
      '/cryostats',
      '/copilot/chat/sessions',
      '/admin/audit',
    ]),
  );
});

test('a link keeps the rest of the query, and holds behind any path prefix', async () => {
  const answer = await laboratory.as('/executions?chip_id=CHIP&limit=1&status=completed');
  const [, reference = ''] = /^<([^>]*)>/.exec(String(answer.headers['link'])) ?? [];
  const next = new URL(reference, 'https://lab.example/calibron/executions?chip_id=CHIP&limit=1');
  expect(next.pathname).toBe('/calibron/executions');
  expect(Object.fromEntries(next.searchParams)).toEqual({
    ...{ chip_id: 'CHIP', limit: '1', status: 'completed', skip: '1' },
  });
});

test('a page that is refused, or is no list, has no link', async () => {
  expect((await laboratory.as('/executions?chip_id=CHIP&limit=0')).headers).not.toHaveProperty('link');
  expect((await laboratory.as('/chips/CHIP')).headers).not.toHaveProperty('link');
});

/** Lists that are older than the rule, and keep their forms. */
const older = [
  ...[
    '/admin/audit',
    '/admin/projects',
    '/admin/users',
    '/agent-sessions/{session_id}/actions',
    '/approvals',
  ],
  ...['/chips/{chip_id}/couplings', '/chips/{chip_id}/note-events', '/chips/{chip_id}/qubits'],
  ...['/cooldowns', '/cooldowns/{cooldown_id}/wiring-events', '/copilot/chat/sessions', '/cryostats'],
  ...[
    '/executions',
    '/executions/{execution_id}/log',
    '/executions/{execution_id}/stages',
    '/flows/schedules',
  ],
  ...['/flows/{name}/schedules', '/forum/posts', '/forum/posts/{post_id}/replies', '/issues'],
  '/metrics/chips/{chip_id}/couplings/{coupling_id}/history',
  '/metrics/chips/{chip_id}/qubits/{qid}/history',
  ...['/note-events/by-target', '/note-events/search', '/notifications'],
  ...['/task-results/couplings/{coupling_id}/history', '/task-results/qubits/{qid}/history'],
  '/task-results/{task_id}/issues',
];

test('a new list pages with skip and limit, and answers items, total, skip and limit', async () => {
  const described = z.object({
    paths: z.record(z.string(), z.record(z.string(), z.unknown())),
    components: z.object({ schemas: z.record(z.string(), z.looseObject({})) }),
  });
  const { paths, components } = read(described, await api.call('/openapi.json'));
  const page = z.looseObject({
    required: z
      .array(z.string())
      .refine((names) => ['items', 'total', 'skip', 'limit'].every((each) => names.includes(each))),
  });
  const odd = pagedLists().filter(({ path, parameters: given }) => {
    const answer = /"200":\{.*?"\$ref":"#\/components\/schemas\/(\w+)"/.exec(
      JSON.stringify(paths[path]?.['get']),
    );
    const isNew = parameters.parse(given).some(({ name }) => name === 'skip');
    return !isNew || !page.safeParse(components.schemas[answer?.[1] ?? '']).success;
  });
  expect(odd.map(({ path }) => path).sort()).toEqual([...older].sort());
});

test('the document says which answers have a link', async () => {
  const { paths } = read(
    z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) }),
    await api.call('/openapi.json'),
  );
  for (const { path } of pagedLists()) {
    expect([path, JSON.stringify(paths[path]?.['get'])]).toEqual([
      path,
      expect.stringContaining('"headers":{"Link"'),
    ]);
  }
});
