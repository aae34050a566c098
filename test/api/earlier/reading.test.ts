import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { validate } from '@readme/openapi-parser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ExecutionDocument } from '../../../shared/domain/executions/model.ts';
import type { TaskResultDocument } from '../../../shared/domain/results/model.ts';
import { keyOf, NO_TASK } from '../../../shared/kernel/ids.ts';
import { executionNamed } from '../../support/ids.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from '../harness.ts';
import { type Laboratory, makeLaboratory, storedExecution, storedTask } from '../laboratory.ts';
import { accessOf } from '../permission-matrix.ts';

let api: Api;
let owner: Person;
let lab: Laboratory;
/** As an older client asks: with its username, and no project. */
let ask: (url: string, query?: Record<string, string>) => ReturnType<Api['call']>;

beforeAll(async () => {
  api = await startApi();
  owner = await api.makePerson();
  lab = await makeLaboratory(api, owner, await api.makePerson());
  ask = (url, query) =>
    api.as(owner)(url, { headers: { 'x-username': owner.username }, ...(query && { query }) });
  await api.database.db
    .collection<ExecutionDocument>('executions')
    .insertOne(storedExecution(lab.project, owner));
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 2, 3, minute));
  const task = (name: string, fields: Partial<TaskResultDocument>) =>
    storedTask(lab.project, owner, { name, execution_id: executionNamed('20260102-003'), ...fields });
  await api.database.db
    .collection<TaskResultDocument>('task_results')
    .insertMany([
      task('CheckRabi', { qid: '1', start_at: at(1), output_parameters: {}, output_parameter_names: [] }),
      task('CheckT1', { qid: '0', start_at: at(2) }),
      task('CheckT2Echo', { qid: '1', start_at: null, status: 'skipped' }),
      task('CheckT1', { qid: '1', start_at: at(9) }),
      task('DumpBox', { qid: '', task_type: 'global', start_at: at(5) }),
    ]);
});
afterAll(() => api.close());

