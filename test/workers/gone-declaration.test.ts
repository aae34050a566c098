import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitingReason } from '../../shared/domain/executions/status-rules.ts';
import { lockWorkflowId } from '../../shared/kernel/engine/workflow-ids.ts';
import { type OwnTask, readOwnTask } from '../../shared/tasks/own-tasks.ts';
import { executionNamed } from '../support/ids.ts';
import {
  eventually,
  type LabChip,
  type Laboratory,
  type OwnProcess,
  oneStage,
  openLaboratory,
} from '../support/laboratory.ts';
import { HELD_BACKEND, serveHeldBackend } from './held-backend.ts';

/** The first one is measured when the declaration of the second one goes away. */
const OWN = ['LabNoise', 'LabSlope'].map(own);

let lab: Laboratory;
let instrument: Awaited<ReturnType<typeof serveHeldBackend>>;
/** Keeps the records until the next one takes over. */
let keeper: OwnProcess;
beforeAll(async () => {
  lab = await openLaboratory();
  await mkdir(lab.settings.CONFIG_PATH, { recursive: true });
  const backends = { simulator: {}, [HELD_BACKEND]: {} };
  await writeFile(join(lab.settings.CONFIG_PATH, 'backends.json'), JSON.stringify({ backends }));
  instrument = await serveHeldBackend(lab);
  keeper = await startKeeper();
});
afterAll(async () => {
  await instrument.close();
  await lab.close();
});

function own(name: string): OwnTask {
  const read = readOwnTask(name, '', { type: 'qubit', outputs: { t1: { unit: 'us' } } });
  return typeof read === 'string' ? expect.fail(read) : read;
}

const startKeeper = () => lab.startWorker({ WORKER_QUEUES: 'calibration,flows' });
const declare = () => lab.areas.backends.noteOwnTasks(HELD_BACKEND, OWN, new Date());

/** A run whose next task is no longer declared, as after a restore of an older store. */
async function runWithoutDeclaration(): Promise<{ place: LabChip; execution: string }> {
  await declare();
  const place = await lab.newProject();
  const names = OWN.map(({ name }) => name);
  const before = instrument.begun();
  const run = await lab.startFlow(place, oneStage(names, ['0']), { backend: HELD_BACKEND });
  await eventually(async () => instrument.begun() > before);
  await lab.database.db.collection('own_tasks').deleteMany({ name: 'LabSlope' });
  // Another worker has not read the declaration before.
  await keeper.stop();
  keeper = await startKeeper();
  instrument.release();
  const waits = await eventually(async () => {
    const stored = await lab.areas.executions.store.get(place.projectId, run.execution_id);
    return stored?.waiting?.kind === 'release' && waitingReason(stored);
  });
  expect(waits).toMatch(
    /^task LabSlope as its backend declared it \([0-9a-f]{12}\), which is no longer stored:/,
  );
  return { place, execution: run.execution_id };
}

const endsOf = async ({ projectId }: LabChip, execution: string) =>
  (await lab.tasksOf(projectId, executionNamed(execution)))
    .map(({ name, status }) => `${name} ${status}`)
    .sort();

test('a run that waits for a declaration that is gone goes on when the backend declares it again', async () => {
  const { place, execution } = await runWithoutDeclaration();
  const before = instrument.begun();
  await declare();
  await eventually(async () => instrument.begun() > before);
  instrument.release();
  expect(await lab.ended(place.projectId, executionNamed(execution))).toMatchObject({
    status: 'completed',
    waiting: null,
  });
  expect(await endsOf(place, execution)).toEqual(['LabNoise completed', 'LabSlope completed']);
});

test('a run that waits for a declaration that is gone can be stopped, and no task of it fails', async () => {
  const { place, execution } = await runWithoutDeclaration();
  await lab.engine.client.workflow
    .getHandle(lockWorkflowId(place.projectId))
    .signal('stop_after_current', { by: 'ada' });
  expect((await lab.ended(place.projectId, executionNamed(execution))).waiting).toBeNull();
  expect(await endsOf(place, execution)).toEqual(['LabNoise completed']);
});
