import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Laboratory, openLaboratory } from '../support/laboratory.ts';
import { repetitions } from '../support/repetitions.ts';

const TENANTS = repetitions({ quick: 12, soak: 24 });

let lab: Laboratory;
beforeAll(async () => {
  lab = await openLaboratory({ FLOW_THREADS: '2' });
  await lab.startWorker();
});
afterAll(() => lab.close());

const computing = `export async function flow(session) {
  for (;;) {
    for (let i = 0; i < 4e6; i += 1) ;
    await session.sleep(0.01);
  }
}
`;
const short = `export async function flow(session) {
  for (let step = 0; step < 5; step += 1) await session.sleep(0.01);
}
`;

/** Steps that flows have been given so far, of all projects. */
const turns = () => lab.database.db.collection('flow_steps').countDocuments();

test(`the flows of ${TENANTS} projects that compute neither keep that of another one waiting nor outlive their cancel`, async () => {
  // All there before the first begins: they compute until they are cancelled.
  const places = await Promise.all(
    Array.from({ length: TENANTS + 1 }, () => lab.newProject({ blank: true, size: 4 })),
  );
  const [place, ...others] = places;
  if (!place) throw new Error('there are projects');
  const hogs = await Promise.all(
    others.map(async (other) => ({
      projectId: other.projectId,
      run: await lab.startFlow(other, computing),
    })),
  );
  await expect.poll(turns).toBeGreaterThan(TENANTS);

  const before = await turns();
  const run = await lab.startFlow(place, short);
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
  // First come, first served, each of its six steps would have waited for one of every other project.
  expect((await turns()) - before - 5).toBeLessThan(4 * TENANTS);

  await Promise.all(hogs.map(({ projectId, run }) => lab.runs.control.cancel(projectId, run.flow_run_id)));
  for (const { projectId, run } of hogs) {
    expect((await lab.ended(projectId, run.execution_id)).status).toBe('cancelled');
  }
});

test('a run whose flow has had all its processor time ends and says so, whichever worker carried it on', async () => {
  const place = await lab.newProject({ blank: true, size: 4 });
  const run = await lab.startFlow(place, short.replace('step < 5', 'step < 50'));
  await lab.areas.executions.store.noteFlowTime(place.projectId, run.execution_id, 60_000);
  const execution = await lab.ended(place.projectId, run.execution_id);
  expect(execution.status).toBe('failed');
  expect(execution.message).toMatch(
    /^flow "nightly": the flow computed for more than 60 s in all of this run/,
  );
});
