import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ExecutionDocument, executionDetail } from '../../shared/domain/executions/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { type Api, type Person, read, startApi } from './harness.ts';
import { storedExecution, storedTask } from './laboratory.ts';

let api: Api;
let owner: Person;
let project: string;

beforeAll(async () => {
  api = await startApi();
  owner = await api.makePerson();
  project = await api.makeProject(owner);
});
afterAll(() => api.close());

async function detailOf(execution_id: string, tasks: TaskResultDocument[]) {
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
      execution_id: '20260102-000',
      qid: String(place),
      status: skipped ? 'skipped' : 'completed',
      start_at: skipped ? null : moment(place),
      end_at: moment(skipped ? place : place + 60),
    });
  });
  const { task, ...shown } = await detailOf('20260102-000', tasks);
  expect(task.map((each) => each.qid)).toEqual(Array.from({ length: 450 }, (_, place) => String(place)));
  expect(shown).toMatchObject({ execution_id: '20260102-000', status: 'completed', chip_id: 'CHIP' });
});

test('an execution without a task has an empty list of them', async () => {
  expect((await detailOf('20260102-001', [])).task).toEqual([]);
});
