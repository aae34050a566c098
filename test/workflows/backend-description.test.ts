import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { backendDescriptionWorkflowId } from '../../shared/domain/backend-workers/workflow-model.ts';
import { backendQueue } from '../../shared/kernel/engine/workflow-ids.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import type { RunningWorkers } from '../../workers/workers.ts';
import { historyOf, replay } from '../support/histories.ts';
import { eventually, type Laboratory, openLaboratory } from '../support/laboratory.ts';
import { startOwnWorkers } from '../support/own-workers.ts';

let lab: Laboratory;
let workers: RunningWorkers;

beforeAll(async () => {
  // Looks come only from this test, because each must see what the test has set up.
  lab = await openLaboratory({ BACKEND_LOOK_INTERVAL: '20' });
  await mkdir(lab.settings.CONFIG_PATH, { recursive: true });
  const backends = { simulator: {}, plain: {}, described: {} };
  await writeFile(join(lab.settings.CONFIG_PATH, 'backends.json'), JSON.stringify({ backends }));
  workers = await startOwnWorkers(lab);
});
afterAll(async () => {
  await workers.stop();
  await lab.close();
});

type Activities = Record<string, (...given: never[]) => Promise<unknown>>;

/** A worker of a backend with these activities, until the test has ended. */
async function serve<T>(backend: string, activities: Activities, during: () => Promise<T>): Promise<T> {
  const connection = await NativeConnection.connect({ address: lab.settings.TEMPORAL_ADDRESS });
  const worker = await Worker.create({
    connection,
    namespace: lab.settings.TEMPORAL_NAMESPACE,
    taskQueue: backendQueue(backend),
    identity: `${backend} worker`,
    activities,
  });
  const result = await worker.runUntil(during());
  await connection.close();
  return result;
}

/** The one connected worker of a backend, once it has been asked to describe itself. */
async function asked(backend: string) {
  const { backendWorkers } = lab.areas;
  await eventually(async () => {
    await backendWorkers.look();
    const [worker] = await backendWorkers.connected(backend, []);
    return worker !== undefined && worker.described_at !== null;
  });
  const [worker] = await backendWorkers.connected(backend, []);
  return worker ?? expect.fail('no worker');
}

const measure = async () => ({ targets: {} });

test('a worker that describes itself is shown with its words, by a history that replays', async () => {
  const described = {
    contract: 1,
    identity: 'described worker',
    version: '2.1',
    problem: 'The fridge is warm.',
    tasks: [{ name: 'CheckT1' }],
  };
  const worker = await serve('described', { measure, describe: async () => described }, () =>
    asked('described'),
  );
  expect(worker).toMatchObject({
    identity: 'described worker',
    version: '2.1',
    problem: 'The fridge is warm.',
    tasks: [{ name: 'CheckT1', description: '', run_parameters: {} }],
  });
  const id = backendDescriptionWorkflowId('described');
  await lab.engine.client.workflow.getHandle(id).result();
  const histories = await historyOf(lab, 'backend-description', id);
  expect(await replay({ codePath: await workflowBundle(lab.cache) }, histories)).toEqual([]);
});

test('a worker without describe is connected all the same', async () => {
  const worker = await serve('plain', { measure }, () => asked('plain'));
  expect(worker).toMatchObject({ identity: 'plain worker', tasks: null, at_once: null });
});

test('a description that does not fit counts as none', async () => {
  const { backendWorkers } = lab.areas;
  await serve('plain', { measure }, async () => {
    await asked('plain');
    await backendWorkers.noteDescriptions('plain', [
      { identity: 'plain worker', description: { at_once: -1 } },
    ]);
    const [worker] = await backendWorkers.connected('plain', []);
    expect(worker).toMatchObject({ tasks: null });
  });
});

test('only where no worker is a run that needs one is refused', async () => {
  const { backendWorkers } = lab.areas;
  await serve('plain', { measure }, () =>
    eventually(() =>
      backendWorkers.assertWorker('plain').then(
        () => true,
        () => false,
      ),
    ),
  );
  await expect(backendWorkers.assertWorker('nobody')).rejects.toMatchObject({ code: 'no_worker' });
});
