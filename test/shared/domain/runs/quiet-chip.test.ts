import { beforeAll, expect, test, vi } from 'vitest';
import { lockWorkflowId, stageWorkflowId } from '../../../../shared/kernel/engine/workflow-ids.ts';
import type { ExecutionId } from '../../../../shared/kernel/ids.ts';
import { newId } from '../../../../shared/kernel/new-ids.ts';
import { commonLaboratory } from '../../../support/common-laboratory.ts';
import { expectNeverTogether, expectNobodyHolds } from '../../../support/failure-checks.ts';
import { executionNamed, projectNamed } from '../../../support/ids.ts';
import {
  eventually,
  HEARTBEAT_TIMEOUT,
  type LabChip,
  type Laboratory,
  oneStage,
} from '../../../support/laboratory.ts';
import { resetTo, workflowTasks } from './workflow-resets.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await commonLaboratory();
});

/** A project whose measurements of T1 never answer by themselves. */
async function placeThatStalls(): Promise<LabChip> {
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [{ match: { project_id: place.projectId, task_name: 'CheckT1' }, behaviour: 'stall' }],
  });
  return place;
}

const handleOf = (workflowId: string) => lab.engine.client.workflow.getHandle(workflowId);
const runOf = (place: LabChip) => handleOf(lockWorkflowId(place.projectId));
const stageOf = (place: LabChip, executionId: ExecutionId, index = 0) =>
  handleOf(stageWorkflowId(place.projectId, executionId, index));

/** Resets an open workflow to the first of its workflow tasks or a later one, as the engine's UI does. */
async function reset(handle: ReturnType<typeof handleOf>, task: number): Promise<void> {
  const completed = await workflowTasks(handle);
  const eventId = completed.at(task);
  if (!eventId) throw new Error(`there is no workflow task ${task} of ${completed.length}`);
  const { runId } = await handle.describe();
  await resetTo(lab, { workflowId: handle.workflowId, runId }, eventId);
}

/** The next run of the project measures to its end, and never while an earlier one still does. */
async function expectNextAlone(place: LabChip, earlier: readonly ExecutionId[]): Promise<void> {
  await lab.free(place.projectId);
  const next = await lab.startFlow(place, oneStage(['CheckRabi'], ['0', '1']));
  expect((await lab.ended(place.projectId, next.execution_id)).status).toBe('completed');
  await expectNeverTogether(lab, place, [...earlier, next.execution_id]);
  await expectNobodyHolds(lab, place);
}

test('after a reset of the open run to before its stage, the next run measures when the old stage has let go', async () => {
  const place = await placeThatStalls();
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0', '1']));
  await lab.measuring(place.projectId, run.execution_id, 2);
  await reset(runOf(place), 0);
  const execution = await lab.ended(place.projectId, run.execution_id);
  expect(execution.status).toBe('failed');
  await expectNextAlone(place, [run.execution_id]);
});

test('a reset of the open run to before a stage that has ended measures nothing again', async () => {
  const place = await placeThatStalls();
  const code = `export async function flow(session) {
  const targets = session.targets.qubits(['0']);
  await session.run({ name: 'rabi', tasks: ['CheckRabi'], targets });
  await session.run({ name: 't1', tasks: ['CheckT1'], targets });
}
`;
  const run = await lab.startFlow(place, code);
  await lab.measuring(place.projectId, run.execution_id, 2);
  await reset(runOf(place), 0);
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('failed');
  const starts = (await lab.journal(place.projectId, run.execution_id)).filter(
    ({ event }) => event === 'start',
  );
  expect(starts.map(({ task_name }) => task_name)).toEqual(['CheckRabi', 'CheckT1']);
  await expectNextAlone(place, [run.execution_id]);
});

test('after a terminate of a stage the next run measures when the instrument has been let go', async () => {
  const place = await placeThatStalls();
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0', '1']));
  await lab.measuring(place.projectId, run.execution_id, 2);
  await stageOf(place, run.execution_id).terminate('operator');
  const terminated = Date.now();
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('failed');
  expect((await lab.runs.locks.get(place.projectId))?.state).toBe('abandoned');
  await expectNextAlone(place, [run.execution_id]);
  const [, , begun] = (await lab.journals(place.projectId)).filter(({ event }) => event === 'start');
  // Clocks of one machine; a tenth of a second for the closing time's rounding.
  expect(Date.parse(begun?.at ?? '') - terminated).toBeGreaterThan(HEARTBEAT_TIMEOUT * 1000 - 100);
});

