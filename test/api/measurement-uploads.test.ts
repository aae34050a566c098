import { mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { executionDirectory } from '../../shared/domain/executions/index.ts';
import { uploadedFile } from '../../shared/domain/measurement-uploads/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import type { ProjectId, TaskId } from '../../shared/kernel/ids.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { executionNamed, taskNamed } from '../support/ids.ts';
import { type Api, expectError, type Person, read, startApi } from './harness.ts';
import { storedTask } from './laboratory.ts';

let api: Api;
let owner: Person;
let project: ProjectId;
let task_id: TaskId;
let token: string;

const rows = () => api.database.db.collection<TaskResultDocument>('task_results');
const MIB = 1024 * 1024;

beforeAll(async () => {
  api = await startApi({ environment: { RAW_DATA_MIB: '4' } });
  owner = await api.makePerson();
  project = await api.makeProject(owner);
});
afterAll(() => api.close());

/** A measurement of two targets that is under way. */
beforeEach(async () => {
  task_id = taskNamed(newId());
  const running = { status: 'running', execution_id: executionNamed('20260102-001') } as const;
  const ids = [taskNamed(`${task_id}-a`), taskNamed(`${task_id}-b`)];
  await rows().insertMany(ids.map((id) => storedTask(project, owner, { ...running, task_id: id })));
  token = await api.areas.measurementUploads.tokenOf({ project_id: project, task_id, rows: ids });
});

function put(name: string, text: string, presented = token, of = task_id) {
  return api.call(`/measurements/${of}/files/${name}`, {
    method: 'PUT',
    text,
    headers: { 'content-type': 'application/octet-stream', authorization: `Bearer ${presented}` },
  });
}

test('a backend uploads files of its measurement, and a file of the same name is replaced', async () => {
  const content = 'x'.repeat(2 * MIB);
  await put('data.nc', 'first');
  const stored = read(uploadedFile, await put('data.nc', content));
  expect(stored.size).toBe(content.length);
  const where = { project_id: project, chip_id: 'CHIP', execution_id: executionNamed('20260102-001') };
  const data = join(executionDirectory(api.settings.CALIB_DATA_PATH, where), 'raw_data');
  expect(stored.path).toBe(join(data, task_id, 'data.nc'));
  expect(await readFile(stored.path, 'utf8')).toBe(content);
  expect(await readdir(join(data, task_id))).toEqual(['data.nc']);
});

test('the token ends with the last target of its measurement', async () => {
  await rows().updateOne({ task_id: taskNamed(`${task_id}-a`) }, { $set: { status: 'completed' } });
  expect((await put('data.nc', 'one target is under way')).status).toBe(200);
  await rows().updateOne({ task_id: taskNamed(`${task_id}-b`) }, { $set: { status: 'failed' } });
  expectError(await put('data.nc', 'too late'), 401, 'not_authenticated');
});

test('neither the token of a user nor that of another measurement nor a changed one is taken', async () => {
  expectError(await put('data.nc', 'x', owner.token), 401, 'not_authenticated');
  expectError(await put('data.nc', 'x', token, taskNamed(newId())), 401, 'not_authenticated');
  const [prefix, , signature] = token.split('.');
  const claims = { project_id: project, task_id, rows: ['another'] };
  const forged = [prefix, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
  expectError(await put('data.nc', 'x', forged), 401, 'not_authenticated');
  const me = await api.call('/auth/me', { headers: { authorization: `Bearer ${token}` } });
  expectError(me, 401, 'not_authenticated');
});

test('names lead nowhere else, and end as data files do', async () => {
  for (const name of ['.hidden.nc', '..%2F..%2Fdata.nc', 'page.html', 'data']) {
    expect((await put(name, 'x')).status).toBe(422);
  }
});

test('the files of a measurement are bounded together, and nothing stays of one that is too large', async () => {
  const { path } = read(uploadedFile, await put('a.nc', 'x'.repeat(3 * MIB)));
  for (const size of [2 * MIB, 5 * MIB]) {
    expectError(await put('b.nc', 'x'.repeat(size)), 413, 'too_large');
  }
  expect(await readdir(dirname(path))).toEqual(['a.nc']);
  expect((await put('a.nc', 'smaller')).status).toBe(200);
  expect((await put('b.nc', 'x'.repeat(2 * MIB))).status).toBe(200);
});

test('a folder of a measurement that was replaced by a link receives nothing', async () => {
  const { path } = read(uploadedFile, await put('a.nc', 'x'));
  const outside = await mkdtemp(join(tmpdir(), 'calibron-outside-'));
  await rm(dirname(path), { recursive: true });
  await symlink(outside, dirname(path));
  expect((await put('a.nc', 'x')).status).toBe(500);
  expect(await readdir(outside)).toEqual([]);
  await rm(outside, { recursive: true });
});

test('a measurement has a bounded number of files', async () => {
  for (let file = 0; file < 32; file += 1) expect((await put(`${file}.nc`, 'x')).status).toBe(200);
  expectError(await put('32.nc', 'x'), 413, 'too_large');
  expect((await put('0.nc', 'again')).status).toBe(200);
});
