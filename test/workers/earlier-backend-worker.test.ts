import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nothing } from '../../scripts/bench/instant-backend.ts';
import { backendQueue, stageWorkflowId } from '../../shared/kernel/engine/workflow-ids.ts';
import { SIMULATOR_BACKEND } from '../../shared/tasks/model.ts';
import { expectAllCompleted, expectNobodyHolds } from '../support/failure-checks.ts';
import { type Laboratory, oneStage, openLaboratory } from '../support/laboratory.ts';

let lab: Laboratory;
let connection: NativeConnection;
let worker: Worker;
let running: Promise<void>;
beforeAll(async () => {
  lab = await openLaboratory({ WORKER_QUEUES: 'calibration' });
  await lab.startWorker();
  connection = await NativeConnection.connect({ address: lab.settings.TEMPORAL_ADDRESS });
  worker = await Worker.create({
    connection,
    namespace: lab.settings.TEMPORAL_NAMESPACE,
    taskQueue: backendQueue(SIMULATOR_BACKEND),
    activities: { measure: async (request: Parameters<typeof nothing>[0]) => nothing(request) },
  });
  running = worker.run();
});
afterAll(async () => {
  worker.shutdown();
  await running;
  await connection.close();
  await lab.close();
});

test('a simulator of an earlier release, which keeps no records, measures in two activities a task', async () => {
  const place = await lab.newProject();
  const run = await lab.startFlow(place, oneStage(['CheckT1', 'CheckT1'], ['0', '1']));
  await lab.ended(place.projectId, run.execution_id);
  expectAllCompleted(await lab.tasksOf(place.projectId, run.execution_id), 4);
  const stage = stageWorkflowId(place.projectId, run.execution_id, 0);
  const { events } = await lab.engine.client.workflow.getHandle(stage).fetchHistory();
  const asked = (events ?? []).map(
    ({ activityTaskScheduledEventAttributes: activity }) => activity?.activityType?.name,
  );
  expect(asked.filter((name) => name === 'measure')).toHaveLength(4);
  await expectNobodyHolds(lab, place);
});
