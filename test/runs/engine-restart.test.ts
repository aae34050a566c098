import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort, startTemporal, stopEngine } from '../../scripts/engines/processes.ts';
import { findEngine } from '../../scripts/engines/sources.ts';
import type { EngineProcess } from '../../scripts/engines/types.ts';
import { expectAllCompleted, expectNobodyHolds, expectNothingLostOrDoubled } from './failure-checks.ts';
import { eventually, type Laboratory, oneStage, openLaboratory } from './harness.ts';

let lab: Laboratory;
let engine: EngineProcess;
let directory: string;
let port: number;

async function startEngine(): Promise<EngineProcess> {
  return startTemporal(await findEngine('temporal', () => undefined), {
    port,
    databaseFile: join(directory, 'temporal.db'),
    synchronous: 'NORMAL',
    namespace: 'default',
    logFile: join(directory, 'temporal.log'),
  });
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-engine-'));
  port = await freePort();
  engine = await startEngine();
  lab = await openLaboratory({ TEMPORAL_ADDRESS: engine.address, SIMULATOR_SECONDS: '0.1' });
  await lab.startWorker();
}, 120_000);
afterAll(async () => {
  await lab.close();
  await stopEngine(engine, 5000);
  await rm(directory, { recursive: true, force: true });
});

const kill = () => process.kill(engine.pid ?? 0, 'SIGKILL');

const completed = async (projectId: string, executionId: string) =>
  (await lab.tasksOf(projectId, executionId)).filter((task) => task.status === 'completed').length;

it('a run goes on over three kill -9 of its engine, and holds the project all the time', async () => {
  const place = await lab.newProject();
  const qids = ['0', '1', '2', '3', '4', '5', '6', '7'];
  const code = oneStage(['CheckRabi', 'CheckT1', 'CheckT1'], qids, ', parallel: 2');
  const run = await lab.startFlow(place, code);
  for (const share of [2, 8, 15]) {
    await eventually(async () => (await completed(place.projectId, run.execution_id)) >= share);
    kill();
    engine = await startEngine();
    await expect(lab.startFlow(place, code)).rejects.toMatchObject({ code: 'project_busy' });
  }
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
  expectAllCompleted(await expectNothingLostOrDoubled(lab, place, run.execution_id), 24);
  await expectNobodyHolds(lab, place);
}, 120_000);

it('while the engine is away a start is refused, nothing is closed, and the next start finds the project as it was', async () => {
  const place = await lab.newProject();
  await lab.setFaults({ rules: [{ match: { project_id: place.projectId }, behaviour: 'slow', seconds: 3 }] });
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  await lab.measuring(place.projectId, run.execution_id);
  kill();
  await Promise.all([
    expect(lab.startTask(place, 'CheckT1', '1')).rejects.toThrow(),
    expect(lab.records.reader.detail(place.projectId, run.execution_id)).resolves.toBeDefined(),
    // Longer than the heartbeat time-out and several rounds of the reconciler.
    wait(4000),
  ]);
  const stored = await lab.records.executions.get(place.projectId, run.execution_id);
  expect(stored?.status).toBe('running');
  engine = await startEngine();
  await expect(lab.startTask(place, 'CheckT1', '1')).rejects.toMatchObject({ code: 'project_busy' });
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
  expectAllCompleted(await expectNothingLostOrDoubled(lab, place, run.execution_id), 1);
  await expectNobodyHolds(lab, place);
}, 120_000);
