import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { connectDatabase, type Database } from '../../../../shared/kernel/database.ts';
import { adoptDataRoot, dataRootProblem, MARKER } from '../../../../shared/kernel/installation/data-root.ts';
import {
  createInstallationStore,
  type InstallationStore,
} from '../../../../shared/kernel/installation/store.ts';
import { newId } from '../../../../shared/kernel/new-ids.ts';

let database: Database;
let directory: string;
let store: InstallationStore;
let root: string;

beforeAll(async () => {
  const name = `data_root_${newId().slice(0, 8)}`;
  database = await connectDatabase(process.env['CALIBRON_TEST_MONGODB'] ?? '', name);
});
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-data-root-'));
  root = join(directory, 'calib_data');
  store = createInstallationStore(database.db);
});
afterEach(async () => {
  await database.db.dropDatabase();
  await rm(directory, { recursive: true, force: true });
});
afterAll(() => database.close());

const markerOf = async (path: string) => (await readFile(join(path, MARKER), 'utf8')).trim();

test('the first root of an installation gets its marker once, and stays fit', async () => {
  expect(await dataRootProblem(root, store)).toBe(null);
  const { installation_id, data_root_marked_at } = await store.get();
  expect(await markerOf(root)).toBe(installation_id);
  expect(data_root_marked_at).toBeInstanceOf(Date);
  expect(await dataRootProblem(root, store)).toBe(null);
  expect((await store.get()).data_root_marked_at).toEqual(data_root_marked_at);
});

test('a root that was in use before there were markers gets one', async () => {
  await mkdir(join(root, newId()), { recursive: true });
  expect(await dataRootProblem(root, store)).toBe(null);
  expect(await readdir(root)).toContain(MARKER);
});

test('of many processes that mark a root at once all find it fit, and nothing else is left', async () => {
  const found = await Promise.all(
    Array.from({ length: 8 }, () => dataRootProblem(root, createInstallationStore(database.db))),
  );
  expect(new Set(found)).toEqual(new Set([null]));
  expect(await readdir(root)).toEqual([MARKER]);
});

test('another root without a marker is refused, and not marked', async () => {
  await dataRootProblem(root, store);
  const other = join(directory, 'other');
  const problem = await dataRootProblem(other, store);
  expect(problem).toContain(`${other} has no marker`);
  expect(problem).toContain('npm run adopt -- data');
  await mkdir(other);
  expect(await dataRootProblem(other, store)).toContain('has no marker');
  expect(await readdir(other)).toEqual([]);
});

test('a root of another installation is refused with both ids', async () => {
  await mkdir(root);
  await writeFile(join(root, MARKER), 'id-of-another\n');
  const { installation_id } = await store.get();
  const problem = await dataRootProblem(root, store);
  expect(problem).toContain('id-of-another');
  expect(problem).toContain(installation_id);
});

test('a root that was moved with its marker is fit at its new place', async () => {
  await dataRootProblem(root, store);
  const moved = join(directory, 'moved');
  await rename(root, moved);
  expect(await dataRootProblem(root, store)).toContain('has no marker');
  expect(await dataRootProblem(moved, store)).toBe(null);
});

test('a root that was restored without its marker, or with another one, is adopted', async () => {
  await dataRootProblem(root, store);
  const restored = join(directory, 'restored');
  await mkdir(restored);
  expect(await adoptDataRoot(restored, store)).toBe(null);
  expect(await dataRootProblem(restored, store)).toBe(null);
  await writeFile(join(restored, MARKER), 'id-of-another\n');
  expect(await adoptDataRoot(restored, store)).toBe('id-of-another');
  expect(await dataRootProblem(restored, store)).toBe(null);
});
