import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Laboratory, oneStage, openLaboratory } from '../support/laboratory.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await openLaboratory();
});
afterAll(() => lab.close());

test('a worker that is added resumes no run, one that comes after the last has gone does', async () => {
  const place = await lab.newProject();
  await lab.setFaults({ rules: [{ match: { project_id: place.projectId }, behaviour: 'stall' }] });
  const first = await lab.startWorker();
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  await lab.measuring(place.projectId, run.execution_id);
  const note = async () =>
    (await lab.areas.executions.store.get(place.projectId, run.execution_id))?.note ?? {};
  const second = await lab.startWorker();
  const measuring = await lab.startWorker({ WORKER_QUEUES: 'backend:simulator' });
  expect(await note()).not.toHaveProperty('resumed_at');
  await Promise.all([first.kill(), second.kill()]);
  await lab.setFaults({ rules: [] });
  const third = await lab.startWorker();
  expect(await note()).toMatchObject({ resumed_by: expect.stringMatching(new RegExp(`^${third.pid}@`)) });
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
  await measuring.stop();
});
