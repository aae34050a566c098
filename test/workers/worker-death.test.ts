import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectNobodyHolds, expectNothingLostOrDoubled, sequence } from '../support/failure-checks.ts';
import { type Laboratory, type OwnProcess, oneStage, openLaboratory } from '../support/laboratory.ts';
import { repetitions } from '../support/repetitions.ts';

let lab: Laboratory;
let worker: OwnProcess;
beforeAll(async () => {
  lab = await openLaboratory({ SIMULATOR_SECONDS: '0.2' });
  worker = await lab.startWorker();
});
afterAll(() => lab.close());

/** Kills, and a run that lasts longer than they do. */
const { KILLS, size, parallel } = repetitions({
  quick: { KILLS: 6, size: 16, parallel: 2 },
  soak: { KILLS: 30, size: 64, parallel: 6 },
});

test(`a run survives ${KILLS} kill -9 of its worker at random moments and measures nothing twice`, async () => {
  const place = await lab.newProject({ size });
  const run = await lab.startFlow(
    place,
    oneStage(['CheckRabi', 'CheckT1', 'CheckT1'], undefined, `, parallel: ${parallel}`),
  );
  // Whoever dies before the run began leaves nothing to be resumed.
  await lab.measuring(place.projectId, run.execution_id);
  const random = sequence(20261121);
  let kills = 0;
  // A kill costs at most the measurement in flight; it may come at any moment of start, measuring or recording.
  for (; kills < KILLS; kills += 1) {
    await wait(random() * 1500);
    const execution = await lab.areas.executions.store.get(place.projectId, run.execution_id);
    if (execution?.status === 'completed') break;
    await worker.kill();
    worker = await lab.startWorker();
  }
  const execution = await lab.ended(place.projectId, run.execution_id);
  expect(kills).toBe(KILLS);
  expect(execution.status).toBe('completed');
  // Whoever looks at the run sees that another worker carried it on.
  expect(execution.note['resumed_by']).toMatch(new RegExp(`^${worker.pid}@`));
  expect(Date.parse(execution.note['resumed_at'] ?? '')).toBeGreaterThan(execution.start_at.getTime());

  const rows = await expectNothingLostOrDoubled(lab, place, run.execution_id);
  expect(rows).toHaveLength(size * 3);
  for (const row of rows) {
    if (row.status === 'completed') expect(row.figure_path.length).toBeGreaterThan(0);
    // A measurement whose worker died three times is the only one that may be lost.
    if (row.status === 'failed') expect(row.message).toMatch(/no sign of life 3 times/);
  }
  await expectNobodyHolds(lab, place);
}, 600_000);

test('a worker that is asked to stop lets the run go on elsewhere, not cancelled', async () => {
  await lab.setFaults({ rules: [{ match: {}, behaviour: 'slow', seconds: 30 }] });
  const place = await lab.newProject();
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0', '1']));
  // Both of them: one that has not begun is not interrupted.
  await lab.measuring(place.projectId, run.execution_id, 2);
  await worker.stop();
  await lab.setFaults({ rules: [] });
  worker = await lab.startWorker();
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
  const tasks = await lab.tasksOf(place.projectId, run.execution_id);
  for (const { attempt } of tasks) expect(attempt).toBeGreaterThanOrEqual(2);
});
