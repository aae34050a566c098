import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FlowEntryDocument } from '../../shared/domain/executions/index.ts';
import { type ExecutionDocument, executionDetailPart } from '../../shared/domain/executions/model.ts';
import type { AiReviewState, TaskOutcome, TaskResultDocument } from '../../shared/domain/results/model.ts';
import { keyOf, type ProjectId, type TaskId } from '../../shared/kernel/ids.ts';
import { executionNamed, projectNamed, taskNamed, userNamed } from '../support/ids.ts';
import { type Api, expectProblems, type Person, read } from './harness.ts';
import { storedExecution, storedTask } from './laboratory.ts';
import { openProject } from './opened-project.ts';

let api: Api;
let owner: Person;
let project: ProjectId;

const execution_id = '20260102-000';
const detail = `/executions/${execution_id}`;
const latest = '/task-results/qubits/latest?chip_id=CHIP&task=CheckT1';
const muxes = '/chips/CHIP/muxes';
const everywhere = [detail, latest, muxes];

const at = new Date('2026-01-02T03:06:00.000Z');
const outcome: TaskOutcome = {
  status: 'completed',
  message: 'Measured.',
  outputs: {},
  quality_metrics: {},
  figure_path: ['/data/fig/b.png'],
  json_figure_path: [],
  raw_data_path: [],
  start_at: at,
  end_at: at,
};
const review: AiReviewState = {
  status: 'requested',
  requested_at: at.toISOString(),
  requested_by: 'mia',
  review_run_id: 'review-1',
  trigger_type: 'manual',
  model_provider: '',
  model_name: '',
  completed_at: null,
  error: '',
  decision: '',
  held_back: false,
};
const reviewed = { task_id: taskNamed('first'), review_run_id: 'review-1' };

beforeAll(async () => {
  ({ api, owner, project } = await openProject());
  await api.as(owner, project)('/chips', { method: 'POST', body: { chip_id: 'CHIP', size: 16 } });
  await api.database.db
    .collection<ExecutionDocument>('executions')
    .insertOne(storedExecution(project, owner, { execution_id: executionNamed(execution_id) }));
});
afterAll(() => api.close());

const get = (url: string, tag?: string) =>
  api.as(owner, project)(url, tag === undefined ? {} : { headers: { 'if-none-match': tag } });

async function tagOf(url: string): Promise<string> {
  const answer = await get(url);
  expect(answer.status).toBe(200);
  return String(answer.headers['etag']);
}

/** A result that runs; the store takes it as a run stores it. */
const running = (task_id: TaskId, fields: Partial<TaskResultDocument> = {}) =>
  storedTask(project, owner, {
    task_id,
    execution_id: executionNamed(execution_id),
    status: 'running',
    end_at: null,
    ...fields,
  });

function stored(): Pick<Api['areas'], 'results' | 'executions' | 'chips'> {
  return api.areas;
}
const results = () => stored().results;

async function rowOf(taskId: TaskId): Promise<TaskResultDocument> {
  const row = await results().get(project, taskId);
  if (!row) throw new Error(`there is no ${taskId}`);
  return row;
}

const entry: FlowEntryDocument = {
  _id: '',
  project_id: projectNamed(''),
  execution_id: executionNamed(execution_id),
  index: 0,
  kind: 'log',
  text: 'The flow says so.',
  value: null,
  created_at: at,
};

/** Every write of what these answers show, in an order in which each changes something, and the answers that it changes. */
const writes: [name: string, changed: readonly string[], write: () => Promise<unknown>][] = [
  ['a first result', everywhere, () => results().createMany([running(taskNamed('first'))])],
  [
    'a result made again before its measurement',
    everywhere,
    async () =>
      results().remake(
        await rowOf(taskNamed('first')),
        running(taskNamed('first'), { message: 'Made again.' }),
      ),
  ],
  [
    'another pass',
    [detail, latest],
    () =>
      results().addPass(
        project,
        taskNamed('first'),
        { id: 'pass', reason: 'longer', raw_data_path: [] },
        { run: {} },
      ),
  ],
  ['the end of a result', everywhere, async () => results().end(await rowOf(taskNamed('first')), outcome)],
  ['a requested review', [latest], () => results().claimReview(project, taskNamed('first'), review)],
  ['a review that began', [latest], () => results().beginReview({ project_id: project, ...reviewed })],
  [
    'a review that held a value back',
    [latest],
    () =>
      results().endReview(
        { project_id: project, ...reviewed },
        { status: 'completed', completed_at: null, error: '', decision: 'suspect', held_back: true },
      ),
  ],
  [
    'a decision about a value held back',
    [latest],
    () =>
      results().exclude(
        project,
        taskNamed('first'),
        { excluded: false, reason: '' },
        { user_id: userNamed('mia'), username: 'mia' },
      ),
  ],
  [
    'a later result',
    everywhere,
    () => results().createMany([running(taskNamed('second'), { start_at: at })]),
  ],
  [
    'tasks closed with their run',
    everywhere,
    () => results().closeOpen(project, executionNamed(execution_id), 'cancelled', at),
  ],
  [
    'a line of the log',
    [detail],
    () =>
      stored().executions.commands.addEntries(
        [{ ...entry, _id: keyOf(project, execution_id, 0), project_id: project }],
        'log.jsonl',
      ),
  ],
  [
    'a note on the execution',
    [detail],
    () => stored().executions.store.noteRetry(project, executionNamed(execution_id), '20260103-000'),
  ],
  [
    'a fidelity over the threshold',
    [latest],
    () =>
      api.database.db
        .collection<{ _id: string }>('qubits')
        .updateOne(
          { _id: keyOf(project, 'CHIP', '3') },
          { $set: { 'data.x90_gate_fidelity': { value: 0.999 } } },
        ),
  ],
];

