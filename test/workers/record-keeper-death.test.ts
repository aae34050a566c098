import { afterAll, beforeAll, expect, test } from 'vitest';
import { nothing } from '../../scripts/bench/instant-backend.ts';
import {
  expectAllCompleted,
  expectNobodyHolds,
  expectNothingLostOrDoubled,
} from '../support/failure-checks.ts';
import { serveBackend } from '../support/foreign-backend.ts';
import {
  eventually,
  type Laboratory,
  type OwnProcess,
  oneStage,
  openLaboratory,
} from '../support/laboratory.ts';

const keeper = { WORKER_QUEUES: 'calibration' };
let lab: Laboratory;
let keepers: OwnProcess[];
let last: OwnProcess | undefined;
beforeAll(async () => {
  lab = await openLaboratory({ SIMULATOR_SECONDS: '1' });
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
  for (const [wave, dying] of keepers.entries()) {
    await eventually(async () => {
      const journal = await lab.journal(place.projectId, run.execution_id);
      return journal.filter(({ event }) => event === 'start').length > wave * 4;
    });
    await dying.kill();
    if (wave === 0) last = await lab.startWorker(keeper);
  }
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
  const rows = await expectNothingLostOrDoubled(lab, place, run.execution_id);
  expectAllCompleted(rows, 12);
  expect(rows.filter(({ attempt }) => attempt > 1)).toEqual([]);
  await expectNobodyHolds(lab, place);
});

test('the death of a worker that records what another backend measured costs no measurement', async () => {
  const place = await lab.newProject();
  const measured: string[] = [];
  let die = () => {};
  const dies = new Promise<void>((resolve) => {
    die = resolve;
  });
  const served = await serveBackend(lab, 'fridge', async (request) => {
    measured.push(`${request.task_id} ${request.attempt}`);
    // It records within the workflow task that the answer brings about.
    if (measured.length === 3) setTimeout(die, 20);
    return nothing(request);
  });
  const run = await lab.startFlow(place, oneStage(['CheckT1', 'CheckT1', 'CheckT1'], ['0', '1']), {
    backend: 'fridge',
  });
  await dies;
  await last?.kill();
  await lab.startWorker(keeper);
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
  await served.close();
  expectAllCompleted(await lab.tasksOf(place.projectId, run.execution_id), 6);
  expect(measured).toHaveLength(6);
  const { versions } = await lab.areas.provenance.history(place.projectId, 't1', '0', 10);
  expect(versions.filter(({ execution_id }) => execution_id === run.execution_id)).toHaveLength(3);
  await expectNobodyHolds(lab, place);
});