describe('results of a task', () => {
  const record = (value: number) => ({
    t1: {
      parameter_name: 't1',
      qid_role: '',
      required: false,
      value,
      value_type: 'float',
      unit: 'us',
      description: 'Relaxation time',
      execution_id: executionNamed('20260201-000'),
      task_id: NO_TASK,
    },
  });
  const results = z.object({
    task_name: z.string(),
    result: z.record(z.string(), z.looseObject({ status: z.string() })),
    outlier_detection: z.looseObject({ enabled: z.boolean(), outlier_qids: z.array(z.string()) }),
  });
  const series = z.object({ data: z.record(z.string(), z.array(z.looseObject({ value: z.number() }))) });
  /** The first of February in Tokyo, where the service's days begin. */
  const noon = new Date('2026-02-01T03:00:00Z');

  beforeAll(async () => {
    const rows = Object.entries({ '4': 50, '5': 51, '6': 52, '7': 53, '8': 900 }).map(([qid, value]) =>
      storedTask(lab.project, owner, {
        qid,
        start_at: noon,
        execution_id: executionNamed('20260201-000'),
        output_parameters: record(value),
        tags: ['february'],
      }),
    );
    await api.database.db.collection<TaskResultDocument>('task_results').insertMany(rows);
    const place = { project_id: lab.project, chip_id: 'CHIP', qid: '8', recorded_date: '20260201' };
    await api.database.db
      .collection<{ _id: string; data: object }>('qubit_history')
      .insertOne({ _id: keyOf(lab.project, 'CHIP', '8', '20260201'), data: record(900), ...place });
  });

  test('are there for every qubit; an outlier is null and everything else stays', async () => {
    const latest = read(results, await ask('/api/chip/CHIP/task/qubit/CheckT1'));
    expect(Object.keys(latest.result)).toHaveLength(16);
    expect(latest.result['8']).toMatchObject({ status: 'completed', output_parameters: { t1: null } });
    expect(latest.result['4']).toMatchObject({ output_parameters: { t1: { value: 50 } } });
    const waiting = { name: 'CheckT1', status: 'pending', default_view: true, over_threshold: false };
    expect(latest.result['12']).toEqual(waiting);
    expect(latest.outlier_detection).toEqual({
      enabled: true,
      method: 'combined',
      parameters: { parameter: 't1', lower_bound: 0, upper_bound: 10_000, z_threshold: 3.5 },
      original_count: 7,
      filtered_count: 6,
      outlier_count: 1,
      outlier_qids: ['8'],
      physical_violations: [],
    });
    expect(JSON.stringify(latest.result['4'])).not.toContain('null');
    const { text } = await api.as(owner)('/task-results/qubits/latest?chip_id=CHIP&task=CheckT1');
    expect(text).toContain('"value":900');
  });

  test('of a day, written either way, are those of the targets recorded that day', async () => {
    for (const day of ['20260201', '2026-02-01']) {
      const found = read(results, await ask(`/api/chip/CHIP/task/qubit/CheckT1/history/${day}`));
      expect(Object.keys(found.result)).toEqual(['8']);
      expect(found.outlier_detection).toMatchObject({ original_count: 1, outlier_count: 0 });
    }
    expectError(await ask('/api/chip/CHIP/task/qubit/CheckT1/history/20260202'), 404, 'not_found');
    for (const day of ['2026-02-30', '1 February']) {
      const answer = await ask(`/api/chip/CHIP/task/qubit/CheckT1/history/${encodeURIComponent(day)}`);
      expectProblems(answer, [['date_parsing', 'path', 'recorded_date']]);
    }
  });

  test('of couplings are hidden while they wait, and of tasks without a rule nothing is taken out', async () => {
    const { result, outlier_detection } = read(results, await ask('/api/chip/CHIP/task/coupling/CheckZX90'));
    expect(result['0-1']).toMatchObject({ status: 'pending', default_view: false });
    expect(outlier_detection).toMatchObject({ enabled: false, outlier_qids: [] });
    const day = '/api/chip/CHIP/task/coupling/CheckZX90/history/20260201';
    expectError(await ask(day), 404, 'not_found');
    expectError(await ask('/api/chip/NONE/task/qubit/CheckT1'), 404, 'not_found');
  });

  test('over time are listed under their target, outliers included', async () => {
    const window = { start_at: '2026-02-01T00:00:00+09:00', end_at: '2026-02-01T12:00:00+09:00' };
    const all = { tag: '', ...window };
    const { data } = read(series, await ask('/api/chip/CHIP/parameter/t1', all));
    expect(Object.keys(data).sort()).toEqual(['4', '5', '6', '7', '8']);
    expect(data['8']).toMatchObject([{ value: 900, error: 0, unit: 'us', execution_id: '20260201-000' }]);
    const one = await ask('/api/chip/CHIP/parameter/t1/qid/4', { tag: 'february', ...window });
    expect(Object.keys(read(series, one).data)).toEqual(['4']);
    const none = await ask('/api/chip/CHIP/parameter/t1', { tag: 'march', ...window });
    expect(read(series, none).data).toEqual({});
    expectError(await ask('/api/chip/NONE/parameter/t1', all), 404, 'not_found');
    expectProblems(await ask('/api/chip/CHIP/parameter/t1', {}), [
      ['missing', 'query', 'tag'],
      ['missing', 'query', 'start_at'],
      ['missing', 'query', 'end_at'],
    ]);
  });
});

