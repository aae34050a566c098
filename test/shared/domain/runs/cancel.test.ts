import { beforeAll, expect, test } from 'vitest';
import { type CommonLaboratory, commonLaboratory } from '../../../support/common-laboratory.ts';
import { eventually, oneStage } from '../../../support/laboratory.ts';

let lab: CommonLaboratory;
beforeAll(async () => {
  // Small, so that stages continue as new.
  lab = await commonLaboratory({ historyLimit: 60 });
});

/** Milliseconds in which a cancel has stopped measurement and run: less than what it stops would have taken. */
const LIMIT = 60_000;

test('a cancel while measuring stops the measurement, cancels task and execution and frees the project', async () => {
  const place = await lab.newProject();
  await lab.setFaults({ rules: [{ match: { project_id: place.projectId }, behaviour: 'stall' }] });
  const run = await lab.startFlow(place, oneStage(['CheckRabi', 'CheckT1'], ['0', '1']));
  await lab.measuring(place.projectId, run.execution_id, 2);
  await lab.runs.control.cancel(place.projectId, run.flow_run_id);
  const execution = await lab.ended(place.projectId, run.execution_id, LIMIT);
  await lab.free(place.projectId, LIMIT);
  expect(execution.status).toBe('cancelled');
  const tasks = await lab.tasksOf(place.projectId, run.execution_id);
  expect(tasks.map((task) => task.status)).toEqual(['cancelled', 'cancelled']);
  const journal = await lab.journal(place.projectId, run.execution_id);
  expect(journal.filter((entry) => entry.event === 'abort')).toHaveLength(2);
  const description = await lab.engine.client.workflow
    .getHandle(`exec:${place.projectId}`, run.flow_run_id)
    .describe();
  expect(description.status.name).toBe('CANCELLED');
});

test('a cancel before the first task leaves a cancelled execution and measures nothing', async () => {
  const place = await lab.newProject();
  await lab.setFaults({ rules: [] });
  // Without a worker the run cannot begin, so the cancel certainly comes first.
  await lab.worker.stop();
  const run = await lab.startFlow(place, oneStage(['CheckRabi']));
  await lab.runs.control.cancel(place.projectId, run.flow_run_id);
  await lab.worker.start();
  const execution = await lab.ended(place.projectId, run.execution_id, LIMIT);
  expect(execution.status).toBe('cancelled');
  expect(await lab.tasksOf(place.projectId, run.execution_id)).toEqual([]);
  expect(await lab.journal(place.projectId, run.execution_id)).toEqual([]);
});

test('a cancel that comes while a stage continues as new is not lost', async () => {
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [{ match: { project_id: place.projectId }, behaviour: 'slow', seconds: 0.05 }],
  });
  const run = await lab.startFlow(
    place,
    oneStage(['CheckT1', 'CheckT1', 'CheckT1'], undefined, ', parallel: 2'),
  );
  const stage = lab.engine.client.workflow.getHandle(`exec:${place.projectId}/${run.execution_id}/0`);
  const first = await eventually(async () => (await stage.describe().catch(() => null))?.runId);
  await eventually(async () => (await stage.describe()).runId !== first);
  await lab.runs.control.cancel(place.projectId, run.flow_run_id);
  expect((await lab.ended(place.projectId, run.execution_id, LIMIT)).status).toBe('cancelled');
});

test('a second cancel while cancelling is accepted, one after the end answers 409', async () => {
  const place = await lab.newProject();
  await lab.setFaults({ rules: [{ match: { project_id: place.projectId }, behaviour: 'stall' }] });
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  await lab.measuring(place.projectId, run.execution_id);
  const first = await lab.runs.control.cancel(place.projectId, run.flow_run_id);
  expect(first).toMatchObject({ execution_id: run.flow_run_id, status: 'cancelling' });
  await lab.runs.control.cancel(place.projectId, run.flow_run_id);
  await lab.ended(place.projectId, run.execution_id, LIMIT);
  await lab.free(place.projectId);
  const late = lab.runs.control.cancel(place.projectId, run.flow_run_id);
  await expect(late).rejects.toMatchObject({ code: 'not_cancellable', status: 409 });
});

test('a late cancel of an ended run does not hit the next run', async () => {
  const place = await lab.newProject();
  await lab.setFaults({ rules: [] });
  const first = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  await lab.ended(place.projectId, first.execution_id);
  await lab.free(place.projectId);
  await lab.setFaults({ rules: [{ match: { project_id: place.projectId }, behaviour: 'slow', seconds: 1 }] });
  const second = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  await lab.measuring(place.projectId, second.execution_id);
  await expect(lab.runs.control.cancel(place.projectId, first.flow_run_id)).rejects.toMatchObject({
    status: 409,
  });
  // The engine itself refuses too: the run that the id names is closed.
  const handle = lab.engine.client.workflow.getHandle(`exec:${place.projectId}`, undefined, {
    firstExecutionRunId: first.flow_run_id,
  });
  await expect(handle.cancel()).rejects.toThrow();
  expect((await lab.ended(place.projectId, second.execution_id)).status).toBe('completed');
});

test('a measurement that ended before the cancel arrived is kept', async () => {
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [
      { match: { project_id: place.projectId, targets: ['0'] }, behaviour: 'slow', seconds: 0 },
      { match: { project_id: place.projectId }, behaviour: 'stall' },
    ],
  });
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0', '1']));
  await eventually(async () =>
    (await lab.tasksOf(place.projectId, run.execution_id)).some((task) => task.status === 'completed'),
  );
  await lab.runs.control.cancel(place.projectId, run.flow_run_id);
  await lab.ended(place.projectId, run.execution_id, LIMIT);
  const tasks = await lab.tasksOf(place.projectId, run.execution_id);
  expect(Object.fromEntries(tasks.map((task) => [task.qid, task.status]))).toEqual({
    0: 'completed',
    1: 'cancelled',
  });
});

test.each([
  ['a malformed id', 'no-uuid', 400],
  ['an unknown run', '00000000-0000-4000-8000-000000000000', 404],
])('cancel answers for %s', async (_name, id, status) => {
  const place = await lab.newProject({ blank: true });
  await expect(lab.runs.control.cancel(place.projectId, id)).rejects.toMatchObject({ status });
});
