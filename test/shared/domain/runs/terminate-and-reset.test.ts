import { beforeAll, expect, test } from 'vitest';
import { lockWorkflowId, stageWorkflowId } from '../../../../shared/kernel/engine/workflow-ids.ts';
import { commonLaboratory } from '../../../support/common-laboratory.ts';
import { eventually, HEARTBEAT_TIMEOUT, type Laboratory, oneStage } from '../../../support/laboratory.ts';
import { resetTo, workflowTasks } from './workflow-resets.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await commonLaboratory();
});

test('a run terminated from outside is closed by the reconciler and the project is free at once', async () => {
  const place = await lab.newProject();
  await lab.setFaults({ rules: [{ match: { project_id: place.projectId }, behaviour: 'stall' }] });
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0', '1']));
  await lab.measuring(place.projectId, run.execution_id, 2);
  await lab.engine.client.workflow.getHandle(lockWorkflowId(place.projectId)).terminate('operator');
  expect((await lab.runs.lockStatus(place.projectId)).lock).toBe(false);
  const execution = await lab.ended(place.projectId, run.execution_id);
  expect(execution).toMatchObject({ status: 'cancelled' });
  expect(execution.message).toContain('terminated');
  const tasks = await lab.tasksOf(place.projectId, run.execution_id);
  expect(tasks.map((task) => task.status)).toEqual(['cancelled', 'cancelled']);
});

test('reading an open execution whose run was terminated closes it without waiting for the reconciler', async () => {
  const place = await lab.newProject();
  await lab.setFaults({ rules: [{ match: { project_id: place.projectId }, behaviour: 'stall' }] });
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  await lab.measuring(place.projectId, run.execution_id);
  await lab.engine.client.workflow.getHandle(lockWorkflowId(place.projectId)).terminate('operator');
  await lab.runs.current(place.projectId, run.flow_run_id);
  const stored = await lab.areas.executions.store.get(place.projectId, run.execution_id);
  expect(stored?.status).toBe('cancelled');
});

test('after a terminate the next run does not measure before the old instrument call has ended', async () => {
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [{ match: { project_id: place.projectId, task_name: 'CheckT1' }, behaviour: 'stall' }],
  });
  const first = await lab.startFlow(place, oneStage(['CheckT1'], ['0', '1']));
  await lab.measuring(place.projectId, first.execution_id, 2);
  await lab.engine.client.workflow.getHandle(lockWorkflowId(place.projectId)).terminate('operator');
  const second = await lab.startFlow(place, oneStage(['CheckRabi'], ['0', '1']));
  expect((await lab.ended(place.projectId, second.execution_id)).status).toBe('completed');
  const oldEnds = (await lab.journal(place.projectId, first.execution_id)).filter(
    (entry) => entry.event !== 'start',
  );
  expect(oldEnds).toHaveLength(2);
  const lastOld = Math.max(...oldEnds.map((entry) => Date.parse(entry.at)));
  const firstNew = Math.min(
    ...(await lab.journal(place.projectId, second.execution_id)).map((entry) => Date.parse(entry.at)),
  );
  expect(firstNew).toBeGreaterThan(lastOld);
});

test('a stage that is terminated too keeps the chip for one heartbeat time-out', async () => {
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [{ match: { project_id: place.projectId, task_name: 'CheckT1' }, behaviour: 'silent' }],
  });
  const first = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  await lab.measuring(place.projectId, first.execution_id);
  const stage = lab.engine.client.workflow.getHandle(stageWorkflowId(place.projectId, first.execution_id, 0));
  await lab.engine.client.workflow.getHandle(lockWorkflowId(place.projectId)).terminate('operator');
  await stage.terminate('operator');
  const terminated = Date.now();
  const second = await lab.startFlow(place, oneStage(['CheckRabi'], ['0']));
  await lab.ended(place.projectId, second.execution_id);
  const [begun] = await lab.journal(place.projectId, second.execution_id);
  // Clocks of one machine; a tenth of a second for the closing time's rounding.
  expect(Date.parse(begun?.at ?? '') - terminated).toBeGreaterThan(HEARTBEAT_TIMEOUT * 1000 - 100);
});

test('a reset of an old run to any of its steps measures nothing', async () => {
  const place = await lab.newProject();
  await lab.setFaults({ rules: [] });
  const run = await lab.startFlow(place, oneStage(['CheckRabi', 'CheckT1'], ['0']));
  await lab.ended(place.projectId, run.execution_id);
  await lab.free(place.projectId);
  const before = (await lab.journal(place.projectId, run.execution_id)).length;
  const id = lockWorkflowId(place.projectId);
  for (const eventId of await workflowTasks(lab.engine.client.workflow.getHandle(id, run.flow_run_id))) {
    await resetTo(lab, { workflowId: id, runId: run.flow_run_id }, eventId);
    await lab.free(place.projectId);
  }
  const stageId = stageWorkflowId(place.projectId, run.execution_id, 0);
  const { runId } = await lab.engine.client.workflow.getHandle(stageId).describe();
  for (const eventId of await workflowTasks(lab.engine.client.workflow.getHandle(stageId, runId))) {
    await resetTo(lab, { workflowId: stageId, runId }, eventId);
    await eventually(
      async () => (await lab.engine.client.workflow.getHandle(stageId).describe()).status.name !== 'RUNNING',
    );
  }
  expect(await lab.journal(place.projectId, run.execution_id)).toHaveLength(before);
  expect((await lab.areas.executions.store.get(place.projectId, run.execution_id))?.status).toBe('completed');
});

test('a reset of an old run ends the present holder, measures nothing, and the next run is free to start', async () => {
  const place = await lab.newProject();
  await lab.setFaults({ rules: [] });
  const old = await lab.startFlow(place, oneStage(['CheckRabi'], ['0']));
  await lab.ended(place.projectId, old.execution_id);
  await lab.free(place.projectId);
  await lab.setFaults({ rules: [{ match: { project_id: place.projectId }, behaviour: 'stall' }] });
  const present = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  await lab.measuring(place.projectId, present.execution_id);
  const before = (await lab.journal(place.projectId, old.execution_id)).length;
  const id = lockWorkflowId(place.projectId);
  const [first] = await workflowTasks(lab.engine.client.workflow.getHandle(id, old.flow_run_id));
  if (!first) throw new Error('the run has no workflow task');
  await resetTo(lab, { workflowId: id, runId: old.flow_run_id }, first);
  expect((await lab.ended(place.projectId, present.execution_id)).status).toBe('cancelled');
  await lab.free(place.projectId);
  expect(await lab.journal(place.projectId, old.execution_id)).toHaveLength(before);
  await lab.setFaults({ rules: [] });
  const next = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  expect((await lab.ended(place.projectId, next.execution_id)).status).toBe('completed');
});
