import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, type Laboratory, oneStage, openLaboratory } from '../runs/harness.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await openLaboratory({ SIMULATOR_SECONDS: '0.2' });
});
afterAll(() => lab.close());

/** How often each task's measurement began. */
async function startsOf(place: { projectId: string }, executionId: string): Promise<Map<string, number>> {
  const starts = new Map<string, number>();
  for (const { event, task_id } of await lab.journal(place.projectId, executionId)) {
    if (event === 'start') starts.set(task_id, (starts.get(task_id) ?? 0) + 1);
  }
  return starts;
}

it('one of two workers that is asked to stop in the middle of a run costs no task and no measurement', async () => {
  const workers = [await lab.startWorker(), await lab.startWorker()];
  const place = await lab.newProject({ size: 64 });
  const run = await lab.startFlow(place, oneStage(['CheckRabi', 'CheckT1'], undefined, ', parallel: 8'));
  await eventually(async () => (await startsOf(place, run.execution_id)).size > 16);
  await workers[0]?.stop();
  expect((await startsOf(place, run.execution_id)).size, 'it stopped in the middle').toBeLessThan(128);

  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
  const tasks = await lab.tasksOf(place.projectId, run.execution_id);
  expect(tasks).toHaveLength(64 * 2);
  expect(tasks.filter(({ status, attempt }) => status !== 'completed' || attempt !== 1)).toEqual([]);
  expect(new Set((await startsOf(place, run.execution_id)).values())).toEqual(new Set([1]));
  expect(await workers[0]?.log()).not.toContain('"level":50');
  await workers[1]?.stop();
}, 180_000);

it('a measurement that outlasts the grace of a stop is aborted there and made again by the other worker, once', async () => {
  const first = await lab.startWorker();
  await lab.setFaults({ rules: [{ match: { attempt: 1 }, behaviour: 'slow', seconds: 60 }] });
  const place = await lab.newProject();
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0', '1', '2']));
  await eventually(async () => (await startsOf(place, run.execution_id)).size === 3);
  const second = await lab.startWorker();
  await first.stop();

  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
  const tasks = await lab.tasksOf(place.projectId, run.execution_id);
  expect(tasks.map(({ status, attempt }) => [status, attempt])).toEqual([
    ['completed', 2],
    ['completed', 2],
    ['completed', 2],
  ]);
  const journal = await lab.journal(place.projectId, run.execution_id);
  const events = (attempt: number) =>
    journal
      .filter((each) => each.attempt === attempt)
      .map(({ event }) => event)
      .sort();
  expect(events(1)).toEqual(['abort', 'abort', 'abort', 'start', 'start', 'start']);
  expect(events(2)).toEqual(['end', 'end', 'end', 'start', 'start', 'start']);
  await lab.setFaults({ rules: [] });
  await second.stop();
}, 180_000);

it('the only worker that is stopped in the middle of a run finds it where it was when it comes back', async () => {
  const place = await lab.newProject({ size: 16 });
  let worker = await lab.startWorker();
  const run = await lab.startFlow(place, oneStage(['CheckRabi', 'CheckT1'], undefined, ', parallel: 4'));
  await eventually(async () => (await startsOf(place, run.execution_id)).size > 8);
  await worker.stop();
  const before = await startsOf(place, run.execution_id);
  worker = await lab.startWorker();

  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
  const tasks = await lab.tasksOf(place.projectId, run.execution_id);
  expect(tasks.filter(({ status, attempt }) => status !== 'completed' || attempt !== 1)).toEqual([]);
  const after = await startsOf(place, run.execution_id);
  expect(before.size).toBeLessThan(after.size);
  expect(after.size).toBe(32);
  expect(new Set(after.values())).toEqual(new Set([1]));
  await worker.stop();
}, 180_000);

it('a worker shows its health in a file while it works, and takes it away when it stops', async () => {
  const path = join(lab.directory, 'healthy');
  const worker = await lab.startWorker({ WORKER_HEALTH_FILE: path });
  await eventually(async () => existsSync(path));
  await worker.stop();
  expect(existsSync(path)).toBe(false);
});
