import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { seedQubits } from '../../../shared/domain/chips/index.ts';
import { executionEvents } from '../../../shared/domain/runs/event-model.ts';
import { startedRun } from '../../../shared/domain/runs/model.ts';
import {
  type ExecutionId,
  type ProjectId,
  projectIdSchema,
  taskIdSchema,
} from '../../../shared/kernel/ids.ts';
import { createLog } from '../../../shared/kernel/log.ts';
import { newId } from '../../../shared/kernel/new-ids.ts';
import { administrator, commonLaboratory } from '../../support/common-laboratory.ts';
import { buildCheckedServer } from '../../support/documented-answers.ts';
import { executionNamed } from '../../support/ids.ts';
import { eventually, type Laboratory } from '../../support/laboratory.ts';
import { type EventListener, listen } from './event-listener.ts';

let lab: Laboratory;
let server: FastifyInstance;
let base: string;
let token: string;
let project: ProjectId;

async function startServer(): Promise<void> {
  const settings = { ...lab.settings, EVENT_STREAMS_PER_USER: 200 };
  server = await buildCheckedServer({ ...lab, settings, log: createLog('test', 'SILENT') });
  base = await server.listen({ host: '127.0.0.1', port: 0 });
}

beforeAll(async () => {
  lab = await commonLaboratory();
  await startServer();
  const login = await fetch(`${base}/auth/login`, {
    method: 'POST',
    body: new URLSearchParams(administrator),
  });
  token = z.object({ access_token: z.string() }).parse(await login.json()).access_token;
  project = z
    .object({ project_id: projectIdSchema })
    .parse(await ask('/projects', { name: `Lab ${newId()}` })).project_id;
  await lab.setFaults({ rules: [{ match: { project_id: project }, behaviour: 'slow', seconds: 0.1 }] });
  await ask('/chips', { chip_id: 'A16', size: 16 });
  const qids = Array.from({ length: 16 }, (_, qubit) => String(qubit));
  await seedQubits(
    lab.seedStores,
    { project_id: project, chip_id: 'A16' },
    new Map(qids.map((qid) => [qid, lab.simulator.startValues('A16', qid, new Date())])),
  );
  await ask('/flows', {
    name: 'watched',
    chip_id: 'A16',
    code: `export async function watched(session) {
  await session.run({ name: 'rabi', tasks: ['CheckRabi', 'CheckT1'], targets: session.targets.all(), parallel: 4 });
}
`,
  });
});
afterAll(() => server.close());

const identity = () => ({ authorization: `Bearer ${token}`, ...(project && { 'x-project-id': project }) });