test('after a reset of a stage the next run measures when all that it began twice has been let go', async () => {
  const place = await placeThatStalls();
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0', '1']));
  await lab.measuring(place.projectId, run.execution_id, 2);
  await reset(stageOf(place, run.execution_id), 0);
  await lab.measuring(place.projectId, run.execution_id, 4);
  await lab.runs.control.cancel(place.projectId, run.flow_run_id);
  await lab.ended(place.projectId, run.execution_id);
  await expectNextAlone(place, [run.execution_id]);
});

test('a stage that does not end is terminated in time, and leaves the chip one heartbeat time-out later', async () => {
  const projectId = projectNamed(newId());
  const lock = {
    _id: projectId,
    epoch: 1,
    state: 'abandoned' as const,
    execution_id: executionNamed('20261121-000'),
    flow_run_id: newId(),
    stages: 3,
    heartbeat_timeout: HEARTBEAT_TIMEOUT,
    updated_at: new Date(),
  };
  // Numbers 0 and 2 were no stages. Nobody serves the queue, so a cancel has no effect.
  const workflowId = stageWorkflowId(projectId, executionNamed(lock.execution_id), 1);
  await lab.engine.client.workflow.start('stage', { workflowId, taskQueue: 'nobody', args: [] });
  const status = async () => (await handleOf(workflowId).describe()).status.name;
  const isQuiet = lab.runs.chipGuard.watch(Date.now);
  expect(await isQuiet({ ...lock, end_by: new Date(Date.now() + 60_000) })).toBe(false);
  expect(await status()).toBe('RUNNING');
  expect(await isQuiet({ ...lock, end_by: new Date(Date.now() - 1) })).toBe(false);
  expect(await status()).toBe('TERMINATED');
  const { closeTime } = await handleOf(workflowId).describe();
  await eventually(() => isQuiet(lock));
  expect(Date.now() - (closeTime?.getTime() ?? 0)).toBeGreaterThanOrEqual(HEARTBEAT_TIMEOUT * 1000);
});

test('after a terminate of a single task the next run measures when the instrument has been let go', async () => {
  const place = await placeThatStalls();
  const run = await lab.startTask(place, 'CheckT1', '0');
  await lab.measuring(place.projectId, run.execution_id);
  await runOf(place).terminate('operator');
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('cancelled');
  await expectNextAlone(place, [run.execution_id]);
});

test('after a reset of an open single task the next run measures when the old measurement has been let go', async () => {
  const place = await placeThatStalls();
  const run = await lab.startTask(place, 'CheckT1', '0');
  await lab.measuring(place.projectId, run.execution_id);
  await reset(runOf(place), 1);
  await lab.ended(place.projectId, run.execution_id);
  await expectNextAlone(place, [run.execution_id]);
});

test('of the stages of a long run only those are asked about that have not said that they are done', async () => {
  const place = await lab.newProject();
  const rules = [{ match: { project_id: place.projectId, targets: ['1'] }, behaviour: 'stall' as const }];
  await lab.setFaults({ rules });
  const run = await lab.startFlow(
    place,
    `export async function flow(session) {
  for (let turn = 0; turn < 6; turn += 1)
    await session.run({ name: 'again', tasks: ['CheckT1'], targets: session.targets.qubits(['0']) });
  await session.run({ name: 'last', tasks: ['CheckT1'], targets: session.targets.qubits(['1']) });
}
`,
  );
  await lab.measuring(place.projectId, run.execution_id, 7);
  const lock = await lab.runs.locks.get(place.projectId);
  if (!lock) throw new Error('the project is free');
  const asked = vi.spyOn(lab.engine.client.workflow, 'getHandle');
  await lab.runs.chipGuard.terminateStages(lock, 'a test');
  const ids = new Set(asked.mock.calls.map(([workflowId]) => workflowId));
  asked.mockRestore();
  expect([...ids]).toEqual([stageWorkflowId(place.projectId, run.execution_id, 6)]);
  expect((await stageOf(place, run.execution_id, 6).describe()).status.name).toBe('TERMINATED');
  await lab.ended(place.projectId, run.execution_id);
});
