import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ExecutionDocument } from '../../../../shared/domain/executions/model.ts';
import { waitingReason } from '../../../../shared/domain/executions/status-rules.ts';
import { dataConverter } from '../../../../shared/kernel/engine/temporal.ts';
import { CALIBRATION_QUEUE, lockWorkflowId } from '../../../../shared/kernel/engine/workflow-ids.ts';
import type { ExecutionId, ProjectId } from '../../../../shared/kernel/ids.ts';
import { eventually, type Laboratory, oneStage, openLaboratory } from '../../../support/laboratory.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await openLaboratory();
});
afterAll(() => lab.close());

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean();
});

/** A worker whose workflow code fails at once, as after a deploy that open runs cannot replay. */
async function startBrokenWorker(): Promise<void> {
  const connection = await NativeConnection.connect({ address: lab.settings.TEMPORAL_ADDRESS });
  const worker = await Worker.create({
    connection,
    namespace: lab.settings.TEMPORAL_NAMESPACE,
    taskQueue: CALIBRATION_QUEUE,
    workflowsPath: fileURLToPath(new URL('broken-workflows.ts', import.meta.url)),
    dataConverter,
  });
  const running = worker.run();
  cleanups.push(async () => {
    worker.shutdown();
    await running;
    await connection.close();
  });
}

/** The execution as a client that reads it now has it, as soon as `holds` of it. */
const seen = (
  projectId: ProjectId,
  executionId: ExecutionId,
  holds: (execution: ExecutionDocument) => boolean,
) =>
  eventually(async () => {
    const execution = await lab.runs.current(projectId, executionId);
    return holds(execution) ? execution : null;
  });

const hasTrouble = ({ trouble }: ExecutionDocument) => Boolean(trouble);

test('a run whose workflow tasks fail says so, and a cancel from the engine’s UI ends it', async () => {
  await startBrokenWorker();
  const place = await lab.newProject();
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  const execution = await seen(place.projectId, run.execution_id, hasTrouble);
  expect(waitingReason(execution)).toMatch(
    /^the run to continue: its workflow task has failed \d+ times, the last time with "the code is broken", since .* UTC$/,
  );
  expect(await lab.runs.openRuns()).toMatchObject({
    open: 1,
    stuck: 1,
    runs: [{ project_id: place.projectId, seconds: expect.any(Number) }],
  });
  const watch = lab.runs.watch(place.projectId, run.execution_id);
  expect((await watch.look())?.view.waiting.for).toBe(waitingReason(execution));

  const handle = lab.engine.client.workflow.getHandle(lockWorkflowId(place.projectId));
  await handle.cancel();
  const cancelled = await seen(
    place.projectId,
    run.execution_id,
    (each) => each.cancel_requested_at !== null,
  );
  expect(cancelled.status).toBe('scheduled');
  await lab.database.db
    .collection<{ _id: string }>('executions')
    .updateOne({ _id: cancelled._id }, { $set: { cancel_requested_at: new Date(Date.now() - 61_000) } });
  const ended = await seen(place.projectId, run.execution_id, ({ status }) => status === 'cancelled');
  expect(ended.trouble).toBeNull();
  expect(await lab.runs.holder(place.projectId)).toBeNull();
  expect(await lab.runs.openRuns()).toEqual({ open: 0, stuck: 0, runs: [] });
});

test('a run whose records cannot be stored says why, in its log too, and goes on when they can', async () => {
  const directory = join(lab.directory, 'disk');
  await writeFile(directory, 'no directory');
  const worker = await lab.startWorker({ CALIB_DATA_PATH: directory });
  cleanups.push(() => worker.stop());
  const place = await lab.newProject();
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  const execution = await seen(place.projectId, run.execution_id, hasTrouble);
  expect(waitingReason(execution)).toMatch(
    /^record · 0 of stage 0 to succeed: it has failed \d+ times, the last time with "(ENOTDIR|EEXIST).*", since .* UTC$/,
  );
  await eventually(async () => (await worker.log()).includes('run is stuck'));
  await rm(directory);
  await mkdir(directory);
  const ended = await lab.ended(place.projectId, run.execution_id);
  expect([ended.status, ended.trouble]).toEqual(['completed', null]);
});

test('a run that no worker has taken yet waits for one, and is not stuck', async () => {
  const place = await lab.newProject();
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  const first = await lab.runs.current(place.projectId, run.execution_id);
  expect(first.trouble ?? null).toBeNull();
  expect(waitingReason(first)).toMatch(/^the service to start the run, since /);
  await lab.engine.client.workflow.getHandle(lockWorkflowId(place.projectId)).terminate();
});

test('of all processes that ask, one makes each round of the reconciler', async () => {
  const askers = Array.from({ length: 20 }, (_, index) => `worker ${index}`);
  const begin = Date.now() + 3600_000;
  for (const round of [0, 1, 2]) {
    const at = new Date(begin + round * 60_000);
    const taken = await Promise.all(askers.map((asker) => lab.runs.rounds.take(asker, 60_000, at)));
    expect(taken.filter(Boolean)).toHaveLength(1);
    const early = new Date(at.getTime() + 59_999);
    const again = await Promise.all(askers.map((asker) => lab.runs.rounds.take(asker, 60_000, early)));
    expect(again).not.toContain(true);
  }
});
