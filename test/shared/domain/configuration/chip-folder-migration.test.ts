import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { createChipFolderMigration } from '../../../../shared/domain/configuration/chip-folder-migration.ts';
import { connectDatabase } from '../../../../shared/kernel/database.ts';
import { createLog } from '../../../../shared/kernel/log.ts';
import { newId } from '../../../../shared/kernel/new-ids.ts';

const database = await connectDatabase(
  process.env.CALIBRON_TEST_MONGODB ?? 'mongodb://unset',
  `folders_${newId().slice(0, 8)}`,
);
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-chip-folders-'));
  await database.db.dropDatabase();
});
afterEach(() => rm(directory, { recursive: true }));

async function put(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(directory, path)), { recursive: true });
  await writeFile(join(directory, path), content);
}

const text = (path: string) => readFile(join(directory, path), 'utf8');
const lost = new AbortController().signal;

/** Moves the folders, in a store where two projects have a chip of one name. */
async function move(): Promise<void> {
  const chips = database.db.collection<{ _id: string; project_id: string }>('chips');
  const projects = database.db.collection<{ _id: string }>('projects');
  if ((await projects.countDocuments()) === 0) {
    await projects.insertMany([{ _id: 'prj_a' }, { _id: 'prj_b' }]);
    await chips.insertMany([
      { _id: 'prj_a/SHARED', project_id: 'prj_a' },
      { _id: 'prj_b/SHARED', project_id: 'prj_b' },
      { _id: 'prj_a/OWN', project_id: 'prj_a' },
    ]);
  }
  const log = createLog('test', 'SILENT');
  await createChipFolderMigration({ db: database.db, directory, log }).run(lost);
}

test('each project that has a chip of the name gets its folder, and nothing else moves', async () => {
  await put('SHARED/params/t1.yaml', 'shared');
  await put('SHARED/notes.yaml', 'notes');
  await put('OWN/config/wiring.yaml', 'wiring');
  await put('UNKNOWN/params/t1.yaml', 'unknown');
  await put('topologies/params/t1.yaml', 'shared by all');
  await put('other/file.yaml', 'other');
  await put('prj_b/SHARED/params/t1.yaml', 'newer');
  await move();
  expect(await text('prj_a/SHARED/params/t1.yaml')).toBe('shared');
  expect(await text('prj_a/SHARED/notes.yaml')).toBe('notes');
  expect(await text('prj_b/SHARED/params/t1.yaml')).toBe('newer');
  expect(await text('prj_a/OWN/config/wiring.yaml')).toBe('wiring');
  expect((await readdir(directory)).sort()).toEqual(['UNKNOWN', 'other', 'prj_a', 'prj_b', 'topologies']);
});

test('a move that was interrupted is continued, and files that arrived meanwhile are kept', async () => {
  await put('SHARED/params/t1.yaml', 'shared');
  await put('prj_a/SHARED/params/t1.yaml', 'shared');
  await move();
  await put('prj_b/SHARED/params/t1.yaml', 'edited');
  await move();
  expect(await text('prj_a/SHARED/params/t1.yaml')).toBe('shared');
  expect(await text('prj_b/SHARED/params/t1.yaml')).toBe('edited');
});
