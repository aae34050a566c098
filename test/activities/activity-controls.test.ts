import { beforeAll, expect, test } from 'vitest';
import type { StartedRun } from '../../shared/domain/runs/model.ts';
import { lockWorkflowId, stageWorkflowId } from '../../shared/kernel/engine/workflow-ids.ts';
import { commonLaboratory } from '../support/common-laboratory.ts';
import {
  expectAllCompleted,
  expectNobodyHolds,
  expectNothingLostOrDoubled,
} from '../support/failure-checks.ts';
import { eventually, type LabChip, type Laboratory, oneStage } from '../support/laboratory.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await commonLaboratory();
});

/** A run of two tasks whose first measurement takes longer than any test unless it is aborted. */
async function measuringForever(): Promise<{ place: LabChip; run: StartedRun }> {
  const place = await lab.newProject();
  await lab.setFaults({ rules: [{ match: { project_id: place.projectId }, behaviour: 'stall' }] });
  const run = await lab.startFlow(place, oneStage(['CheckRabi', 'CheckT1'], ['0']));
  await lab.measuring(place.projectId, run.execution_id);
  return { place, run };
}

const abortOf = (place: LabChip, run: StartedRun) =>
  eventually(async () =>
    (await lab.journal(place.projectId, run.execution_id)).find((entry) => entry.event === 'abort'),
  );

/** What the engine's UI offers for an activity that is not done yet. */
async function activityOf(workflowId: string) {
  const { workflowService } = lab.engine.connection;
  const whose = { namespace: lab.engine.namespace, execution: { workflowId } };
  const pending = async () =>
    (await workflowService.describeWorkflowExecution(whose)).pendingActivities ?? [];
  const { activityId } = await eventually(async () => (await pending())[0]);
  const which = { ...whose, id: activityId, identity: 'operator' };
  return {
    pause: () => workflowService.pauseActivity({ ...which, reason: 'look at the fridge' }),
    unpause: () => workflowService.unpauseActivity(which),
    reset: () => workflowService.resetActivity(which),
  };
}

const measurementOf = (place: LabChip, run: StartedRun) =>
  activityOf(stageWorkflowId(place.projectId, run.execution_id, 0));

test('a measurement that an operator pauses stops, its run goes on, and it is made once it is unpaused', async () => {
  const { place, run } = await measuringForever();
  const measurement = await measurementOf(place, run);
  await measurement.pause();
  await abortOf(place, run);
  expect((await lab.areas.executions.store.get(place.projectId, run.execution_id))?.status).toBe('running');
  expect((await lab.tasksOf(place.projectId, run.execution_id)).map(({ status }) => status)).toEqual([
    'running',
  ]);
  expect((await lab.runs.current(place.projectId, run.execution_id)).trouble?.for).toMatch(
    /^CheckRabi · 0 · 1 of stage 0 to be unpaused in the workflow engine$/,
  );
  await expect(lab.startTask(place, 'CheckT1', '1')).rejects.toMatchObject({ code: 'project_busy' });
  await lab.setFaults({ rules: [] });
  await measurement.unpause();
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
  expectAllCompleted(await expectNothingLostOrDoubled(lab, place, run.execution_id), 2);
  await expectNobodyHolds(lab, place);
});

test('a measurement that an operator resets is repeated', async () => {
  const { place, run } = await measuringForever();
  const measurement = await measurementOf(place, run);
  await lab.setFaults({ rules: [] });
  await measurement.reset();
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
  const rows = await expectNothingLostOrDoubled(lab, place, run.execution_id);
  expectAllCompleted(rows, 2);
  // Its worker hears of the reset, and the workflow asks again; or the engine is faster and begins the activity anew.
  const journal = await lab.journal(place.projectId, run.execution_id);
  const first = journal.filter(({ task_name }) => task_name === 'CheckRabi').map(({ event }) => event);
  expect(first).toEqual(['start', 'abort', 'start', 'end']);
  await expectNobodyHolds(lab, place);
});

test('a run whose measurement is paused can be cancelled', async () => {
  const { place, run } = await measuringForever();
  await (await measurementOf(place, run)).pause();
  await abortOf(place, run);
  await lab.runs.control.cancel(place.projectId, run.flow_run_id);
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('cancelled');
  const rows = await expectNothingLostOrDoubled(lab, place, run.execution_id);
  expect(rows.map(({ status }) => status)).toEqual(['cancelled']);
  await expectNobodyHolds(lab, place);
});

test('record keeping that an operator pauses, resets and unpauses stores each result once', async () => {
  const { place, run: holder } = await measuringForever();
  // Its successor's `begin` waits for the stage of the terminated run, and is the activity to be played with.
  await lab.engine.client.workflow.getHandle(lockWorkflowId(place.projectId)).terminate('operator');
  const run = await lab.startFlow(place, oneStage(['CheckRabi', 'CheckT1'], ['0']));
  const begin = await activityOf(lockWorkflowId(place.projectId));
  await begin.pause();
  await lab.setFaults({ rules: [] });
  await begin.unpause();
  await begin.reset();
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
  expectAllCompleted(await expectNothingLostOrDoubled(lab, place, run.execution_id), 2);
  // The reconciler closes a terminated run, or who asks for it: perhaps after its successor's end.
  await lab.ended(place.projectId, holder.execution_id);
  await expectNothingLostOrDoubled(lab, place, holder.execution_id);
  await expectNobodyHolds(lab, place);
});
