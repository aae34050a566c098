import { beforeAll, expect, test } from 'vitest';
import { type CommonLaboratory, commonLaboratory } from '../support/common-laboratory.ts';
import { oneStage } from '../support/laboratory.ts';

let lab: CommonLaboratory;
beforeAll(async () => {
  lab = await commonLaboratory();
});

test('a worker that is added resumes no run, one that comes after the last has gone does', async () => {
  const place = await lab.newProject();
  await lab.setFaults({ rules: [{ match: { project_id: place.projectId }, behaviour: 'stall' }] });
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  await lab.measuring(place.projectId, run.execution_id);
  const note = async () =>
    (await lab.areas.executions.store.get(place.projectId, run.execution_id))?.note ?? {};
  const second = await lab.startWorker();
  const measuring = await lab.startWorker({ WORKER_QUEUES: 'backend:simulator' });
  expect(await note()).not.toHaveProperty('resumed_at');
  await Promise.all([lab.worker.kill(), second.kill()]);
  await lab.setFaults({ rules: [] });
  await lab.worker.start();
  expect(await note()).toMatchObject({
    resumed_by: expect.stringMatching(new RegExp(`^${lab.worker.pid}@`)),
  });
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
  await measuring.stop();
});
