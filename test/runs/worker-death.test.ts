import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Laboratory, type OwnProcess, oneStage, openLaboratory } from './harness.ts';

let lab: Laboratory;
let worker: OwnProcess;
beforeAll(async () => {
  lab = await openLaboratory({ SIMULATOR_SECONDS: '0.2' });
  worker = await lab.startWorker();
});
afterAll(() => lab.close());

const KILLS = 30;

/** The same numbers at each run of the test, so that a failure can be repeated. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}

it(`a run survives ${KILLS} kill -9 of its worker at random moments and measures nothing twice`, async () => {
  const place = await lab.newProject({ size: 64 });
  const run = await lab.startFlow(
    place,
    oneStage(['CheckRabi', 'CheckT1', 'CheckT1'], undefined, ', parallel: 6'),
  );
  const random = sequence(20261121);
  let kills = 0;
  // A kill costs at most the measurement in flight; it may come at any moment of start, measuring or recording.
  for (; kills < KILLS; kills += 1) {
    await wait(random() * 1500);
    const execution = await lab.records.executions.get(place.projectId, run.execution_id);
    if (execution?.status === 'completed') break;
    await worker.kill();
    worker = await lab.startWorker();
  }
  const execution = await lab.ended(place.projectId, run.execution_id, 240_000);
  expect(kills).toBe(KILLS);
  expect(execution.status).toBe('completed');
  // Whoever looks at the run sees that another worker carried it on.
  expect(execution.note['resumed_by']).toMatch(new RegExp(`^${worker.pid}@`));
  expect(Date.parse(execution.note['resumed_at'] ?? '')).toBeGreaterThan(execution.start_at.getTime());

  const tasks = await lab.tasksOf(place.projectId, run.execution_id);
  const journal = await lab.journal(place.projectId, run.execution_id);
  expect(tasks.filter((task) => task.status === 'running')).toEqual([]);
  // One row for each place of the plan: none missing, none twice.
  const places = tasks.map((task) => `${task.qid}/${task.index}`);
  expect(new Set(places).size).toBe(places.length);
  expect(places).toHaveLength(64 * 3);
  // A measurement is made again only when no end of it was accepted, and at most once.
  const attempts = new Map<string, number>();
  for (const entry of journal.filter((each) => each.event === 'start')) {
    attempts.set(entry.task_id, (attempts.get(entry.task_id) ?? 0) + 1);
  }
  expect(Math.max(...attempts.values())).toBeLessThanOrEqual(2);
  const repeated = [...attempts].filter(([, count]) => count > 1).map(([id]) => id);
  for (const id of repeated) {
    const task = tasks.find((each) => each.task_id === id);
    expect(task?.attempt, `task ${id} was measured twice, so its second attempt must be the one stored`).toBe(
      2,
    );
  }
  const measured = new Set(attempts.keys());
  for (const task of tasks.filter((each) => each.status === 'completed')) {
    expect(measured.has(task.task_id)).toBe(true);
    expect(task.figure_path.length).toBeGreaterThan(0);
  }
  // A measurement whose worker died twice in a row is the only one that may be lost.
  for (const task of tasks.filter((each) => each.status === 'failed')) {
    expect(task.message).toMatch(/no sign of life twice/);
  }
  // Values of calibration state come from rows of this run, each version once.
  const versions = await lab.database.db
    .collection('provenance_entities')
    .find({ project_id: place.projectId, execution_id: run.execution_id })
    .toArray();
  const completed = new Set(tasks.filter((task) => task.status === 'completed').map((task) => task.task_id));
  expect(versions.every((version) => completed.has(version['task_id']))).toBe(true);
  const t1s = tasks.filter((task) => task.status === 'completed' && task.name === 'CheckT1').length;
  expect(versions.filter((version) => version['parameter_name'] === 't1')).toHaveLength(t1s);
}, 600_000);

it('a worker that is asked to stop lets the run go on elsewhere, not cancelled', async () => {
  await lab.setFaults({ rules: [{ match: {}, behaviour: 'slow', seconds: 30 }] });
  const place = await lab.newProject();
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0', '1']));
  await lab.measuring(place.projectId, run.execution_id);
  await worker.stop();
  await lab.setFaults({ rules: [] });
  worker = await lab.startWorker();
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
  const tasks = await lab.tasksOf(place.projectId, run.execution_id);
  expect(tasks.map((task) => task.attempt)).toEqual([2, 2]);
}, 120_000);