describe('the document of the earlier interface', () => {
  const document = z.object({
    info: z.looseObject({ title: z.string(), version: z.string() }),
    tags: z.array(z.object({ name: z.string() })),
    paths: z.record(
      z.string(),
      z.record(
        z.string(),
        z.object({
          operationId: z.string(),
          tags: z.array(z.string()),
          security: z.array(z.record(z.string(), z.array(z.string()))).optional(),
        }),
      ),
    ),
  });

  test('is titled as the calibration API, with its own label, and valid', async () => {
    const { text, body } = await api.call('/api/openapi.json');
    expect(document.parse(body).info).toMatchObject({ title: 'Calibration API', version: '0.0.1' });
    expect(await validate(JSON.parse(text))).toMatchObject({ valid: true, warnings: [] });
  });

  test('names its own routes, each with an operation id of its own, and no others', async () => {
    const { paths, tags } = read(document, await api.call('/api/openapi.json'));
    const described = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    // Texts hold addresses of images under /api too; these are the current interface's.
    const isOwn = (name: string) => name.includes(' /api/') && !/\/openapi\.json$|\/images\//.test(name);
    const served = Object.keys(accessOf)
      .filter(isOwn)
      .map((name) => name.replace(/:([a-z_]+)/g, '{$1}'));
    expect(described.sort()).toEqual(served.sort());
    for (const [name, access] of Object.entries(accessOf)) {
      const [method = '', url = ''] = name.replace(/:([a-z_]+)/g, '{$1}').split(' ');
      const operation = paths[url]?.[method.toLowerCase()];
      const asksForToken = (operation?.security ?? []).length > 0;
      if (operation) expect([name, asksForToken]).toEqual([name, access !== 'anyone']);
    }
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    expect(tags.map(({ name }) => name).sort()).toEqual(
      [...new Set(operations.flatMap((each) => each.tags))].sort(),
    );
  });

  test('is apart from that of the current interface', async () => {
    const { paths } = z
      .object({ paths: z.record(z.string(), z.unknown()) })
      .parse((await api.call('/openapi.json')).body);
    expect(Object.keys(paths).filter((path) => path.startsWith('/api'))).toEqual([]);
  });
});

test('a token asks for its own user, and for no other', async () => {
  expect((await api.as(owner)('/api/auth/me')).status).toBe(200);
  expectError(await api.as(owner)('/api/auth/me', { headers: { 'x-username': 'admin' } }), 403, 'forbidden');
  expectError(
    await api.call('/api/auth/me', { headers: { 'x-username': owner.username } }),
    401,
    'not_authenticated',
  );
});

test('a chip comes whole: qubits with their places, couplings with their ends', async () => {
  const part = z.looseObject({ username: z.string(), best_data: z.object({}) });
  const shape = z.object({
    chip_id: z.literal('CHIP'),
    size: z.literal(16),
    qubits: z.record(z.string(), part),
    couplings: z.record(z.string(), part),
    installed_at: z.iso.datetime(),
  });
  const chip = read(shape, await ask('/api/chip/CHIP'));
  expect(Object.keys(chip.qubits)).toHaveLength(16);
  expect(chip.qubits['1']).toMatchObject({ qid: '1', node_info: { position: { x: 50, y: 0 } } });
  expect(chip.qubits['2']).toMatchObject({ node_info: { position: { x: 0, y: -50 } } });
  expect(chip.couplings['0-1']).toMatchObject({
    edge_info: { source: '0', target: '1', size: 4, fill: '' },
  });
  expect(read(z.array(shape), await ask('/api/chip'))).toEqual([chip]);
  expectError(await ask('/api/chip/NONE'), 404, 'not_found');
});

test('multiplexers have an entry for every task; the list leaves out what is null, the single one does not', async () => {
  const entries = z.record(z.string(), z.record(z.string(), z.looseObject({ name: z.string() })));
  const { muxes } = read(
    z.object({ muxes: z.record(z.string(), z.object({ detail: entries })) }),
    await ask('/api/chip/CHIP/mux'),
  );
  expect(Object.keys(muxes)).toEqual(['0', '1', '2', '3']);
  expect(muxes['0']?.detail['0']?.['CheckT1']).toMatchObject({ status: 'completed', default_view: true });
  const waiting = { name: 'CheckT1', status: 'pending', default_view: true, over_threshold: false };
  expect(muxes['3']?.detail['12']?.['CheckT1']).toEqual(waiting);
  const { detail } = read(z.object({ detail: entries }), await ask('/api/chip/CHIP/mux/3'));
  expect(detail['12']?.['CheckT1']).toMatchObject({ ...waiting, task_id: null });
  expectError(await ask('/api/chip/NONE/mux'), 404, 'not_found');
  expectError(await ask('/api/chip/CHIP/mux/4'), 404, 'not_found');
});

