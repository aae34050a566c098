import type { Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBackendRoute } from '../../../workers/backend-route/route.ts';
import { type Laboratory, oneStage, openLaboratory } from '../../support/laboratory.ts';

const NO_RIGHTS = { code: 7 };

let lab: Laboratory;
let route: Http2Server;
let address: string;

beforeAll(async () => {
  lab = await openLaboratory();
  route = createBackendRoute({
    target: `http://${lab.settings.TEMPORAL_ADDRESS}`,
    namespace: lab.settings.TEMPORAL_NAMESPACE,
    queues: ['backend:simulator'],
  });
  await new Promise<void>((resolve) => route.listen(0, '127.0.0.1', resolve));
  address = `127.0.0.1:${(route.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await lab.close();
  route.close();
});

test('a backend worker without a store measures over the route', async () => {
  const keeper = await lab.startWorker({ WORKER_QUEUES: 'calibration' });
  const backend = await lab.startWorker({
    WORKER_QUEUES: 'backend:simulator',
    TEMPORAL_ADDRESS: address,
    // Nobody listens there.
    MONGODB_URI: 'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=100',
  });
  const place = await lab.newProject();
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
  await Promise.all([backend.stop(), keeper.stop()]);
});

test('over the route nobody starts, reads or ends workflows, nor polls another queue', async () => {
  const connection = await Connection.connect({ address });
  const { workflowService } = connection;
  const namespace = lab.settings.TEMPORAL_NAMESPACE;
  try {
    expect(await workflowService.describeNamespace({ namespace })).toBeDefined();
    const refused = [
      workflowService.listWorkflowExecutions({ namespace }),
      workflowService.startWorkflowExecution({
        namespace,
        workflowId: 'mine',
        taskQueue: { name: 'calibration' },
      }),
      workflowService.terminateWorkflowExecution({ namespace, workflowExecution: { workflowId: 'any' } }),
      workflowService.pollActivityTaskQueue({ namespace, taskQueue: { name: 'calibration' } }),
      workflowService.pollActivityTaskQueue({ namespace: 'other', taskQueue: { name: 'backend:simulator' } }),
      workflowService.pollWorkflowTaskQueue({ namespace, taskQueue: { name: 'calibration' } }),
    ];
    for (const end of await Promise.allSettled(refused)) expect(end).toMatchObject({ reason: NO_RIGHTS });
  } finally {
    await connection.close();
  }
});
