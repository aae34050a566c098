import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newUser } from '../../../../shared/domain/administration/index.ts';
import { domain } from '../../../../shared/domain/areas.ts';
import { createProjectDeletion } from '../../../../shared/domain/projects/deletion.ts';
import { lockWorkflowId } from '../../../../shared/kernel/engine/workflow-ids.ts';
import { keyOf, type ProjectId } from '../../../../shared/kernel/ids.ts';
import { newId } from '../../../../shared/kernel/new-ids.ts';
import { userNamed } from '../../../support/ids.ts';
import {
  eventually,
  type Laboratory,
  type OwnProcess,
  oneStage,
  openLaboratory,
} from '../../../support/laboratory.ts';

let lab: Laboratory;
let deletion: ReturnType<typeof createProjectDeletion>;

beforeAll(async () => {
  lab = await openLaboratory();
  const { engine, database, runs, areas } = lab;
  deletion = createProjectDeletion({
    db: database.db,
    engine,
    lastingHolder: runs.lastingHolder,
    hide: areas.projects.hide,
    settle: 2,
  });
});
afterAll(() => lab.close());

/** A project with an owner whose default it is, a chip, a flow and files of a flow. */
async function newProject() {
  const owner = newUser({
    username: `owner-${newId().slice(0, 8)}`,
    hashed_password: '',
    must_change_password: false,
  });
  const place = await lab.newProject({ size: 4 });
  await lab.areas.accounts.users.insert({ ...owner, default_project_id: place.projectId });
  await lab.areas.projects.ensure(
    { user_id: owner._id, username: owner.username },
    { project_id: place.projectId, name: 'Short-lived' },
  );
  return { ...place, owner };
}

/** Every document that names a project anywhere, by collection. */
async function traces(projectId: string): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const { collectionName } of await lab.database.db.collections()) {
    const documents = await lab.database.db.collection(collectionName).find().toArray();
    const naming = documents.filter((each) => JSON.stringify(each).includes(projectId));
    if (naming.length > 0) found[collectionName] = naming.length;
  }
  return found;
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
const workflow = (projectId: ProjectId) => lab.engine.client.workflow.getHandle(lockWorkflowId(projectId));
const statusOf = async (projectId: ProjectId) => (await workflow(projectId).describe()).status.name;

describe('a project that is deleted', () => {
  let worker: OwnProcess;
  beforeAll(async () => {
    worker = await lab.startWorker();
  });
  afterAll(() => worker.stop());

  test('leaves no record, file, schedule or default project, and its neighbour keeps everything', async () => {
    const gone = await newProject();
    const kept = await newProject();
    for (const place of [gone, kept]) {
      const run = await lab.startFlow(place, oneStage(['CheckRabi', 'CheckT1'], ['0']));
      await lab.ended(place.projectId, run.execution_id);
      await lab.free(place.projectId);
    }
    const scheduleId = newId();
    await lab.engine.client.schedule.create({
      scheduleId,
      spec: { calendars: [{ year: 2099 }] },
      action: { type: 'startWorkflow', workflowType: 'scheduledStart', taskQueue: 'nobody' },
      memo: { project_id: gone.projectId },
    });
    await eventually(async () => {
      for await (const each of lab.engine.client.schedule.list())
        if (each.scheduleId === scheduleId) return true;
      return false;
    });
    const before = await traces(kept.projectId);
    expect(Object.keys(await traces(gone.projectId)).length).toBeGreaterThan(10);

    await deletion.delete(gone.projectId, userNamed('ada'));
    expect(await lab.areas.projects.find(gone.projectId)).toBeNull();
    expect((await lab.areas.accounts.users.find(gone.owner._id))?.default_project_id).toBeNull();

    await eventually(async () => (await lab.chips.list(gone.projectId)).chips.length === 0);
    // A request in progress may write after the first sweep; the second sweep finds that.
    const late = { _id: userNamed(keyOf(gone.projectId, 'LATE')), project_id: gone.projectId };
    await lab.database.db.collection<{ _id: string }>('chips').insertOne(late);
    await workflow(gone.projectId).result();
    expect(await traces(gone.projectId)).toEqual({});
    expect(await traces(kept.projectId)).toEqual(before);
    expect(await exists(join(lab.settings.CALIB_DATA_PATH, gone.projectId))).toBe(false);
    expect(await exists(join(lab.settings.DATA_DIR, 'flows', gone.projectId))).toBe(false);
    expect(await readdir(join(lab.settings.CALIB_DATA_PATH, kept.projectId))).not.toEqual([]);
    await expect(lab.engine.client.schedule.getHandle(scheduleId).describe()).rejects.toThrow();
  });

  test('goes on being deleted after the death of a worker, and is not stopped by a cancel or a terminate', async () => {
    const { projectId } = await newProject();
    const left = async () => Object.keys(await traces(projectId)).join();
    await lab.areas.projects.deletion.delete(projectId, userNamed('ada'));
    await eventually(async () => (await left()) === 'project_deletions');
    await worker.kill();
    await workflow(projectId).cancel();
    worker = await lab.startWorker();
    await lab.chips.create(projectId, 'ada', { chip_id: 'LATE', size: 4, topology_id: null });
    await workflow(projectId).terminate('test');
    await eventually(async () => (await left()) === 'project_deletions');
    expect(await statusOf(projectId)).toBe('RUNNING');
  });

  test('declares every collection of projects, since the deletion goes through those', async () => {
    // The kernel keeps what is about the installation as a whole.
    const ofInstallation = ['index_builds', 'installation', 'store_migrations', 'store_version'];
    const declared = new Set([...domain.collections.map((each) => each.collection), ...ofInstallation]);
    const used = (await lab.database.db.collections()).map((each) => each.collectionName);
    expect(used.filter((name) => !declared.has(name))).toEqual([]);
  });
});

describe('deleting', () => {
  test('is refused while a run holds the project, and excludes runs from then on', async () => {
    const place = await newProject();
    const run = await lab.startFlow(place, oneStage(['CheckRabi'], ['0']));
    await expect(deletion.delete(place.projectId, userNamed('ada'))).rejects.toMatchObject({
      code: 'project_busy',
      message: expect.stringContaining(run.execution_id),
    });
    expect(await lab.areas.projects.find(place.projectId)).not.toBeNull();
    await workflow(place.projectId).terminate('test');
    await deletion.delete(place.projectId, userNamed('ada'));
    await expect(lab.startFlow(place, oneStage(['CheckRabi'], ['0']))).rejects.toMatchObject({
      code: 'project_busy',
    });
  });

  test('may be requested again, also at the same moment', async () => {
    const { projectId } = await newProject();
    await Promise.all([
      deletion.delete(projectId, userNamed('ada')),
      deletion.delete(projectId, userNamed('ada')),
      deletion.delete(projectId, userNamed('ada')),
    ]);
    await deletion.delete(projectId, userNamed('ada'));
    expect(await lab.areas.projects.find(projectId)).toBeNull();
    expect(await statusOf(projectId)).toBe('RUNNING');
  });
});