test('executions of a chip: the list, and one with its tasks in groups', async () => {
  const [listed] = read(z.array(z.looseObject({})), await ask('/api/chip/CHIP/execution'));
  expect(listed).toMatchObject({ name: 'rabi-20260102-003', status: 'completed', elapsed_time: '2:01:00' });
  const detail = read(
    z.looseObject({ task: z.array(z.looseObject({ name: z.string(), over_threshold: z.boolean() })) }),
    await ask('/api/chip/CHIP/execution/20260102-003'),
  );
  expect(detail.task.map(({ name }) => name)).toEqual([
    '0-CheckT1',
    'DumpBox',
    '1-CheckRabi',
    '1-CheckT1',
    '1-CheckT2Echo',
  ]);
  for (const url of ['/api/chip/CHIP/execution/20260102-999', '/api/chip/OTHER/execution/20260102-003']) {
    expectError(await ask(url), 404, 'not_found');
  }
  expectError(await ask('/api/chip/NONE/execution'), 404, 'not_found');
});

test('backends, tasks, parameters, tags and dates', async () => {
  expect((await ask('/api/backend')).body).toEqual([{ name: 'simulator', username: expect.any(String) }]);
  const tasks = z.object({ tasks: z.array(z.looseObject({ name: z.string() })) });
  expect(read(tasks, await ask('/api/tasks')).tasks.map(({ name }) => name)).toContain('CheckT1');
  expect(read(tasks, await ask('/api/tasks', { backend: 'unknown' })).tasks).toEqual([]);
  const { parameters } = read(
    z.object({ parameters: z.array(z.object({ name: z.string(), unit: z.string(), username: z.string() })) }),
    await ask('/api/parameter'),
  );
  expect(parameters.filter(({ name }) => name === 't1')).toMatchObject([
    { unit: 'us', username: owner.username },
  ]);
  expect((await ask('/api/tag')).body).toEqual({ tags: [{ name: 'daily' }] });
  expect((await ask('/api/chip/CHIP/dates')).body).toEqual({ data: [] });
  expectError(await ask('/api/chip/NONE/dates'), 404, 'not_found');
});

test('settings show placeholders, whatever the secrets are', async () => {
  expect((await ask('/api/settings')).body).toMatchObject({
    env: 'local',
    backend: 'simulator',
    chat_bot_token: '<CHAT_BOT_TOKEN>',
    chat_app_token: '<CHAT_APP_TOKEN>',
    llm_api_key: '<LLM_API_KEY>',
    agent_max_steps: 10,
    calib_data_path: api.settings.CALIB_DATA_PATH,
  });
});

test('files are sent by their path, and nothing outside of the calibration data and the configuration', async () => {
  const directory = join(api.settings.CALIB_DATA_PATH, lab.project, 'CHIP', '20260102', '003', 'fig');
  await mkdir(directory, { recursive: true });
  const figure = join(directory, 'a.png');
  await writeFile(figure, 'a figure');
  const sent = await api.call('/api/executions/figure', { query: { path: figure } });
  expect([sent.headers['content-type'], sent.text]).toEqual(['image/png', 'a figure']);
  expect((await api.call('/api/file/raw_data', { query: { path: figure } })).status).toBe(200);
  const zip = await api.call('/api/file/zip', { query: { path: directory } });
  expect(zip.headers['content-type']).toBe('application/zip');
  expect(zip.headers['content-disposition']).toMatch(/fig_\d{8}_\d{6}\.zip/);
  for (const url of ['/api/executions/figure', '/api/file/raw_data', '/api/file/zip']) {
    for (const path of ['/etc/passwd', join(directory, '../../../../../../..', 'etc/passwd')]) {
      const refused = url.endsWith('zip') ? 400 : 404;
      expect([url, (await api.call(url, { query: { path } })).status]).toEqual([url, refused]);
    }
    expect((await api.call(url)).status).toBe(422);
  }
});

test('a device topology is drawn; one of a chip that was never calibrated is 404', async () => {
  const post = (url: string, body: unknown) => api.as(owner)(url, { method: 'POST', body });
  expectError(await post('/api/device_topology', {}), 404, 'not_found');
  const device = {
    name: 'd',
    device_id: 'd',
    qubits: [],
    couplings: [],
    calibrated_at: '2026-01-02T03:04:05Z',
  };
  const plot = await post('/api/device_topology/plot', device);
  expect(plot.headers['content-type']).toBe('image/png');
});

test('the project is free', async () => {
  expect((await ask('/api/executions/lock_status')).body).toEqual({ lock: false });
});
