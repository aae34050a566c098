import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FlowEntryDocument } from '../../shared/domain/executions/index.ts';
import {
  type ExecutionDocument,
  executionDetail,
  executionLog,
} from '../../shared/domain/executions/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import type { ExecutionId, ProjectId } from '../../shared/kernel/ids.ts';
import { executionNamed } from '../support/ids.ts';
import { type Api, expectError, expectProblems, type Person, read } from './harness.ts';
import { storedExecution, storedTask } from './laboratory.ts';
import { openProject } from './opened-project.ts';

let api: Api;
let owner: Person;
let project: ProjectId;

beforeAll(async () => {
  ({ api, owner, project } = await openProject());
});
afterAll(() => api.close());

async function detailOf(execution_id: ExecutionId, tasks: TaskResultDocument[]) {
  const { db } = api.database;
  await db
    .collection<ExecutionDocument>('executions')
    .insertOne(storedExecution(project, owner, { execution_id }));
  if (tasks.length > 0) await db.collection<TaskResultDocument>('task_results').insertMany(tasks);
  const answer = await api.as(owner, project)(`/executions/${execution_id}`);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  return read(executionDetail, answer);
}

test('an execution of hundreds of tasks is shown with all of them, in order of start', async () => {
  const first = Date.UTC(2026, 0, 2);
  const moment = (place: number) => new Date(first + 1000 * place);
  const tasks = Array.from({ length: 450 }, (_, number) => {
    const place = (number * 7) % 450;
    const skipped = place % 10 === 9;
    return storedTask(project, owner, {
      execution_id: executionNamed('20260102-000'),
      qid: String(place),
      status: skipped ? 'skipped' : 'completed',
      start_at: skipped ? null : moment(place),
      end_at: moment(skipped ? place : place + 60),
    });
  });
  const { task, ...shown } = await detailOf(executionNamed('20260102-000'), tasks);
  expect(task.map((each) => each.qid)).toEqual(Array.from({ length: 450 }, (_, place) => String(place)));
  expect(shown).toMatchObject({ execution_id: '20260102-000', status: 'completed', chip_id: 'CHIP' });
});

test('an execution without a task has an empty list of them', async () => {
  expect((await detailOf(executionNamed('20260102-001'), [])).task).toEqual([]);
});

test('what a flow logged and recorded is shown: the newest 200 with the execution, all of it in pages', async () => {
  const execution_id = '20260102-002';
  const at = (index: number) => new Date(Date.UTC(2026, 0, 2) + index);
  const entries = Array.from(
    { length: 250 },
    (_, index): FlowEntryDocument => ({
      _id: `${project}/${execution_id}/${index}`,
      project_id: project,
      execution_id: executionNamed(execution_id),
      index,
      kind: index % 2 === 0 ? 'log' : 'record',
      text: `entry ${index}`,
      value: index % 2 === 0 ? null : { index },
      created_at: at(index),
    }),
  );
  await api.database.db.collection<FlowEntryDocument>('flow_entries').insertMany(entries);
  const { log } = await detailOf(executionNamed(execution_id), []);
  expect(log.map(({ index }) => index)).toEqual(Array.from({ length: 200 }, (_, place) => 50 + place));
  expect(log.slice(0, 2)).toEqual([
    { index: 50, kind: 'log', message: 'entry 50', name: null, value: null, at: at(50).toISOString() },
    {
      index: 51,
      kind: 'record',
      message: null,
      name: 'entry 51',
      value: { index: 51 },
      at: at(51).toISOString(),
    },
  ]);
  const url = `/executions/${execution_id}/log`;
  const page = read(executionLog, await api.as(owner, project)(`${url}?skip=240&limit=5`));
  expect(page).toMatchObject({ total: 250, skip: 240, limit: 5 });
  expect(page.log.map(({ index }) => index)).toEqual([240, 241, 242, 243, 244]);
  expect(read(executionLog, await api.as(owner, project)(url)).log).toHaveLength(200);
  expectProblems(await api.as(owner, project)(`${url}?limit=1001`), [['less_than_equal', 'query', 'limit']]);
  expectError(await api.as(owner, project)('/executions/20260102-999/log'), 404, 'not_found');
});
