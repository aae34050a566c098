import { afterAll, beforeAll, expect, test } from 'vitest';
import { mux } from '../../shared/domain/chips/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import type { ProjectId, TaskId } from '../../shared/kernel/ids.ts';
import { taskCatalog } from '../../shared/tasks/catalog.ts';
import { taskNamed } from '../support/ids.ts';
import { type Api, expectError, type Person, read, startApi } from './harness.ts';
import { storedTask } from './laboratory.ts';

let api: Api;
let owner: Person;
let project: ProjectId;

const minute = (value: number) => new Date(Date.UTC(2026, 0, 2, 3, value));
const allTasks = taskCatalog.map(({ name }) => name);

beforeAll(async () => {
  api = await startApi();
  owner = await api.makePerson();
  project = await api.makeProject(owner);
  const create = (body: unknown) => api.as(owner, project)('/chips', { method: 'POST', body });
  await create({ chip_id: 'CHIP', size: 16 });
  await create({ chip_id: 'HEX', size: 27, topology_id: 'heavy-hex-27' });
  const row = (task_id: TaskId, at: number | null, fields: Partial<TaskResultDocument> = {}) =>
    storedTask(project, owner, { task_id, start_at: at === null ? null : minute(at), qid: '5', ...fields });
  await api.database.db
    .collection<TaskResultDocument>('task_results')
    .insertMany([
      row(taskNamed('older'), 1),
      row(taskNamed('newer'), 2, { status: 'failed', message: 'No fit.', excluded: true }),
      row(taskNamed('other-task'), 3, { name: 'CheckRabi' }),
      row(taskNamed('configured'), 5, { name: 'ConfigureAll', task_type: 'system' }),
      row(taskNamed('other-chip'), 4, { chip_id: 'HEX' }),
    ]);
});
afterAll(() => api.close());

const ask = (path: string) => api.as(owner, project)(`/chips/${path}`);

test('a multiplexer shows the newest result of every task on each of its four qubits, whatever it was', async () => {
  const { mux_id, detail } = read(mux, await ask('CHIP/muxes/1'));
  expect([mux_id, Object.keys(detail)]).toEqual([1, ['4', '5', '6', '7']]);
  expect(Object.keys(detail['4'] ?? {})).toEqual(allTasks);
  expect(detail['5']?.['CheckT1']).toEqual({
    task_id: 'newer',
    name: 'CheckT1',
    status: 'failed',
    message: 'No fit.',
    input_parameters: {},
    output_parameters: { t1: expect.objectContaining({ value: 51.5, source: null }) },
    output_parameter_names: ['t1'],
    note: {},
    figure_path: ['/data/fig/a.png'],
    json_figure_path: ['/data/fig/a.json'],
    raw_data_path: ['/data/raw_data/a.nc'],
    start_at: '2026-01-02T03:02:00.000Z',
    end_at: '2026-01-02T03:05:15.678Z',
    elapsed_time: '0:01:10',
    task_type: 'qubit',
    qid: null,
    upstream_id: null,
  });
  expect(detail['5']?.['CheckRabi']?.task_id).toBe('other-task');
  expect(detail['5']?.['ConfigureAll']).toMatchObject({ task_id: 'configured', status: 'completed' });
  expect(detail['4']?.['CheckT1']).toMatchObject({
    name: 'CheckT1',
    status: 'pending',
    task_id: null,
    note: null,
  });
});

test('the list has every multiplexer, and leaves out what is null', async () => {
  const answer = await ask('CHIP/muxes');
  expect(answer.status).toBe(200);
  const { muxes } = answer.body as {
    muxes: Record<string, { detail: Record<string, Record<string, unknown>> }>;
  };
  expect(Object.keys(muxes)).toEqual(['0', '1', '2', '3']);
  expect(muxes['0']?.detail['0']?.['CheckT1']).toEqual({ name: 'CheckT1', status: 'pending' });
  expect(muxes['1']?.detail['5']?.['CheckT1']).toMatchObject({ task_id: 'newer' });
  expect(muxes['1']?.detail['5']?.['CheckT1']).not.toHaveProperty('qid');
});

test('the list shows only the fields that a caller asks for, besides name and status', async () => {
  const answer = await ask('CHIP/muxes?fields=task_id,output_parameters');
  const { muxes } = answer.body as {
    muxes: Record<string, { detail: Record<string, Record<string, unknown>> }>;
  };
  expect(Object.keys(muxes)).toEqual(['0', '1', '2', '3']);
  expect(muxes['0']?.detail['0']?.['CheckT1']).toEqual({ name: 'CheckT1', status: 'pending' });
  expect(muxes['1']?.detail['5']?.['CheckT1']).toEqual({
    task_id: 'newer',
    name: 'CheckT1',
    status: 'failed',
    output_parameters: { t1: expect.objectContaining({ value: 51.5 }) },
  });
  expect((await ask('CHIP/muxes?fields=end_at')).body).toHaveProperty('muxes.1.detail.5.CheckT1', {
    name: 'CheckT1',
    status: 'failed',
    end_at: '2026-01-02T03:05:15.678Z',
  });
  expect((await ask('CHIP/muxes?fields=end_date')).status).toBe(422);
});

test('what is unchanged is so for the same fields only', async () => {
  const tagOf = async (query: string) => String((await ask(`CHIP/muxes${query}`)).headers['etag']);
  const [all, some, others] = [
    await tagOf(''),
    await tagOf('?fields=task_id'),
    await tagOf('?fields=end_at'),
  ];
  expect(new Set([all, some, others]).size).toBe(3);
  const conditional = (query: string, tag: string) =>
    api.as(owner, project)(`/chips/CHIP/muxes${query}`, { headers: { 'if-none-match': tag } });
  expect((await conditional('?fields=task_id', some)).status).toBe(304);
  expect((await conditional('?fields=task_id', all)).status).toBe(200);
});

test('a chip whose qubits are no multiple of four has a last multiplexer of fewer', async () => {
  expect(Object.keys(read(mux, await ask('HEX/muxes/6')).detail)).toEqual(['24', '25', '26']);
  expectError(await ask('HEX/muxes/7'), 404, 'not_found');
  expectError(await ask('NONE/muxes/0'), 404, 'not_found');
  expectError(await ask('NONE/muxes'), 404, 'not_found');
  expect((await ask('HEX/muxes/first')).status).toBe(422);
});
