import { WorkflowNotFoundError } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { StartedRun } from '../../shared/domain/runs/model.ts';
import { backendQueue, lockWorkflowId, stageWorkflowId } from '../../shared/kernel/engine/workflow-ids.ts';
import type { ExecutionId } from '../../shared/kernel/ids.ts';
import { SIMULATOR_BACKEND } from '../../shared/tasks/model.ts';
import {
  eventually,
  type LabChip,
  type Laboratory,
  type OwnProcess,
  oneStage,
  openLaboratory,
} from '../support/laboratory.ts';
import { openProxy, type TcpProxy } from '../support/tcp-proxy.ts';

const BACKEND_QUEUE = backendQueue(SIMULATOR_BACKEND);

/** A worker that measures, with a way to the engine of its own. */
interface MeasuringWorker {
  way: TcpProxy;
  process: OwnProcess;
  /** Whether it was cut off since it came back the last time. */
  isAway: boolean;
}

let lab: Laboratory;
/** Both serve from test to test: what was cut off goes on with its work once its way is mended. */
let left: MeasuringWorker;
let right: MeasuringWorker;
beforeAll(async () => {
  // What is promised holds for the time-out that is shipped; a test's short one leaves no time to stop in.
  lab = await openLaboratory({
    MEASURE_HEARTBEAT_TIMEOUT: '10',
  });
  [left, right] = await Promise.all([
    startMeasuringWorker(),
    startMeasuringWorker(),
    lab.startWorker({ WORKER_QUEUES: 'calibration' }),
  ]);
});
afterAll(async () => {
  await lab.close();
  await Promise.all([left?.way.close(), right?.way.close()]);
});
afterEach(async () => {
  for (const worker of [left, right]) if (worker.isAway) await comeBack(worker);
});

/** In the engine's enumeration of states of activities. */
const PENDING_ACTIVITY_STARTED = 2;
/** And in that of the kinds of task queue. */
const ACTIVITY_QUEUE = 2;

/** Milliseconds that a run may take on a machine that is busy with other tests. */
const PATIENCE = 120_000;

async function startMeasuringWorker(): Promise<MeasuringWorker> {
  const way = await openProxy(lab.settings.TEMPORAL_ADDRESS);
  const environment = { WORKER_QUEUES: BACKEND_QUEUE, TEMPORAL_ADDRESS: way.address };
  return { way, process: await lab.startWorker(environment), isAway: false };
}

function cutOff(worker: MeasuringWorker): void {
  worker.isAway = true;
  worker.way.cut();
}

/** Mends the way of a worker that was cut off, and waits until it asks for work again. */
async function comeBack(worker: MeasuringWorker): Promise<void> {
  const mended = Date.now();
  worker.way.mend();
  worker.isAway = false;
  await eventually(async () => {
    const { pollers } = await lab.engine.connection.workflowService.describeTaskQueue({
      namespace: lab.engine.namespace,
      taskQueue: { name: BACKEND_QUEUE },
      taskQueueType: ACTIVITY_QUEUE,
    });
    return pollers?.some(
      ({ identity, lastAccessTime: at }) =>
        identity?.startsWith(`${worker.process.pid}@`) &&
        Number(at?.seconds ?? 0) * 1000 + Number(at?.nanos ?? 0) / 1e6 > mended,
    );
  }, PATIENCE);
}

/** What happened to the instrument, in order: `start 1`, `abort 1`, `start 2` … */
async function storyOf({ projectId }: { projectId: string }, executionId: ExecutionId): Promise<string[]> {
  return (await lab.journal(projectId, executionId)).map(({ event, attempt }) => `${event} ${attempt}`);
}

/** A run whose first measurement takes a minute, in a worker that is cut off once it has begun, beside another one. */
async function cutOffWhileMeasuring(start: (place: LabChip) => Promise<StartedRun>) {
  cutOff(right);
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [{ match: { project_id: place.projectId, attempt: 1 }, behaviour: 'slow', seconds: 60 }],
  });
  const run = await start(place);
  await lab.measuring(place.projectId, run.execution_id);
  await comeBack(right);
  cutOff(left);
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
    cutOff(right);
    const place = await lab.newProject();
    await lab.setFaults({
      rules: [{ match: { project_id: place.projectId, attempt: 2 }, behaviour: 'slow', seconds: 60 }],
    });
    left.way.hold();
    const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
    const stage = lab.engine.client.workflow.getHandle(stageWorkflowId(place.projectId, run.execution_id, 0));
    await eventually(async () => (await pendingOf(stage)).some(isStarted), PATIENCE);
    cutOff(left);
    await comeBack(right);
    await lab.measuring(place.projectId, run.execution_id);
    expect(await storyOf(place, run.execution_id)).toEqual(['start 2']);
    await comeBack(left);
    const isRefused = async () => (await left.process.log()).includes('not wanted any more');
    await eventually(isRefused, PATIENCE);
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
  return activityType?.name === 'measure' && state === PENDING_ACTIVITY_STARTED;
}
