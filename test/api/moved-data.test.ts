import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TaskResultDocument, taskResult } from '../../shared/domain/results/model.ts';
import type { ProjectId } from '../../shared/kernel/ids.ts';
import { taskNamed } from '../support/ids.ts';
import { storedTask } from '../support/stored-results.ts';
import { type Api, type Call, expectError, type Person, startApi } from './harness.ts';

const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(100, 7)]);

let before: Api;
let after: Api;
let ada: Person;
let project: ProjectId;
let elsewhere: string;
/** Relative to the root of the data. */
let folder: string;

/** Before: the data where it was first written. After: the same store, and the data moved to another place. */
beforeAll(async () => {
  before = await startApi();
  ada = await before.makePerson();
  project = await before.makeProject(ada);
  const root = before.settings.CALIB_DATA_PATH;
  folder = join(project, 'CHIP', '20260102', '000');
  await mkdir(join(root, folder, 'fig'), { recursive: true });
  await mkdir(join(root, folder, 'raw_data'), { recursive: true });
  await writeFile(join(root, folder, 'fig', 'a.png'), png);
  await writeFile(join(root, folder, 'raw_data', 'a.nc'), 'CDF');
  const files = (at: string) => ({
    figure_path: [join(at, folder, 'fig', 'a.png')],
    json_figure_path: [],
    raw_data_path: [join(at, folder, 'raw_data', 'a.nc')],
  });
  const results = before.database.db.collection<TaskResultDocument>('task_results');
  await results.insertMany([
    storedTask(project, ada, { task_id: taskNamed('relative'), ...files('') }),
    storedTask(project, ada, { task_id: taskNamed('absolute'), ...files(root) }),
  ]);
  elsewhere = await mkdtemp(join(tmpdir(), 'calibron-moved-'));
  await rename(root, join(elsewhere, 'restored'));
  after = await startApi({
    environment: {
      MONGODB_DATABASE: before.settings.MONGODB_DATABASE,
      DATA_DIR: join(elsewhere, 'data'),
      CALIB_DATA_PATH: join(elsewhere, 'restored'),
    },
  });
  // The key of tokens is another one there.
  ada.token = await after.signIn(ada.username, ada.password);
});
afterAll(async () => {
  await after.close();
  await before.close();
  await rm(elsewhere, { recursive: true, force: true });
});

const asked = (url: string, call: Call = {}) => after.as(ada, project)(url, call);
const fileAt = (url: string, path: string) => asked(url, { query: { path } });

describe('data that was moved to another root', () => {
  test.each(['relative', 'absolute'])('has its figures and raw data: stored as %s paths', async (id) => {
    const { figure_path, raw_data_path } = taskResult.parse((await asked(`/tasks/${id}/result`)).body);
    expect(figure_path).toEqual([join(elsewhere, 'restored', folder, 'fig', 'a.png')]);
    expect(raw_data_path).toEqual([join(elsewhere, 'restored', folder, 'raw_data', 'a.nc')]);
    const figure = await fileAt('/executions/figure', figure_path[0] ?? '');
    expect(figure.bytes.equals(png)).toBe(true);
    expect((await fileAt('/executions/artifact', raw_data_path[0] ?? '')).text).toBe('CDF');
  });

  test('is found by the paths that clients kept from before', async () => {
    const kept = join(before.settings.CALIB_DATA_PATH, folder, 'fig', 'a.png');
    expect((await fileAt('/executions/figure', kept)).bytes.equals(png)).toBe(true);
    const raw = await fileAt('/files/raw-data', join('/data', folder, 'raw_data', 'a.nc'));
    expect(raw.status).toBe(200);
  });

  test('is still confined to its root', async () => {
    for (const path of [
      join('/etc', folder, 'fig', 'b.png'),
      `/before/${folder}/../../../../outside.png`,
      `${folder}/../../../../../outside.png`,
    ]) {
      expectError(await fileAt('/executions/figure', path), 404, 'not_found');
    }
  });
});
