import { beforeAll, expect, test } from 'vitest';
import { commonLaboratory } from '../../../support/common-laboratory.ts';
import { userNamed } from '../../../support/ids.ts';
import { eventually, type Laboratory } from '../../../support/laboratory.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await commonLaboratory();
});

const code = `export async function flow(session) {
  const check = await session.run({
    name: 'check', tasks: ['CheckRabi', 'CheckT1'], targets: session.targets.qubits(['0', '1', '2']),
  });
  const other = await session.run({ name: 'other', tasks: ['CheckT1'], targets: ['0'] });
  session.log('other was ' + other.status + ', passed ' + check.passed.join(' '));
  await session.run({ name: 'more', tasks: ['CheckT2Echo'], targets: check.passed });
}
`;

test('a retry measures exactly the failed and skipped targets, through the flow as it was', async () => {
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [
      { match: { project_id: place.projectId, targets: ['1'], task_name: 'CheckRabi' }, behaviour: 'error' },
    ],
  });
  const first = await lab.startFlow(place, code);
  expect((await lab.ended(place.projectId, first.execution_id)).status).toBe('completed');
  await lab.free(place.projectId);
  await lab.setFaults({ rules: [] });
  const order = {
    projectId: place.projectId,
    user: { _id: userNamed('usr_ada'), username: 'ada' },
    idempotencyKey: undefined,
  };
  const second = await lab.runs.retry(order, first.execution_id, { code: 'original' });
  const execution = await lab.ended(place.projectId, second.execution_id);
  expect(execution.status).toBe('completed');
  const tasks = await lab.tasksOf(place.projectId, second.execution_id);
  expect(tasks.map((task) => [task.qid, task.name, task.status])).toEqual([
    ['1', 'CheckRabi', 'completed'],
    ['1', 'CheckT1', 'completed'],
    ['1', 'CheckT2Echo', 'completed'],
  ]);
  const steps = await lab.areas.executions.commands.ofExecution(place.projectId, second.execution_id);
  expect(steps.map((step) => [step.name, step.status, step.targets])).toEqual([
    ['check', 'done', ['1']],
    ['other', 'done', []],
    ['more', 'done', ['1']],
  ]);
  const [entry] = await lab.areas.executions.commands.newestEntries(
    place.projectId,
    second.execution_id,
    1000,
  );
  expect(entry?.text).toBe('other was skipped, passed 0 1 2');
  const [before, after] = await Promise.all(
    [first, second].map((run) => lab.areas.executions.store.request(place.projectId, run.execution_id)),
  );
  expect(after?.flow).toEqual(before?.flow);
  expect(execution.note['retry_of']).toBe(first.execution_id);
  const source = await lab.areas.executions.store.get(place.projectId, first.execution_id);
  expect(source?.note['retried_by']).toBe(second.execution_id);
  await lab.free(place.projectId);
  await expect(lab.runs.retry(order, second.execution_id, { code: 'original' })).rejects.toMatchObject({
    code: 'conflict',
  });
});

test('targets that the retried run calibrated pass its filters again, without being measured', async () => {
  const filtering = `export async function flow(session) {
    const check = await session.run({ name: 'check', tasks: ['CheckT1'], targets: ['0', '1'] });
    const good = await session.filter.byMetric(session.filter.byStatus(check), 't1', 0);
    session.log('good: ' + good.join(' '));
    await session.run({ name: 'more', tasks: ['CheckT2Echo'], targets: ['2'] });
  }`;
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [{ match: { project_id: place.projectId, targets: ['2'] }, behaviour: 'error' }],
  });
  const order = {
    projectId: place.projectId,
    user: { _id: userNamed('usr_ada'), username: 'ada' },
    idempotencyKey: undefined,
  };
  const first = await lab.startFlow(place, filtering);
  await lab.ended(place.projectId, first.execution_id);
  await lab.free(place.projectId);
  const second = await lab.runs.retry(order, first.execution_id, { code: 'original' });
  expect((await lab.ended(place.projectId, second.execution_id)).status).toBe('failed');
  await lab.free(place.projectId);
  await lab.setFaults({ rules: [] });
  const third = await lab.runs.retry(order, second.execution_id, { code: 'original' });
  expect((await lab.ended(place.projectId, third.execution_id)).status).toBe('completed');
  const tasks = await lab.tasksOf(place.projectId, third.execution_id);
  expect(tasks.map((task) => [task.qid, task.name, task.status])).toEqual([
    ['2', 'CheckT2Echo', 'completed'],
  ]);
  const entries = await lab.areas.executions.commands.newestEntries(
    place.projectId,
    third.execution_id,
    1000,
  );
  expect(entries.map(({ text }) => text)).toContain('good: 0 1');
});

test('a retry of a cancelled run measures the targets whose measurements the cancel aborted', async () => {
  const one = `export async function flow(session) {
    await session.run({ name: 'check', tasks: ['CheckT1'], targets: ['0', '1'] });
  }`;
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [{ match: { project_id: place.projectId, targets: ['1'] }, behaviour: 'stall' }],
  });
  const order = {
    projectId: place.projectId,
    user: { _id: userNamed('usr_ada'), username: 'ada' },
    idempotencyKey: undefined,
  };
  const first = await lab.startFlow(place, one);
  await eventually(async () => {
    const tasks = await lab.tasksOf(place.projectId, first.execution_id);
    return tasks.some(({ qid, status }) => qid === '0' && status === 'completed');
  });
  await lab.runs.control.cancel(place.projectId, first.flow_run_id);
  expect((await lab.ended(place.projectId, first.execution_id)).status).toBe('cancelled');
  await lab.free(place.projectId);
  await lab.setFaults({ rules: [] });
  const second = await lab.runs.retry(order, first.execution_id, { code: 'original' });
  expect((await lab.ended(place.projectId, second.execution_id)).status).toBe('completed');
  const tasks = await lab.tasksOf(place.projectId, second.execution_id);
  expect(tasks.map((task) => [task.qid, task.status])).toEqual([['1', 'completed']]);
});
