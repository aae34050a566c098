import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import type { ExecutionId } from '../../../../shared/kernel/ids.ts';
import {
  expectAllCompleted,
  expectNobodyHolds,
  expectNothingLostOrDoubled,
} from '../../../support/failure-checks.ts';
import {
  eventually,
  type LabChip,
  type Laboratory,
  oneStage,
  openLaboratory,
} from '../../../support/laboratory.ts';
import { type OwnStore, openOwnStore } from '../../../support/own-store.ts';
import { testWithOwnStore } from '../../../support/own-store-tests.ts';
import { repetitions } from '../../../support/repetitions.ts';

/** Seconds that the store is away: several repeats of an activity. */
const AWAY = repetitions({ quick: 5, soak: 20 });

let lab: Laboratory;
let store: OwnStore;

beforeAll(async () => {
  store = await openOwnStore();
  // A worker must not be taken for dead on a busy machine: that would be another test.
  lab = await openLaboratory({
    MONGODB_URI: store.address,
    SIMULATOR_SECONDS: '0.5',
    MEASURE_HEARTBEAT_TIMEOUT: '10',
  });
  await lab.startWorker();
});
afterAll(async () => {
  await lab.close();
  await store.close();
});

async function takeAway(): Promise<void> {
  store.kill();
  await wait(AWAY * 1000);
  await store.comeBack();
}

async function expectEverythingOnce(place: LabChip, executionId: ExecutionId, tasks: number) {
  const rows = await expectNothingLostOrDoubled(lab, place, executionId);
  expectAllCompleted(rows, tasks);
  expect(rows.filter(({ attempt }) => attempt > 1)).toEqual([]);
  await expectNobodyHolds(lab, place);
}

testWithOwnStore(
  `the store away for ${AWAY} s in the middle of a run loses nothing and doubles nothing`,
  async () => {
    const place = await lab.newProject();
    const run = await lab.startFlow(
      place,
      oneStage(['CheckRabi', 'CheckT1'], ['0', '1', '2', '3', '4', '5'], ', parallel: 2'),
    );
    await eventually(async () =>
      (await lab.tasksOf(place.projectId, run.execution_id)).some((task) => task.status === 'completed'),
    );
    await takeAway();
    expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
    await expectEverythingOnce(place, run.execution_id, 12);
  },
);

testWithOwnStore(
  `the store away for ${AWAY} s in finalize still closes the run and frees the project`,
  async () => {
    const place = await lab.newProject();
    const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
    // The engine tells when the last step before finalize is done; the store's own answer would come too late.
    const handle = lab.engine.client.workflow.getHandle(`exec:${place.projectId}`, run.flow_run_id);
    await eventually(async () => {
      const { events } = await handle.fetchHistory();
      return events?.some((event) => event.childWorkflowExecutionCompletedEventAttributes);
    });
    await takeAway();
    expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
    await expectEverythingOnce(place, run.execution_id, 1);
  },
);
