import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FlowEntryDocument } from '../../shared/domain/executions/index.ts';
import type { ExecutionDocument } from '../../shared/domain/executions/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { keyOf } from '../../shared/kernel/ids.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { executionNamed } from '../support/ids.ts';
import { type Api, expectError, type Person, startApi } from './harness.ts';
import { type Laboratory, makeLaboratory, storedExecution, storedTask } from './laboratory.ts';

let api: Api;
let owner: Person;
let viewer: Person;
let laboratory: Laboratory;
const executionId = '20260102-003';

beforeAll(async () => {
  api = await startApi({ engine: 'prepared' });
  [owner, viewer] = await Promise.all([api.makePerson(), api.makePerson()]);
  laboratory = await makeLaboratory(api, owner, viewer);
  const { project } = laboratory;
  await api.database.db
    .collection<ExecutionDocument>('executions')
    .insertOne(
      storedExecution(project, owner, { execution_id: executionNamed(executionId), status: 'failed' }),
    );
  await api.database.db.collection<TaskResultDocument>('task_results').insertMany(
    [2, 0, 1].map((second) =>
      storedTask(project, owner, {
        execution_id: executionNamed(executionId),
        qid: String(second),
        closed_at: new Date(Date.UTC(2026, 0, 2, 3, 5, second)),
      }),
    ),
  );
});
afterAll(() => api.close());

const watch = (id: string, lastEventId?: string, person = viewer) =>
  api.as(person, laboratory.project)(`/executions/${id}/events`, {
    headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
  });

/** Event and id of each block of an answer. */
const outline = (text: string) =>
  text
    .split('\n\n')
    .slice(0, -1)
    .map((block) => [/^event: (.*)$/m.exec(block)?.[1], /^id: (.*)$/m.exec(block)?.[1]]);

test('an ended run reports its state, each task in the order in which it ended, and its end', async () => {
  const answer = await watch(executionId);
  expect(answer.status).toBe(200);
  expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
  expect(outline(answer.text)).toEqual([
    ['state', undefined],
    ['progress', undefined],
    ['waiting', undefined],
    ['task', '1'],
    ['task', '2'],
    ['task', '3'],
    ['end', '4'],
  ]);
  expect([...answer.text.matchAll(/"qid":"(\d)"/g)].map((match) => match[1])).toEqual(['0', '1', '2']);
  expect(answer.text).toContain('data: {"status":"failed","type":"end"}');
});

test('Last-Event-ID leaves out what was heard; who has heard the end gets 204', async () => {
  const ids = async (seen: string) =>
    outline((await watch(executionId, seen)).text).flatMap(([, id]) => id ?? []);
  expect(await ids('2')).toEqual(['3', '4']);
  expect(await ids('3')).toEqual(['4']);
  expect(await ids('no number')).toEqual(['1', '2', '3', '4']);
  expect((await watch(executionId, '4')).status).toBe(204);
});

test('what the flow logged and recorded is told between the tasks, in the order of its numbers', async () => {
  const { project } = laboratory;
  const logging = '20260102-004';
  await api.database.db
    .collection<ExecutionDocument>('executions')
    .insertOne(storedExecution(project, owner, { execution_id: executionNamed(logging) }));
  const at = (second: number) => new Date(Date.UTC(2026, 0, 2, 3, 5, second));
  await api.database.db
    .collection<TaskResultDocument>('task_results')
    .insertMany(
      [2, 4].map((second) =>
        storedTask(project, owner, { execution_id: executionNamed(logging), closed_at: at(second) }),
      ),
    );
  const entry = (
    index: number,
    second: number,
    fields: Pick<FlowEntryDocument, 'kind' | 'text' | 'value'>,
  ) => ({
    _id: keyOf(project, logging, index),
    project_id: project,
    execution_id: executionNamed(logging),
    index,
    created_at: at(second),
    ...fields,
  });
  await api.database.db.collection<FlowEntryDocument>('flow_entries').insertMany([
    entry(1, 3, { kind: 'record', text: 'best', value: { qid: '3' } }),
    entry(0, 1, { kind: 'log', text: 'The search begins.', value: null }),
    // By the clock of another worker.
    entry(2, 2, { kind: 'log', text: 'The search ends.', value: null }),
  ]);
  const { text } = await watch(logging);
  expect(outline(text).slice(3)).toEqual([
    ['log', '0.1'],
    ['task', '1.1'],
    ['log', '1.2'],
    ['log', '1.3'],
    ['task', '2.3'],
    ['end', '3.3'],
  ]);
  const told = [...text.matchAll(/event: log\ndata: (.*)/g)].map((match) => JSON.parse(match[1] ?? ''));
  const log = await api.as(viewer, project)(`/executions/${logging}/log`);
  // Events repeat their name in their data, for clients that read nothing else.
  expect(told.map(({ type }) => type)).toEqual(told.map(() => 'log'));
  expect(log.body).toMatchObject({ log: told.map(({ type: _type, ...entry }) => entry) });
  expect(outline((await watch(logging, '1.2')).text).slice(3)).toEqual([
    ['log', '1.3'],
    ['task', '2.3'],
    ['end', '3.3'],
  ]);
  expect((await watch(logging, '3.3')).status).toBe(204);
});

test('are not asked for without their content, which would run to the end of the run', async () => {
  const answer = await api.as(viewer, laboratory.project)(`/executions/${executionId}/events`, {
    method: 'HEAD',
  });
  expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET' } });
});

test('needs a token, membership and an execution of the project', async () => {
  expectError(await api.call(`/executions/${executionId}/events`), 401, 'not_authenticated');
  expectError(await watch('20260102-999'), 404, 'not_found');
  expectError(await watch(newId()), 404, 'not_found');
  expectError(await watch(executionId, undefined, await api.makePerson()), 403, 'forbidden');
});
