import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Laboratory, oneStage, openLaboratory } from './harness.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await openLaboratory();
  await lab.startWorker();
});
afterAll(() => lab.close());

it('a run measures every task on every qubit and ends completed with counts', async () => {
  const place = await lab.newProject({ size: 16 });
  const started = await lab.startFlow(place, oneStage(['CheckRabi', 'CheckT1']));
  const execution = await lab.ended(place.projectId, started.execution_id);
  expect(execution.message).toBe('The flow ended. 32 of 32 tasks completed.');
  expect(execution.status).toBe('completed');
  const tasks = await lab.tasksOf(place.projectId, started.execution_id);
  expect(tasks).toHaveLength(32);
  console.log(JSON.stringify(tasks[31], null, 1));
});
