import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { domain } from '../../shared/domain/areas.ts';
import type { ExecutionDocument } from '../../shared/domain/executions/model.ts';
import { connectDatabase } from '../../shared/kernel/database.ts';
import { readEngineMark } from '../../shared/kernel/engine/installation-mark.ts';
import type { ExecutionId, ProjectId } from '../../shared/kernel/ids.ts';
import { ensureIndexes } from '../../shared/kernel/index-builds.ts';
import { createInstallationStore } from '../../shared/kernel/installation/store.ts';
import {
  eventually,
  type Laboratory,
  type OwnProcess,
  oneStage,
  openLaboratory,
} from '../support/laboratory.ts';
import { type OwnEngine, openOwnEngine } from '../support/own-engine.ts';
import { type OwnStore, openOwnStore } from '../support/own-store.ts';
import { openProxy } from '../support/tcp-proxy.ts';
import { HELD_BACKEND, serveHeldBackend } from './held-backend.ts';

/** Milliseconds that a worker may take to notice and to stop, on a machine that is busy with other tests. */
const PATIENCE = 120_000;
/** A run that is older may be closed where its workflow is unknown. */
const LONG_AGO = new Date(Date.now() - 600_000);

let lab: Laboratory;
let backend: Awaited<ReturnType<typeof serveHeldBackend>>;
/** Another installation's Temporal, which has a namespace of the same name. */
let otherTemporal: OwnEngine;
let other: Laboratory;
let otherStore: OwnStore;
const opened: (() => Promise<unknown>)[] = [];
/** The worker with the right settings, which goes on from test to test. */
let serving: OwnProcess | undefined;

beforeAll(async () => {
  [lab, otherTemporal, otherStore] = await Promise.all([
    openLaboratory({ RECONCILE_INTERVAL: '1' }),
    openOwnEngine(),
    openOwnStore(),
  ]);
  other = await openLaboratory({
    TEMPORAL_ADDRESS: otherTemporal.address,
    TEMPORAL_NAMESPACE: lab.settings.TEMPORAL_NAMESPACE,
  });
  const database = await connectDatabase(otherStore.address, lab.settings.MONGODB_DATABASE);
  await ensureIndexes(database, domain.collections);
  await database.close();
  backend = await serveHeldBackend(lab);
});
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});
afterAll(async () => {
  await backend?.close();
  await Promise.all([lab?.close(), other?.close()]);
  await Promise.all([otherTemporal?.close(), otherStore?.close()]);
});

async function proxyTo(target: string) {
  const proxy = await openProxy(target);
  opened.push(() => proxy.close());
  return proxy;
}

async function startWorker(extra: Record<string, string> = {}): Promise<OwnProcess> {
  const worker = await lab.startWorker({ WORKER_QUEUES: 'calibration', ...extra });
  opened.push(async () => {
    if (!worker.hasEnded()) await worker.kill();
  });
  return worker;
}

/** Has a worker with the right settings serve: the one that a test before has left, else a new one. */
async function rightWorker(): Promise<void> {
  if (!serving || serving.hasEnded()) serving = await lab.startWorker({ WORKER_QUEUES: 'calibration' });
}

/** What a worker says that refuses to start. */
const refusedStart = (extra: Record<string, string>): Promise<string> =>
  startWorker(extra).then(
    () => expect.fail('it serves'),
    (thrown: unknown) => String(thrown),
  );

/** A run whose measurement goes on until it is released, and which is old enough to be closed. */
async function measuringRun() {
  const before = backend.begun();
  const place = await lab.newProject();
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']), { backend: HELD_BACKEND });
  await eventually(async () => backend.begun() > before, PATIENCE);
  await lab.database.db
    .collection<ExecutionDocument>('executions')
    .updateMany({ project_id: place.projectId }, { $set: { created_at: LONG_AGO } });
  return { ...place, ...run };
}

const statusOf = async ({ projectId, execution_id }: { projectId: ProjectId; execution_id: ExecutionId }) =>
  (await lab.areas.executions.store.get(projectId, execution_id))?.status;

async function finish(run: Awaited<ReturnType<typeof measuringRun>>) {
  backend.release();
  const { status } = await lab.ended(run.projectId, run.execution_id, PATIENCE);
  const tasks = await lab.tasksOf(run.projectId, run.execution_id);
  return { status, tasks: tasks.map((task) => [task.status, task.output_parameters['t1']?.value]) };
}

const FINISHED = { status: 'completed', tasks: [['completed', 42]] };

