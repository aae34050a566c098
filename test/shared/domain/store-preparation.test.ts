import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import semver from 'semver';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { prepareStore, storeMigrations } from '../../../shared/domain/store-preparation.ts';
import { connectDatabase } from '../../../shared/kernel/database.ts';
import { createLog } from '../../../shared/kernel/log.ts';
import { newId } from '../../../shared/kernel/new-ids.ts';
import { SERVICE_VERSION } from '../../../shared/kernel/service-version.ts';

const database = await connectDatabase(
  process.env.CALIBRON_TEST_MONGODB ?? 'mongodb://unset',
  `preparation_${newId().slice(0, 8)}`,
);
const { db } = database;
const log = createLog('test', 'SILENT');
const inStore = <Stored extends { _id: string }>(collection: string, ...documents: Stored[]) =>
  db.collection<{ _id: string }>(collection).insertMany(documents);

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-first-version-'));
  await db.dropDatabase();
});
afterEach(() => rm(directory, { recursive: true }));
afterAll(async () => {
  await db.dropDatabase();
  await database.close();
});

/** The store and the configuration as the first version left them: chips of all projects share folders at the root. */
async function firstVersion(): Promise<void> {
  await inStore('projects', { _id: 'prj_a', name: 'a' }, { _id: 'prj_b', name: 'b' });
  const chip = (project_id: string, chip_id: string) => ({
    _id: `${project_id}/${chip_id}`,
    project_id,
    chip_id,
  });
  await inStore('chips', chip('prj_a', 'SHARED'), chip('prj_b', 'SHARED'), chip('prj_a', 'OWN'));
  await put('SHARED/params/t1.yaml', 'shared');
  await put('OWN/config/wiring.yaml', 'wiring');
}

async function put(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(directory, path)), { recursive: true });
  await writeFile(join(directory, path), content);
}

const text = (path: string) => readFile(join(directory, path), 'utf8');
const dependencies = () => ({ database, settings: { CONFIG_PATH: directory }, log });

test('a store of the first version becomes one of this version, with all indexes', async () => {
  await firstVersion();
  await Promise.all([prepareStore(dependencies(), {}), prepareStore(dependencies(), {})]);
  expect((await readdir(directory)).sort()).toEqual(['prj_a', 'prj_b']);
  expect(await text('prj_a/SHARED/params/t1.yaml')).toBe('shared');
  expect(await text('prj_b/SHARED/params/t1.yaml')).toBe('shared');
  expect(await text('prj_a/OWN/config/wiring.yaml')).toBe('wiring');
  const executed = await db.collection<{ _id: string }>('store_migrations').find().toArray();
  expect(executed.map(({ _id }) => _id)).toEqual(storeMigrations(dependencies()).map(({ name }) => name));
  expect((await db.collection('chips').listIndexes().toArray()).length).toBeGreaterThan(1);
});

test('folders that were moved before migrations had a record stay as they are', async () => {
  await firstVersion();
  await inStore('configuration_revisions', { _id: 'chip-folders', moved_at: new Date() });
  await prepareStore(dependencies(), {});
  expect((await readdir(directory)).sort()).toEqual(['OWN', 'SHARED']);
});

test('migrations have names of their own, and what one contracts was expanded by an earlier release', () => {
  const migrations = storeMigrations(dependencies());
  const releases = new Map(migrations.map(({ name, release }) => [name, release]));
  expect(releases.size).toBe(migrations.length);
  for (const migration of migrations) {
    expect(semver.lte(migration.release, SERVICE_VERSION), migration.name).toBe(true);
    if (migration.phase === 'expand') continue;
    if (migration.completes === null) {
      expect(semver.lte(migration.release, '1.0.0'), migration.name).toBe(true);
      continue;
    }
    const expanded = releases.get(migration.completes) ?? expect.fail(`there is no ${migration.completes}`);
    expect(semver.lt(expanded, migration.release), migration.name).toBe(true);
  }
});
