import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ExecutionDocument, ExecutionRequestDocument } from '../../shared/domain/executions/model.ts';
import { type ChipTime, chipTime, executionForecast } from '../../shared/domain/executions/time-model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { type ExecutionId, keyOf, type ProjectId, type TaskId } from '../../shared/kernel/ids.ts';
import { executionNamed, taskNamed } from '../support/ids.ts';
import { type Api, expectError, type Person, read } from './harness.ts';
import { storedExecution, storedTask } from './laboratory.ts';
import { openProject } from './opened-project.ts';

const CHIP = 'CHIP';
const HOUR = 3600;
const at = (second: number) => new Date(Date.UTC(2026, 0, 2) + 1000 * second);

let api: Api;
let owner: Person;
let project: ProjectId;

const get = (path: string) => api.as(owner, project)(path);
const night = (extra = '') =>
  get(`/chips/${CHIP}/time?from=${at(0).toISOString()}&to=${at(3 * HOUR).toISOString()}${extra}`);

function secondsOf(parts: ChipTime['parts']) {
  return Object.fromEntries(
    parts.filter((part) => part.seconds > 0).map((part) => [part.part, part.seconds]),
  );
}

/** A request of the flow `Nightly`, and the execution that it started. */
async function storeRun(
  execution_id: ExecutionId,
  { from, to, parameters = {} }: { from: number; to: number | null; parameters?: Record<string, number> },
): Promise<void> {
  const { db } = api.database;
  await db.collection<ExecutionDocument>('executions').insertOne(
    storedExecution(project, owner, {
      ...{ execution_id, chip_id: CHIP, name: 'Nightly' },
      ...{ created_at: at(from), start_at: at(from), end_at: to === null ? null : at(to) },
      status: to === null ? 'running' : 'completed',
    }),
  );
  await db
    .collection<ExecutionDocument>('executions')
    .updateOne(
      { _id: keyOf(project, execution_id) },
      { $set: { 'note.stages': { Rabi: { completed: 9, failed: 1, total: 10 } } } },
    );
  await db.collection<ExecutionRequestDocument>('execution_requests').insertOne({
    ...{ _id: keyOf(project, execution_id), project_id: project, execution_id },
    ...{ flow: { name: 'nightly', hash: '', function_name: 'nightly' }, parameters },
    ...{ default_run_parameters: {}, task: null, created_at: at(from) },
  });
}

/** A wait for the backend that is over. */
async function setWait(execution_id: ExecutionId, { from, to }: { from: number; to: number }): Promise<void> {
  await api.database.db
    .collection<ExecutionDocument>('executions')
    .updateOne(
      { _id: keyOf(project, execution_id) },
      { $set: { waits: [{ kind: 'backend', from: at(from), to: at(to) }] } },
    );
}

beforeAll(async () => {
  ({ api, owner, project } = await openProject({ engine: 'prepared' }));
  await api.as(owner, project)('/chips', { method: 'POST', body: { chip_id: CHIP, size: 16 } });
  await storeRun(executionNamed('20260102-001'), { from: -600, to: 1800 });
  await storeRun(executionNamed('20260102-002'), { from: 2 * HOUR, to: 2.5 * HOUR });
  const task = (task_id: TaskId, execution_id: ExecutionId, from: number, to: number) =>
    storedTask(project, owner, {
      ...{ task_id, execution_id, chip_id: CHIP, start_at: at(from), end_at: at(to), closed_at: at(to + 30) },
    });
  await api.database.db
    .collection<TaskResultDocument>('task_results')
    .insertMany([
      task(taskNamed('a'), executionNamed('20260102-001'), -300, 900),
      task(taskNamed('b'), executionNamed('20260102-001'), 1000, 1200),
      task(taskNamed('c'), executionNamed('20260102-002'), 2 * HOUR + 60, 2 * HOUR + 360),
    ]);
});
afterAll(() => api.close());

