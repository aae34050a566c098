import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ExecutionId } from '../../shared/kernel/ids.ts';
import {
  eventually,
  type Laboratory,
  type OwnProcess,
  oneStage,
  openLaboratory,
} from '../support/laboratory.ts';
import { repetitions } from '../support/repetitions.ts';

let lab: Laboratory;
beforeAll(async () => {
  // A worker that stops on a busy machine must not be taken for dead: that would be another test.
  lab = await openLaboratory({ SIMULATOR_SECONDS: '0.2', MEASURE_HEARTBEAT_TIMEOUT: '10' });
});
afterAll(() => lab.close());
let started: { worker: OwnProcess; environment: Record<string, string> }[] = [];

/** Seconds of grace that no measurement here ends in, and that each does. */
const [SHORT_GRACE, LONG_GRACE] = [{ WORKER_GRACE: '0.5' }, { WORKER_GRACE: '60' }];
const showingHealth = () => ({ WORKER_HEALTH_FILE: join(lab.directory, 'healthy') });

/** Milliseconds that a run may take on a machine that is busy with other tests. */
const PATIENCE = 150_000;

async function startWorker(environment: Record<string, string> = {}): Promise<OwnProcess> {
  const worker = await lab.startWorker(environment);
  started.push({ worker, environment });
  return worker;
}

/** The only worker that serves: the one with these settings that the test before has left, else a new one. */
async function onlyWorker(environment: Record<string, string>): Promise<OwnProcess> {
  const running = started.filter(({ worker }) => !worker.hasEnded());
  const kept = running.find((each) => isDeepStrictEqual(each.environment, environment));
  started = running.filter((each) => each === kept);
  for (const each of running) if (each !== kept) await each.worker.kill();
  return kept?.worker ?? startWorker(environment);
}

/** How often each task's measurement began. */
async function startsOf(
  place: { projectId: string },
  executionId: ExecutionId,
): Promise<Map<string, number>> {
  const starts = new Map<string, number>();
  for (const { event, task_id } of await lab.journal(place.projectId, executionId)) {
    if (event === 'start') starts.set(task_id, (starts.get(task_id) ?? 0) + 1);
  }
  return starts;
}

test('workers that stop in the middle of a run, one of two and then the last, cost no measurement', async () => {
  const first = await onlyWorker({});
  const second = await startWorker();
  const place = await lab.newProject();
  const run = await lab.startFlow(place, oneStage(['CheckRabi', 'CheckT1'], undefined, ', parallel: 4'));
  const begun = async () => (await startsOf(place, run.execution_id)).size;
  await eventually(async () => (await begun()) > 4, PATIENCE);
  await first.stop();
  const before = await begun();
  await eventually(async () => (await begun()) > before, PATIENCE);
  await second.stop();
  expect(await begun(), 'both stopped in the middle').toBeLessThan(16 * 2);
  await startWorker(SHORT_GRACE);

  expect((await lab.ended(place.projectId, run.execution_id, PATIENCE)).status).toBe('completed');
  const tasks = await lab.tasksOf(place.projectId, run.execution_id);
  expect(tasks).toHaveLength(16 * 2);
  // A request that the engine hands to the polls of a stopping worker gets lost, and its task asks a second time.
  expect(tasks.filter(({ status }) => status !== 'completed')).toEqual([]);
  expect([...(await startsOf(place, run.execution_id)).values()]).toEqual(tasks.map(() => 1));
}, 300_000);

test(
  'measurements that outlast the grace of a stop are aborted there and made again by the next worker, once, however often',
  async () => {
    const stops = repetitions({ quick: [1, 2], soak: [1, 2, 3, 4, 5] });
    await lab.setFaults({
      rules: stops.map((attempt) => ({ match: { attempt }, behaviour: 'slow', seconds: 60 })),
    });
    let measuring = await onlyWorker(SHORT_GRACE);
    const place = await lab.newProject();
    const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0', '1', '2']));
    for (const attempt of stops) {
      await lab.measuring(place.projectId, run.execution_id, 3 * attempt);
      if (attempt < stops.length) {
        await measuring.stop();
        measuring = await startWorker(SHORT_GRACE);
      } else {
        // Whether another one is there already or comes later makes no difference.
        const next = await startWorker(LONG_GRACE);
        await measuring.stop();
        measuring = next;
      }
    }
    expect((await lab.ended(place.projectId, run.execution_id, PATIENCE)).status).toBe('completed');
    const tasks = await lab.tasksOf(place.projectId, run.execution_id);
    const last = stops.length + 1;
    expect(tasks.map(({ status, attempt }) => [status, attempt])).toEqual([
      ['completed', last],
      ['completed', last],
      ['completed', last],
    ]);
    const journal = await lab.journal(place.projectId, run.execution_id);
    const events = (attempt: number) =>
      journal
        .filter((each) => each.attempt === attempt)
        .map(({ event }) => event)
        .sort();
    for (const attempt of stops)
      expect(events(attempt)).toEqual(['abort', 'abort', 'abort', 'start', 'start', 'start']);
    expect(events(last)).toEqual(['end', 'end', 'end', 'start', 'start', 'start']);
    await lab.setFaults({ rules: [] });
  },
  2 * PATIENCE,
);

test(
  'a measurement that ends within the grace of its worker is not made again',
  async () => {
    const worker = await onlyWorker(LONG_GRACE);
    await lab.setFaults({ rules: [{ match: { attempt: 1 }, behaviour: 'slow', seconds: 3 }] });
    const place = await lab.newProject();
    const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
    await lab.measuring(place.projectId, run.execution_id);
    await worker.stop();
    await startWorker(showingHealth());
    expect((await lab.ended(place.projectId, run.execution_id, PATIENCE)).status).toBe('completed');
    const [task] = await lab.tasksOf(place.projectId, run.execution_id);
    expect(task).toMatchObject({ status: 'completed', attempt: 1 });
    await lab.setFaults({ rules: [] });
  },
  2 * PATIENCE,
);

test('a worker shows its health in a file while it works, and takes it away when it stops', async () => {
  const { WORKER_HEALTH_FILE: path } = showingHealth();
  const worker = await onlyWorker(showingHealth());
  await eventually(async () => existsSync(path));
  await worker.stop();
  expect(existsSync(path)).toBe(false);
});
