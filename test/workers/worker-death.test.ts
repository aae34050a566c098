import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { type CommonLaboratory, commonLaboratory } from '../support/common-laboratory.ts';
import { expectNobodyHolds, expectNothingLostOrDoubled, sequence } from '../support/failure-checks.ts';
import { oneStage } from '../support/laboratory.ts';
import { repetitions } from '../support/repetitions.ts';

let lab: CommonLaboratory;
beforeAll(async () => {
  lab = await commonLaboratory();
});

/** Kills, and a run that lasts longer than they do. */
const { KILLS, size, parallel } = repetitions({
  quick: { KILLS: 3, size: 16, parallel: 2 },
  soak: { KILLS: 30, size: 64, parallel: 6 },
});

test(`a run survives ${KILLS} kill -9 of its worker at random moments and measures nothing twice`, async () => {
  const place = await lab.newProject({ size });
  await lab.setFaults({
    rules: [{ match: { project_id: place.projectId }, behaviour: 'slow', seconds: 0.2 }],
  });
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
    await lab.worker.kill();
    await lab.worker.start();
  }
  const execution = await lab.ended(place.projectId, run.execution_id);
  expect(kills).toBe(KILLS);
  expect(execution.status).toBe('completed');
  // Whoever looks at the run sees that another worker carried it on.
  expect(execution.note['resumed_by']).toMatch(new RegExp(`^${lab.worker.pid}@`));
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
