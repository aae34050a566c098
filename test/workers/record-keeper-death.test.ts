import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  expectAllCompleted,
  expectNobodyHolds,
  expectNothingLostOrDoubled,
} from '../support/failure-checks.ts';
import {
  eventually,
  type Laboratory,
  type OwnProcess,
  oneStage,
  openLaboratory,
} from '../support/laboratory.ts';

let lab: Laboratory;
let keepers: OwnProcess[];
beforeAll(async () => {
  lab = await openLaboratory({ SIMULATOR_SECONDS: '1' });
  const keeper = { WORKER_QUEUES: 'calibration' };
  const [first, second] = await Promise.all([
    lab.startWorker(keeper),
    lab.startWorker(keeper),
    lab.startWorker({ WORKER_QUEUES: 'backend:simulator' }),
  ]);
  keepers = [first, second];
});
afterAll(() => lab.close());

test('the death of the workers that keep records, one after the other, costs no measurement', async () => {
  const place = await lab.newProject();
  const run = await lab.startFlow(place, oneStage(['CheckRabi', 'CheckT1', 'CheckT1'], ['0', '1', '2', '3']));
  for (const [wave, keeper] of keepers.entries()) {
    await eventually(async () => {
      const journal = await lab.journal(place.projectId, run.execution_id);
      return journal.filter(({ event }) => event === 'start').length > wave * 4;
    });
    await keeper.kill();
    if (wave === 0) await lab.startWorker({ WORKER_QUEUES: 'calibration' });
  }
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
  const rows = await expectNothingLostOrDoubled(lab, place, run.execution_id);
  expectAllCompleted(rows, 12);
  expect(rows.filter(({ attempt }) => attempt > 1)).toEqual([]);
  await expectNobodyHolds(lab, place);
});
