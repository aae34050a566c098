import { stat } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, type Laboratory, oneStage, openLaboratory } from '../support/laboratory.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await openLaboratory();
});
afterAll(() => lab.close());

const isFile = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

test.each([
  ['idle', 'has nothing else to do'],
  ['immediate', 'is told to draw immediately'],
])('the figures of a run are drawn without a request: %s', async (mode) => {
  const worker = await lab.startWorker({ FIGURE_DRAWING: mode });
  const place = await lab.newProject();
  const run = await lab.startFlow(place, oneStage(['CheckT1', 'CheckRabi'], ['0', '1']));
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
  const tasks = await lab.tasksOf(place.projectId, run.execution_id);
  const pictures = tasks.flatMap(({ figure_path }) => figure_path.map(lab.pathOf));
  expect(pictures.length).toBeGreaterThanOrEqual(4);
  await eventually(async () => (await Promise.all(pictures.map(isFile))).every(Boolean), 60_000);
  await worker.stop();
});