test('two workers that start at once on an empty installation agree on its id and both serve', async () => {
  const [one, two] = await Promise.all([startWorker(), startWorker()]);
  expect([one.hasEnded(), two.hasEnded()]).toEqual([false, false]);
  const { installation_id, namespace_id, data_root_marked_at } = await createInstallationStore(
    lab.database.db,
  ).get();
  expect(await readEngineMark(lab.engine)).toMatchObject({ installation_id, namespace_id });
  expect(data_root_marked_at).not.toBe(null);
});

test('a worker with the right store and the wrong Temporal does not start, and names both', async () => {
  await rightWorker();
  const run = await measuringRun();
  const says = await refusedStart({ TEMPORAL_ADDRESS: otherTemporal.address });
  const { installation_id } = await createInstallationStore(lab.database.db).get();
  for (const part of [
    `database ${lab.settings.MONGODB_DATABASE}`,
    installation_id,
    `Temporal is ${otherTemporal.address}, namespace ${lab.settings.TEMPORAL_NAMESPACE}`,
    'npm run adopt -- temporal',
  ]) {
    expect(says).toContain(part);
  }
  expect(says).not.toContain('    at ');
  expect(await finish(run)).toEqual(FINISHED);
});

test('a worker whose address leads to another Temporal after a reconnect closes no run and ends', async () => {
  await rightWorker();
  const way = await proxyTo(lab.settings.TEMPORAL_ADDRESS);
  const moved = await startWorker({ TEMPORAL_ADDRESS: way.address, RECONCILE_INTERVAL: '0.2' });
  const run = await measuringRun();
  way.switchTo(otherTemporal.address);
  await eventually(async () => moved.hasEnded(), PATIENCE);
  expect(await moved.log()).toContain('belong to different installations');
  expect(await statusOf(run)).toBe('running');
  expect(await finish(run)).toEqual(FINISHED);
});

test("a worker that is led to another installation's Temporal leaves its runs alone", async () => {
  const way = await proxyTo(lab.settings.TEMPORAL_ADDRESS);
  const moved = await startWorker({ TEMPORAL_ADDRESS: way.address });
  const serving = await other.startWorker();
  await serving.stop();
  const place = await other.newProject();
  const run = await other.startFlow(place, oneStage(['CheckT1'], ['0']));
  way.switchTo(otherTemporal.address);
  await eventually(async () => moved.hasEnded(), PATIENCE);
  const execution = await other.areas.executions.store.get(place.projectId, run.execution_id);
  expect(execution?.status).toBe('scheduled');
  await other.startWorker();
  expect((await other.ended(place.projectId, run.execution_id, PATIENCE)).status).toBe('completed');
});

test('a worker with the right Temporal and the wrong store does not start', async () => {
  await rightWorker();
  const run = await measuringRun();
  const says = await refusedStart({ MONGODB_URI: otherStore.address });
  expect(says).toContain('belong to different installations');
  expect(says).toContain('npm run adopt -- store');
  expect(await finish(run)).toEqual(FINISHED);
});

test('a worker whose address leads to another store after a reconnect ends no run of this Temporal', async () => {
  // Runs must find no other worker than the one that is led away.
  if (!serving?.hasEnded()) await serving?.kill();
  const target = new URL(lab.settings.MONGODB_URI);
  const way = await proxyTo(target.host);
  const uri = `mongodb://${way.address}/?directConnection=true`;
  const moved = await startWorker({ MONGODB_URI: uri, RECONCILE_INTERVAL: '0.2' });
  const measuring = await measuringRun();
  way.switchTo(new URL(otherStore.address).host);
  const place = await lab.newProject();
  const begun = await lab.startFlow(place, oneStage(['CheckT1'], ['0']), { backend: HELD_BACKEND });
  await eventually(async () => moved.hasEnded(), PATIENCE);
  expect(await moved.log()).toContain('belong to different installations');
  expect(await statusOf(measuring)).toBe('running');
  expect(await statusOf({ ...place, ...begun })).toBe('scheduled');
  const before = backend.begun();
  await rightWorker();
  expect(await finish(measuring)).toEqual(FINISHED);
  await eventually(async () => backend.begun() > before, PATIENCE);
  expect(await finish({ ...place, ...begun })).toEqual(FINISHED);
});

test('a worker with another data root does not start, nor one whose root lost its marker', async () => {
  await rightWorker();
  const root = join(lab.directory, 'elsewhere');
  await mkdir(root, { recursive: true });
  const says = await refusedStart({ CALIB_DATA_PATH: root });
  expect(says).toContain(`${root} has no marker`);
  expect(says).toContain('npm run adopt -- data');
  await rm(root, { recursive: true });
});