test('the time of a chip is that of its runs within the span, and the rest is unused', async () => {
  const account = read(chipTime, await night());
  expect(account).toMatchObject({ chip_id: CHIP, runs: 2, seconds: 3 * HOUR, slices: [] });
  expect(secondsOf(account.parts)).toEqual({
    instrument: 900 + 200 + 300,
    analysis: 90,
    idle: 100 - 30 + (1800 - 1230) + 60 + (1800 - 390),
    unused: 3 * HOUR - 1800 - 1800,
  });
  expect(account.parts.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
});

test('slices of an hour add up to the whole', async () => {
  const account = read(chipTime, await night('&slice=hour'));
  expect(account.slices.map(({ from }) => from)).toEqual(
    [0, 1, 2].map((hour) => at(hour * HOUR).toISOString()),
  );
  expect(account.slices.map(({ parts }) => secondsOf(parts)['unused'])).toEqual([1800, HOUR, 1800]);
  for (const { part, seconds } of account.parts) {
    const sliced = account.slices.flatMap(({ parts }) => parts.filter((each) => each.part === part));
    expect(sliced.reduce((sum, each) => sum + each.seconds, 0)).toBeCloseTo(seconds, 6);
  }
  const days = read(chipTime, await night('&slice=day'));
  expect(days.slices).toHaveLength(1);
});

test('where the time of a chip and of a run went is shown as pictures', async () => {
  for (const path of [
    `/chips/${CHIP}/time/picture?from=${at(0).toISOString()}&to=${at(3 * HOUR).toISOString()}`,
    '/executions/20260102-001/time/picture',
  ]) {
    const picture = await get(path);
    expect(picture.status).toBe(200);
    expect(picture.headers['content-type']).toBe('image/svg+xml; charset=utf-8');
    expect(picture.text).toMatch(/^<svg [\s\S]*>instrument: [\s\S]*<\/svg>\n$/);
  }
});

test('a span that ends before it begins or lasts longer than 31 days is refused', async () => {
  const from = (begin: number, end: number) =>
    get(`/chips/${CHIP}/time?from=${at(begin).toISOString()}&to=${at(end).toISOString()}`);
  expectError(await from(10, 5), 400, 'bad_request');
  expectError(await from(0, 32 * 24 * HOUR), 400, 'bad_request');
  expectError(await get('/chips/nowhere/time'), 404, 'not_found');
});

test('a run is forecast from the newest five completed runs of the same request', async () => {
  const minutes = [50, 10, 11, 9, 10.5, 9.5];
  for (const [index, each] of minutes.entries()) {
    const from = (24 + index) * HOUR;
    await storeRun(executionNamed(`20260103-00${index}`), {
      from,
      to: from + 60 * each,
      parameters: { depth: 3 },
    });
  }
  await storeRun(executionNamed('20260103-100'), {
    from: 40 * HOUR,
    to: 40 * HOUR + 60,
    parameters: { depth: 1 },
  });
  const begun = (Date.now() - at(0).getTime()) / 1000 - 5;
  await storeRun(executionNamed('20260104-001'), { from: begun, to: null, parameters: { depth: 3 } });

  const forecast = read(executionForecast, await get('/executions/20260104-001/forecast'));
  expect(forecast).toMatchObject({ is_open: true, settled_tasks: 0, expected_tasks: 10 });
  expect(forecast.earlier_runs).toEqual([5, 4, 3, 2, 1].map((index) => `20260103-00${index}`));
  expect(forecast.expected_seconds).toBe(600);
  expect(forecast.worked_seconds).toBeGreaterThanOrEqual(5);
  const end = new Date(forecast.estimated_end ?? 0).getTime();
  expect(end - (at(0).getTime() + 1000 * begun)).toBe(600_000);
});

test('a run of a request that was never made before has no forecast', async () => {
  expect(read(executionForecast, await get('/executions/20260103-100/forecast'))).toMatchObject({
    ...{ is_open: false, expected_seconds: null, estimated_end: null, earlier_runs: [] },
    worked_seconds: 60,
  });
});

test('after five runs of a flow the forecast of the sixth is off by less than a fifth, whatever it waits for', async () => {
  const sixth = executionNamed('20260106-006');
  const fixed = { parameters: { depth: 7 } };
  // Seconds of work that differ as measurements do, and waits for the instrument that differ much more.
  const earlier = [
    { worked: 610, waited: 0 },
    { worked: 566, waited: 3000 },
    { worked: 655, waited: 40 },
    { worked: 590, waited: 900 },
    { worked: 671, waited: 0 },
  ];
  for (const [index, { worked, waited }] of earlier.entries()) {
    const from = (4 * 24 + index) * HOUR;
    const execution = executionNamed(`20260106-00${index + 1}`);
    await storeRun(execution, { from, to: from + worked + waited, ...fixed });
    await setWait(execution, { from: from + 100, to: from + 100 + waited });
  }
  // Other parameters make another request.
  await storeRun(executionNamed('20260106-007'), { from: 110 * HOUR, to: 112 * HOUR });

  const begun = (Date.now() - at(0).getTime()) / 1000 - 5;
  await storeRun(sixth, { from: begun, to: null, ...fixed });
  const forecast = read(executionForecast, await get(`/executions/${sixth}/forecast`));
  expect(forecast.earlier_runs).toHaveLength(5);

  const waited = 1800;
  await setWait(sixth, { from: begun + 60, to: begun + 60 + waited });
  await api.database.db
    .collection<ExecutionDocument>('executions')
    .updateOne(
      { _id: keyOf(project, sixth) },
      { $set: { status: 'completed', end_at: at(begun + 548 + waited) } },
    );
  const { worked_seconds } = read(executionForecast, await get(`/executions/${sixth}/forecast`));
  expect(worked_seconds).toBeCloseTo(548, 1);
  expect(Math.abs((forecast.expected_seconds ?? 0) / worked_seconds - 1)).toBeLessThan(0.2);
});
