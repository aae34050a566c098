import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { buildServer } from '../../api/server.ts';
import type { domain } from '../../shared/domain/areas.ts';
import type { readSettings } from '../../shared/domain/settings.ts';
import type { TaskId, UserId } from '../../shared/kernel/ids.ts';
import { ensureIndexes } from '../../shared/kernel/index-builds.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { type Copy, copyOf, stepsOf } from '../support/followed-pages.ts';
import { taskNamed, userNamed } from '../support/ids.ts';
import { type Api, type Person, startApi } from './harness.ts';

/** Pages that build on each other. */
const PAGES = ['adding-a-setting.md', 'adding-an-area.md', 'adding-a-route.md', 'adding-a-workflow.md'];

interface Programs {
  buildServer: typeof buildServer;
  domain: typeof domain;
  readSettings: typeof readSettings;
  accessOf: Record<string, string>;
  bookmarkRemoval: (owner: { project_id: string; user_id: UserId }) => Promise<void>;
}

/** What the test uses of the copy, with its file. */
const ENTRY = {
  buildServer: 'api/server.ts',
  domain: 'shared/domain/areas.ts',
  readSettings: 'shared/domain/settings.ts',
  bookmarkRemoval: 'workflows/bookmark-removal.ts',
  accessOf: 'test/api/permission-matrix.ts',
};

/** In place of the package in the bundle of the copy: activities are those of the test. */
const WORKFLOW_PACKAGE = `export const proxyActivities = () => ({
  removeBookmarks: (owner) => globalThis.removeBookmarks(owner),
});`;

let copy: Copy;
let programs: Programs;
let api: Api;
let server: FastifyInstance;
let ada: Person;

beforeAll(async () => {
  [copy, api] = await Promise.all([
    copyOf(
      ['shared', 'activities', 'workflows', 'workers', 'api', 'test/api'],
      ['api/server.ts', 'workers/workers.ts'],
    ),
    startApi(),
  ]);
  for (const page of PAGES) for (const step of await stepsOf(page)) await copy.follow(step);
  programs = await bundled();
  ada = await api.makePerson();
});
afterAll(async () => {
  await server?.close();
  await api.close();
  await copy.remove();
});

/** The programs of the copy as one module, because to import 600 files takes longer. */
async function bundled(): Promise<Programs> {
  const { directory } = copy;
  const exported = Object.entries(ENTRY).map(([name, path]) => `export { ${name} } from './${path}';\n`);
  await writeFile(join(directory, 'entry.ts'), exported.join(''));
  await writeFile(join(directory, 'workflow-package.js'), WORKFLOW_PACKAGE);
  await build({
    absWorkingDir: directory,
    entryPoints: ['entry.ts'],
    outfile: join(directory, 'entry.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['./node_modules/*'],
    packages: 'external',
    alias: { '@temporalio/workflow': join(directory, 'workflow-package.js') },
    logLevel: 'silent',
  });
  return import(pathToFileURL(join(directory, 'entry.mjs')).href);
}

test('what the pages add has no type errors', async () => {
  expect(await copy.typeErrors()).toBe('');
});

test('the new setting has its default, and a value that does not fit is refused', () => {
  expect(programs.readSettings({})).toMatchObject({ BOOKMARKS_PER_USER: 200 });
  expect(() => programs.readSettings({ BOOKMARKS_PER_USER: '0' })).toThrow(/BOOKMARKS_PER_USER/);
});

test('the table of permissions has the new routes', () => {
  expect(programs.accessOf).toMatchObject({ 'GET /bookmarks': 'viewer', 'POST /bookmarks': 'viewer' });
});

test('the new routes keep what each user adds within the limit, and the workflow removes it', async () => {
  const { settings, database, engine } = api;
  const limited = Object.assign({ ...settings }, { BOOKMARKS_PER_USER: 2 });
  await ensureIndexes(database, programs.domain.collections);
  server = await programs.buildServer({
    settings: limited,
    database,
    engine,
    log: createLog('test', 'SILENT'),
  });
  const project_id = await api.makeProject(ada);
  const headers = { authorization: `Bearer ${ada.token}`, 'x-project-id': project_id };
  const add = (task_id: TaskId) =>
    server.inject({ method: 'POST', url: '/bookmarks', headers, payload: { task_id } });
  const list = async () => (await server.inject({ url: '/bookmarks', headers })).json();

  expect((await server.inject({ url: '/bookmarks' })).statusCode).toBe(401);
  for (const task of ['one', 'two', 'one']) expect((await add(taskNamed(task))).statusCode).toBe(201);
  const refused = await add(taskNamed('three'));
  expect(refused.statusCode).toBe(409);
  expect(refused.json()).toMatchObject({ code: 'quota_exceeded' });
  expect(await list()).toMatchObject({ bookmarks: [{ task_id: 'two' }, { task_id: 'one' }], total: 2 });
  const indexes = await database.db.collection('bookmarks').listIndexes().toArray();
  expect(indexes.map(({ name }) => name)).toContain('by_age');

  const removed: unknown[] = [];
  Object.assign(globalThis, { removeBookmarks: async (owner: unknown) => void removed.push(owner) });
  await programs.bookmarkRemoval({ project_id, user_id: userNamed(ada.id) });
  expect(removed).toEqual([{ project_id, user_id: ada.id }]);
});