async function ask(path: string, body: unknown): Promise<unknown> {
  const response = await fetch(`${base}${path}`, {
    method: 'POST',
    headers: { ...identity(), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.ok, `${path}: ${response.status}`).toBe(true);
  return response.json();
}

async function start() {
  await lab.free(project);
  return startedRun.parse(await ask('/flows/watched/execute', { parameters: {} }));
}

const watch = (executionId: ExecutionId, lastEventId?: number): Promise<EventListener> =>
  listen(`${base}/executions/${executionId}/events`, {
    ...identity(),
    ...(lastEventId !== undefined && { 'last-event-id': String(lastEventId) }),
  });

const tasksOf = ({ events }: EventListener) => events.filter(({ event }) => event === 'task');
const last = ({ events }: EventListener) => events.at(-1);

test('a listener hears the state, the progress and each end of a task once, and the end of the run', async () => {
  const run = await start();
  const listener = await watch(executionNamed(run.flow_run_id));
  expect(listener.status).toBe(200);
  expect(listener.headers['content-type']).toBe('text/event-stream; charset=utf-8');
  await listener.ended;
  for (const { event, data } of listener.events) {
    const shape: z.ZodType = executionEvents.shape[z.keyof(executionEvents).parse(event)];
    expect(shape.safeParse(data).success, `${event}: ${JSON.stringify(data)}`).toBe(true);
  }
  const tasks = tasksOf(listener);
  expect(tasks.map(({ id }) => id)).toEqual(Array.from({ length: 32 }, (_, number) => String(number + 1)));
  const rows = await lab.tasksOf(project, run.execution_id);
  expect(new Set(tasks.map(({ data }) => z.object({ task_id: taskIdSchema }).parse(data).task_id))).toEqual(
    new Set(rows.map(({ task_id }) => task_id)),
  );
  expect(last(listener)).toEqual({ id: '33', event: 'end', data: { status: 'completed' } });
  const of = (name: string) => listener.events.filter(({ event }) => event === name).map(({ data }) => data);
  expect(of('state')).toContainEqual({ status: 'running', stage: 'rabi', resumed_at: null });
  expect(of('progress').at(-1)).toEqual({
    done: 32,
    failed: 0,
    skipped: 0,
    total: 32,
    stage: null,
    estimated_end: null,
  });
  const underWay = of('progress').map((data) => executionEvents.shape.progress.parse(data));
  expect(underWay.some(({ done, estimated_end }) => done > 0 && estimated_end !== null)).toBe(true);
  // Who has heard the end is told to stay away, as browsers else would come back for ever.
  const again = await watch(run.execution_id, 33);
  expect(again.status).toBe(204);
  const late = await watch(run.execution_id, 30);
  await late.ended;
  expect(tasksOf(late).map(({ id }) => id)).toEqual(['31', '32']);
});

test('a listener that comes back after a restart of the API goes on where it was', async () => {
  const run = await start();
  const first = await watch(run.execution_id);
  await eventually(async () => tasksOf(first).length >= 3);
  // However long the restart takes, the run does not end meanwhile.
  await ask(`/executions/${run.execution_id}/pause`, {});
  const closing = server.close();
  await first.ended;
  await closing;
  expect(last(first)?.event).not.toBe('end');
  await startServer();
  const second = await watch(run.execution_id, Number(tasksOf(first).at(-1)?.id));
  await ask(`/executions/${run.execution_id}/resume`, {});
  await second.ended;
  const ids = [...tasksOf(first), ...tasksOf(second)].map(({ id }) => Number(id));
  expect(ids).toEqual(Array.from({ length: 32 }, (_, number) => number + 1));
  const heard = [...tasksOf(first), ...tasksOf(second)].map(({ data }) => JSON.stringify(data));
  expect(new Set(heard).size).toBe(32);
});

test('a pause is sent to listeners', async () => {
  const run = await start();
  const listener = await watch(run.execution_id);
  await eventually(async () => tasksOf(listener).length > 0);
  await ask(`/executions/${run.execution_id}/pause`, {});
  const waits = () => listener.events.filter(({ event }) => event === 'waiting').map(({ data }) => data);
  const paused = await eventually(async () =>
    waits().find((data) => JSON.stringify(data).includes('paused')),
  );
  expect(paused).toEqual({ for: expect.stringMatching(/^resume, since admin paused the run at/) });
  await ask(`/executions/${run.execution_id}/resume`, {});
  await listener.ended;
  expect(waits().at(-1)).toEqual({ for: null });
});

test('two hundred listen to one run, some of them leave, and the rest hears all of it', async () => {
  const run = await start();
  const listeners = await Promise.all(Array.from({ length: 200 }, () => watch(run.execution_id)));
  for (const listener of listeners.slice(0, 50)) listener.close();
  const staying = listeners.slice(50);
  await Promise.all(staying.map(({ ended }) => ended));
  for (const listener of staying) {
    expect(tasksOf(listener)).toHaveLength(32);
    expect(last(listener)).toMatchObject({ event: 'end', data: { status: 'completed' } });
  }
});

test('needs a token, membership and an execution of the project', async () => {
  const path = `${base}/executions/20260102-000/events`;
  expect((await listen(path, {})).status).toBe(401);
  expect((await listen(path, identity())).status).toBe(404);
  const other = { ...identity(), 'x-project-id': '00000000-0000-4000-8000-000000000000' };
  expect((await listen(path, other)).status).toBe(404);
});
