import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ExecutionDocument, FlowCommandDocument } from '../../shared/domain/executions/model.ts';
import { type ExecutionTime, executionTime } from '../../shared/domain/executions/time-model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { keyOf, type ProjectId, type TaskId } from '../../shared/kernel/ids.ts';
import { executionNamed, taskNamed } from '../support/ids.ts';
import { type Api, expectError, type Person, read } from './harness.ts';
import { storedExecution, storedTask } from './laboratory.ts';
import { openProject } from './opened-project.ts';

const ENDED = '20260102-003';
const OPEN = '20260102-004';

let api: Api;
let owner: Person;
let project: ProjectId;

const at = (second: number) => new Date(Date.UTC(2026, 0, 2) + 1000 * second);
const executions = () => api.database.db.collection<ExecutionDocument>('executions');
const time = (id: string) => api.as(owner, project)(`/executions/${id}/time`);

/** Seconds of the parts that have any. They must add up to the whole. */
function secondsOf({ parts, seconds }: ExecutionTime) {
  expect(parts.reduce((sum, part) => sum + part.seconds, 0)).toBeCloseTo(seconds, 6);
  expect(parts.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 6);
  return Object.fromEntries(
    parts.filter((part) => part.seconds > 0).map((part) => [part.part, part.seconds]),
  );
}

beforeAll(async () => {
  ({ api, owner, project } = await openProject({ engine: 'prepared' }));
  const command = (index: number, kind: FlowCommandDocument['kind'], from: number, to: number) => ({
    ...{
      _id: keyOf(project, ENDED, index),
      project_id: project,
      execution_id: executionNamed(ENDED),
      index,
      kind,
    },
    ...{ name: '', command: null, tasks: [], targets: [], parallel: null, status: 'done' as const },
    ...{ summary: null, answered_at: at(to), created_at: at(from) },
  });
  await api.database.db
    .collection<FlowCommandDocument>('flow_steps')
    .insertMany([command(0, 'stage', 10, 60), command(1, 'approval', 62, 80), command(2, 'sleep', 80, 95)]);
  const task = (task_id: TaskId, from: number, to: number, closed: number) =>
    storedTask(project, owner, {
      ...{
        task_id,
        execution_id: executionNamed(ENDED),
        start_at: at(from),
        end_at: at(to),
        closed_at: at(closed),
      },
    });
  await api.database.db
    .collection<TaskResultDocument>('task_results')
    .insertMany([
      task(taskNamed('a'), 12, 30, 33),
      task(taskNamed('b'), 20, 40, 44),
      task(taskNamed('c'), 50, 55, 55),
    ]);
  await executions().insertMany([
    storedExecution(project, owner, {
      ...{ execution_id: executionNamed(ENDED), created_at: at(0), start_at: at(8), end_at: at(100) },
      waits: [{ kind: 'backend', from: at(45), to: at(49) }],
    }),
    storedExecution(project, owner, {
      ...{ execution_id: executionNamed(OPEN), status: 'running', end_at: null },
      ...{ created_at: new Date(Date.now() - 60_000), start_at: new Date(Date.now() - 60_000) },
    }),
  ]);
});
afterAll(() => api.close());

test('the time of a run is divided into parts that add up', async () => {
  const account = read(executionTime, await time(ENDED));
  expect(account).toMatchObject({ from: at(0).toISOString(), to: at(100).toISOString(), is_open: false });
  expect(secondsOf(account)).toEqual({
    lock: 8,
    instrument: 33,
    analysis: 4,
    engine: 9,
    people: 18,
    resources: 4,
    idle: 24,
  });
});

test('a wait that is over still counts, whatever ended it', async () => {
  const document = await executions().findOne({ execution_id: executionNamed(OPEN) });
  if (!document) throw new Error('no execution');
  const { store } = api.areas.executions;
  const since = (ms: number) => new Date(Date.now() - ms).toISOString();
  await store.noteWaiting(project, executionNamed(OPEN), {
    for: 'a worker',
    since: since(50_000),
    kind: 'backend',
  });
  await store.noteWaiting(project, executionNamed(OPEN), null);
  await store.noteWaiting(project, executionNamed(OPEN), null);
  const stored = await executions().findOne({ execution_id: executionNamed(OPEN) });
  expect(stored?.waits?.map(({ kind }) => kind)).toEqual(['backend']);

  expect(await store.changePause(document, { by: 'somebody', at: since(40_000) })).toBe(true);
  expect(await store.changePause(document, { by: 'somebody', at: since(0) })).toBe(false);
  expect(await store.changePause(document, null)).toBe(true);
  expect(await store.changePause(document, null)).toBe(false);
  const { people = 0, resources = 0 } = secondsOf(read(executionTime, await time(OPEN)));
  expect(people).toBeGreaterThanOrEqual(40);
  expect(resources).toBeGreaterThanOrEqual(9);
});

test('an unknown execution has no account', async () => {
  expectError(await time('20260102-999'), 404, 'not_found');
});
