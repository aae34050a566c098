import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StartedRun } from '../../../../shared/domain/runs/model.ts';
import { CalibronError } from '../../../../shared/kernel/errors.ts';
import type { ExecutionId, ProjectId } from '../../../../shared/kernel/ids.ts';
import {
  expectAllCompleted,
  expectNobodyHolds,
  expectNothingLostOrDoubled,
} from '../../../support/failure-checks.ts';
import { eventually, type Laboratory, oneStage, openLaboratory } from '../../../support/laboratory.ts';
import { type OwnEngine, openOwnEngine } from '../../../support/own-engine.ts';

let lab: Laboratory;
let engine: OwnEngine;
beforeAll(async () => {
  engine = await openOwnEngine();
  lab = await openLaboratory({
    TEMPORAL_ADDRESS: engine.address,
    SIMULATOR_SECONDS: '0.1',
    RECONCILE_INTERVAL: '1',
  });
  await lab.startWorker();
});
afterAll(async () => {
  await lab.close();
  await engine.close();
});

/** Why a start is refused, asked until the engine answers; `started` when it is not. */
const refusalOf = (start: () => Promise<StartedRun>) =>
  eventually(() =>
    start().then(
      () => 'started',
      (thrown: unknown) => (thrown instanceof CalibronError ? thrown.code : null),
    ),
  );

const completed = async (projectId: ProjectId, executionId: ExecutionId) =>
  (await lab.tasksOf(projectId, executionId)).filter((task) => task.status === 'completed').length;

test('a run goes on over three kill -9 of its engine, and holds the project all the time', async () => {
  const place = await lab.newProject();
  const qids = ['0', '1', '2', '3', '4', '5', '6', '7'];
  const code = oneStage(['CheckRabi', 'CheckT1', 'CheckT1'], qids, ', parallel: 2');
  const run = await lab.startFlow(place, code);
  for (const share of [2, 8, 15]) {
    await eventually(async () => (await completed(place.projectId, run.execution_id)) >= share);
    engine.kill();
    await engine.comeBack();
    expect(await refusalOf(() => lab.startFlow(place, code))).toBe('project_busy');
  }
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
  expectAllCompleted(await expectNothingLostOrDoubled(lab, place, run.execution_id), 24);
  await expectNobodyHolds(lab, place);
});

test('while the engine is away a start is refused, nothing is closed, and the next start finds the project as it was', async () => {
  const place = await lab.newProject();
  await lab.setFaults({ rules: [{ match: { project_id: place.projectId }, behaviour: 'slow', seconds: 3 }] });
  // The first may end while the engine is away; the others hold the project when it is back.
  const run = await lab.startFlow(place, oneStage(['CheckT1', 'CheckT1', 'CheckT1'], ['0']));
  await lab.measuring(place.projectId, run.execution_id);
  engine.kill();
  await Promise.all([
    expect(lab.startTask(place, 'CheckT1', '1')).rejects.toThrow(),
    expect(lab.runs.current(place.projectId, run.execution_id)).resolves.toBeDefined(),
    // Longer than the heartbeat time-out and several rounds of the reconciler.
    wait(4000),
  ]);
  const stored = await lab.areas.executions.store.get(place.projectId, run.execution_id);
  expect(stored?.status).toBe('running');
  await engine.comeBack();
  expect(await refusalOf(() => lab.startTask(place, 'CheckT1', '1'))).toBe('project_busy');
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
  expectAllCompleted(await expectNothingLostOrDoubled(lab, place, run.execution_id), 3);
  await expectNobodyHolds(lab, place);
});
