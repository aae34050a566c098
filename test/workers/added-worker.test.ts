import { beforeAll, expect, test } from 'vitest';
import { type CommonLaboratory, commonLaboratory } from '../support/common-laboratory.ts';
import { eventually } from '../support/laboratory.ts';

let lab: CommonLaboratory;
beforeAll(async () => {
  lab = await commonLaboratory();
});

/** Waits for an answer first: however long workers take to start and to be missed, the run is open meanwhile. */
const code = `export async function flow(session) {
  await session.approval({ question: 'Begin?', options: ['yes', 'no'], deadline_seconds: 3600, default: 'no' });
  await session.run({ name: 'check', tasks: ['CheckT1'], targets: ['0'] });
}
`;

test('a worker that is added resumes no run, one that comes after the last has gone does', async () => {
  const place = await lab.newProject();
  const run = await lab.startFlow(place, code);
  await eventually(() => lab.areas.approvals.get(place.projectId, run.execution_id, 0));
  const note = async () =>
    (await lab.areas.executions.store.get(place.projectId, run.execution_id))?.note ?? {};
  const second = await lab.startWorker();
  const measuring = await lab.startWorker({ WORKER_QUEUES: 'backend:simulator' });
  expect(await note()).not.toHaveProperty('resumed_at');
  await Promise.all([lab.worker.kill(), second.kill()]);
  await lab.worker.start();
  expect(await note()).toMatchObject({
    resumed_by: expect.stringMatching(new RegExp(`^${lab.worker.pid}@`)),
  });
  await lab.areas.approvals.answer(place.projectId, `${run.execution_id}-0`, 'ada', 'yes');
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
  await measuring.stop();
});
