import { WorkflowNotFoundError } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { StartedRun } from '../../shared/domain/runs/model.ts';
import { readSettings } from '../../shared/kernel/config.ts';
import { lockWorkflowId, stageWorkflowId } from '../../shared/kernel/engine/workflow-ids.ts';
import {
  eventually,
  type LabChip,
  type Laboratory,
  type OwnProcess,
  oneStage,
  openLaboratory,
} from '../support/laboratory.ts';
import { openProxy, type TcpProxy } from '../support/tcp-proxy.ts';

let lab: Laboratory;
let proxy: TcpProxy;
const workers: OwnProcess[] = [];
beforeAll(async () => {
  // What is promised holds for the time-out that is shipped; a test's short one leaves no time to stop in.
  lab = await openLaboratory({
    MEASURE_HEARTBEAT_TIMEOUT: String(readSettings({}).MEASURE_HEARTBEAT_TIMEOUT),
  });
  proxy = await openProxy(lab.settings.TEMPORAL_ADDRESS);
  await lab.startWorker({ WORKER_QUEUES: 'calibration' });
});
afterAll(async () => {
  await lab.close();
  await proxy.close();
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.kill();
  proxy.mend();
});

/** In the engine's enumeration of states of activities. */
const PENDING_ACTIVITY_STARTED = 2;

/** Milliseconds that a run may take on a machine that is busy with other tests. */
const PATIENCE = 120_000;

async function startMeasuringWorker(environment: Record<string, string> = {}): Promise<OwnProcess> {
  const worker = await lab.startWorker({ WORKER_QUEUES: 'backend:simulator', ...environment });
  workers.push(worker);
  return worker;
}

/** What happened to the instrument, in order: `start 1`, `abort 1`, `start 2` … */
async function storyOf({ projectId }: { projectId: string }, executionId: string): Promise<string[]> {
  return (await lab.journal(projectId, executionId)).map(({ event, attempt }) => `${event} ${attempt}`);
}

/** A run whose first measurement takes a minute, in a worker that is cut off once it has begun, beside another one. */
async function cutOffWhileMeasuring(start: (place: LabChip) => Promise<StartedRun>) {
  await startMeasuringWorker({ TEMPORAL_ADDRESS: proxy.address });
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [{ match: { project_id: place.projectId, attempt: 1 }, behaviour: 'slow', seconds: 60 }],
  });
  const run = await start(place);
  await lab.measuring(place.projectId, run.execution_id);
  await startMeasuringWorker();
  proxy.cut();
  return { place, run };
}

test(
  'a worker that is cut off from the engine has let go of the instrument before another one measures again',
  async () => {
    const { place, run } = await cutOffWhileMeasuring((at) =>
      lab.startFlow(at, oneStage(['CheckT1'], ['0'])),
    );
    expect((await lab.ended(place.projectId, run.execution_id, PATIENCE)).status).toBe('completed');
    expect(await storyOf(place, run.execution_id)).toEqual(['start 1', 'abort 1', 'start 2', 'end 2']);
  },
  2 * PATIENCE,
);

test(
  'the next run on the chip of a run that was terminated begins when the cut-off worker has let go',
  async () => {
    const { place, run } = await cutOffWhileMeasuring((at) => lab.startTask(at, 'CheckT1', '0'));
    await lab.engine.client.workflow.getHandle(lockWorkflowId(place.projectId)).terminate('operator');
    await lab.free(place.projectId);
    await lab.setFaults({ rules: [] });
    const next = await lab.startTask(place, 'CheckT1', '1');
    await lab.measuring(place.projectId, next.execution_id);
    expect(await storyOf(place, run.execution_id)).toEqual(['start 1', 'abort 1']);
    expect((await lab.ended(place.projectId, next.execution_id, PATIENCE)).status).toBe('completed');
  },
  2 * PATIENCE,
);

test(
  'a request that reaches a worker after the engine has given it to another one is not measured',
  async () => {
    const late = await startMeasuringWorker({ TEMPORAL_ADDRESS: proxy.address });
    const place = await lab.newProject();
    await lab.setFaults({
      rules: [{ match: { project_id: place.projectId, attempt: 2 }, behaviour: 'slow', seconds: 60 }],
    });
    proxy.hold();
    const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
    const stage = lab.engine.client.workflow.getHandle(stageWorkflowId(place.projectId, run.execution_id, 0));
    await eventually(async () => (await pendingOf(stage)).some(isStarted), PATIENCE);
    proxy.cut();
    await startMeasuringWorker();
    await lab.measuring(place.projectId, run.execution_id);
    expect(await storyOf(place, run.execution_id)).toEqual(['start 2']);
    proxy.mend();
    await eventually(async () => (await late.log()).includes('not asked for any more'), PATIENCE);
    expect(await storyOf(place, run.execution_id)).toEqual(['start 2']);
    await lab.runs.control.cancel(place.projectId, run.flow_run_id);
    expect((await lab.ended(place.projectId, run.execution_id, PATIENCE)).status).toBe('cancelled');
  },
  2 * PATIENCE,
);

type Stage = ReturnType<Laboratory['engine']['client']['workflow']['getHandle']>;

/** What a stage waits for; nothing before it has begun. */
async function pendingOf(stage: Stage) {
  const description = await stage.describe().catch((thrown: unknown) => {
    if (thrown instanceof WorkflowNotFoundError) return null;
    throw thrown;
  });
  return description?.raw.pendingActivities ?? [];
}

/** Whether the engine believes that a worker has this measurement in hand. */
function isStarted({ activityType, state }: Awaited<ReturnType<typeof pendingOf>>[number]): boolean {
  return activityType?.name === 'measureAndRecord' && state === PENDING_ACTIVITY_STARTED;
}
