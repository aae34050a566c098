import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ExecutionDocument } from '../../shared/domain/executions/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { startedRun } from '../../shared/domain/runs/model.ts';
import { keyOf } from '../../shared/kernel/ids.ts';
import { eventually } from '../support/laboratory.ts';
import { type Api, expectError, type Person, read, startApi } from './harness.ts';
import { type Laboratory, makeLaboratory, storedTask } from './laboratory.ts';

let api: Api;
let owner: Person;
/** May use the fridge. */
let theirs: Laboratory;
/** May not. */
let others: Laboratory;

beforeAll(async () => {
  api = await startApi({ engine: 'prepared' });
  owner = await api.makePerson();
  const viewer = await api.makePerson();
  theirs = await makeLaboratory(api, owner, viewer);
  others = await makeLaboratory(api, await api.makePerson(), viewer);
  await declare({ simulator: {}, 'fridge-1': { projects: [theirs.project] }, open: { projects: [] } });
});
afterAll(() => api.close());

/** Has the service take these backends for those there are. */
async function declare(backends: Record<string, object>): Promise<void> {
  await mkdir(api.settings.CONFIG_PATH, { recursive: true });
  await writeFile(join(api.settings.CONFIG_PATH, 'backends.json'), JSON.stringify({ backends }));
  await api.as(await api.makePerson({ system_role: 'admin' }))('/admin/config/reload', { method: 'POST' });
  // A process may take a second to notice a reload.
  const last = Object.keys(backends).at(-1) ?? '';
  await eventually(async () => (await theirs.as('/backends')).text.includes(last));
}

const run = (lab: Laboratory, backend_name?: string) => lab.execute({ parameters: { backend_name } });
const task = (lab: Laboratory, backend_name?: string) =>
  lab.as('/tasks/CheckT1/execute', { method: 'POST', body: { chip_id: 'CHIP', qid: '0', backend_name } });

test('a backend is listed to the projects that may use it', async () => {
  const [mine, foreign] = [await theirs.as('/backends'), await others.as('/backends')];
  expect(mine.body).toMatchObject({
    backends: [{ name: 'fridge-1' }, { name: 'open' }, { name: 'simulator' }],
  });
  expect(foreign.body).toMatchObject({ backends: [{ name: 'open' }, { name: 'simulator' }] });
  for (const url of ['/tasks', '/task-files/backends', '/task-files/backend-config']) {
    expect((await theirs.as(url)).text).toContain('fridge-1');
    expect((await others.as(url)).text).not.toContain('fridge-1');
  }
  expectError(await others.as('/task-files/tasks', { query: { backend: 'fridge-1' } }), 404, 'not_found');
});

test('only they start runs and tasks on it', async () => {
  for (const start of [run, task]) {
    expect((await start(theirs, 'fridge-1')).status).toBe(200);
    await theirs.free();
  }
  expect(expectError(await run(others, 'fridge-1'), 400, 'bad_request')).toBe(
    'There is no backend of the given backend_name; this project may use open, simulator.',
  );
  expect(expectError(await task(others, 'fridge-1'), 400, 'bad_request')).toBe(
    'There is no backend fridge-1; this project may use open, simulator.',
  );
});

test('what began on it is not repeated on it once the project may not use it any more', async () => {
  const { execution_id } = read(startedRun, await run(theirs, 'fridge-1'));
  await theirs.free();
  await api.database.db
    .collection<ExecutionDocument>('executions')
    .updateOne(
      { _id: keyOf(theirs.project, execution_id) },
      { $set: { status: 'failed', end_at: new Date() } },
    );
  await api.database.db
    .collection<TaskResultDocument>('task_results')
    .insertOne(storedTask(theirs.project, owner, { execution_id, status: 'failed' }));
  await declare({ simulator: {}, 'fridge-1': { projects: [others.project] }, renamed: {} });
  const retry = await theirs.as(`/executions/${execution_id}/retry`, { method: 'POST', body: {} });
  expect(expectError(retry, 409, 'conflict')).toBe(
    `This project may no longer use the backend fridge-1 of execution ${execution_id}. Execute its flow on another one.`,
  );
});

test('a default backend that is not for a project is reported as such', async () => {
  await declare({ simulator: { projects: [others.project] }, last: {} });
  expect(expectError(await run(theirs), 400, 'bad_request')).toBe(
    'There is no backend simulator, which runs use that name none; this project may use last.',
  );
});