test('what clients poll keeps its tag until something in it changes, and then always has another', async () => {
  for (const [name, changed, write] of writes) {
    const before = new Map<string, { tag: string; body: string }>();
    for (const url of everywhere) {
      const answer = await get(url);
      before.set(url, { tag: String(answer.headers['etag']), body: answer.text });
      const unchanged = await get(url, String(answer.headers['etag']));
      expect([name, url, unchanged.status, unchanged.text]).toEqual([name, url, 304, '']);
      expect(unchanged.headers['etag']).toBe(answer.headers['etag']);
    }
    await write();
    for (const url of everywhere) {
      const { tag, body } = before.get(url) ?? { tag: '', body: '' };
      const after = await get(url, tag);
      const isNew = after.status === 200 && after.headers['etag'] !== tag;
      if (changed.includes(url)) {
        expect([name, url, isNew]).toEqual([name, url, true]);
        expect(after.text).not.toBe(body);
      } else if (!isNew) {
        expect((await get(url)).text).toBe(body);
      }
    }
  }
});

test('a change that is dated before a newer one, by a slow clock, changes the tags as well', async () => {
  const tags = await Promise.all(everywhere.map(tagOf));
  const tasks = api.database.db.collection<TaskResultDocument>('task_results');
  const newest = await tasks.findOne({ project_id: project }, { sort: { changed_at: -1 } });
  const late = new Date((newest?.changed_at?.getTime() ?? 0) - 5000);
  await tasks.insertOne(
    storedTask(project, owner, {
      execution_id: executionNamed(execution_id),
      qid: '7',
      revision: 1,
      changed_at: late,
    }),
  );
  for (const [place, url] of everywhere.entries()) expect(await tagOf(url)).not.toBe(tags[place]);
});

test('a chip that takes the id of a deleted one has other tags', async () => {
  const as = api.as(owner, project);
  const chip = { method: 'POST', body: { chip_id: 'OTHER', size: 16 } } as const;
  await as('/chips', chip);
  const url = '/chips/OTHER/muxes';
  const first = await tagOf(url);
  await as('/chips/OTHER', { method: 'DELETE', query: { force: 'true' } });
  expect((await get(url, first)).status).toBe(404);
  await as('/chips', chip);
  expect(await tagOf(url)).not.toBe(first);
});

test('an execution can be read with some fields of its tasks, and with some of its tasks', async () => {
  const { task } = read(executionDetailPart, await get(`${detail}?fields=task_id,status&fields=qid`));
  expect(task.length).toBeGreaterThan(1);
  for (const each of task) expect(Object.keys(each).sort()).toEqual(['qid', 'status', 'task_id']);
  const whole = read(executionDetailPart, await get(detail)).task;
  const some = read(executionDetailPart, await get(`${detail}?tasks_skip=1&tasks_limit=1`));
  expect(some.task).toEqual(whole.slice(1, 2));
  expect(await tagOf(`${detail}?fields=task_id`)).not.toBe(await tagOf(detail));
  const withInputs = read(executionDetailPart, await get(`${detail}?fields=input_parameters,note`));
  expect(withInputs.task[0]?.input_parameters).toEqual(whole[0]?.input_parameters);
});

test('an unknown field of tasks is refused with the nearest name', async () => {
  const answer = await get(`${detail}?fields=task_id,statsu`);
  expectProblems(answer, [['unknown_name', 'query', 'fields']]);
  expect(answer.text).toContain('did you mean status?');
});
