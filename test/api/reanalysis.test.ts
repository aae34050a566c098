import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reanalysed } from '../../shared/domain/reanalysis/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { NO_EXECUTION, NO_TASK, type ProjectId, type TaskId } from '../../shared/kernel/ids.ts';
import { encodeNetcdf } from '../../shared/science/datasets/netcdf.ts';
import { trueQubit } from '../../shared/science/device/device.ts';
import { figure } from '../../shared/science/figures/model.ts';
import { taskNamed } from '../support/ids.ts';
import { at, type Measured, measure } from '../support/measured.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';
import { storedTask } from './laboratory.ts';

const seed = 'reanalysis';
const qid = '0';
const truth = trueQubit(seed, qid, at);
let api: Api;
let ada: Person;
let project: ProjectId;
let elsewhere: ProjectId;

beforeAll(async () => {
  api = await startApi();
  ada = await api.makePerson();
  [project, elsewhere] = [await api.makeProject(ada), await api.makeProject(ada)];
  const body = { chip_id: 'CHIP', size: 16 };
  for (const each of [project, elsewhere]) await api.as(ada, each)('/chips', { method: 'POST', body });
  await keep(taskNamed('resonator'), await measure('CheckResonatorSpectroscopy', seed, { qid }));
  const inputs = { readout_frequency: truth.resonatorGround };
  await keep(taskNamed('qubit'), await measure('CheckQubitSpectroscopy', seed, { qid, inputs }));
});
afterAll(() => api.close());

const results = () => api.database.db.collection<TaskResultDocument>('task_results');
const pathOf = (task_id: TaskId) => join(api.settings.CALIB_DATA_PATH, project, `${task_id}.nc`);

/** Stores what was measured as a task result with its raw data. */
async function keep(task_id: TaskId, { task, dataset, inputs, runParameters }: Measured): Promise<void> {
  await mkdir(join(api.settings.CALIB_DATA_PATH, project), { recursive: true });
  await writeFile(pathOf(task_id), encodeNetcdf(dataset, { title: task.name }));
  const parameters = Object.entries(inputs).map(([parameter_name, { value, value_type, unit }]) => {
    const numeric = typeof value === 'number' ? value : 0;
    return [parameter_name, { ...blank, parameter_name, value: numeric, value_type, unit }] as const;
  });
  const run = Object.entries(runParameters).map(([name, { value, value_type, unit }]) => {
    const plain = typeof value === 'object' && value !== null ? [...value] : value;
    return [name, { value: plain, value_type, unit, description: '' }] as const;
  });
  await results().insertOne(
    storedTask(project, ada, {
      task_id,
      name: task.name,
      qid,
      raw_data_path: [pathOf(task_id)],
      input_parameters: Object.fromEntries(parameters),
      run_parameters: Object.fromEntries(run),
      output_parameters: {},
    }),
  );
}

const blank = {
  qid_role: '',
  required: false,
  description: '',
  execution_id: NO_EXECUTION,
  task_id: NO_TASK,
};
const urls = {
  resonator: `/chips/CHIP/qubits/${qid}/reanalyze/resonator-spectroscopy`,
  qubit: `/chips/CHIP/qubits/${qid}/reanalyze/qubit-spectroscopy`,
};
const preview = (kind: keyof typeof urls, body: object, of = project) =>
  api.as(ada, of)(urls[kind], { method: 'POST', body });

test('resonator data is analysed again without a change of what is stored', async () => {
  const before = await results().find({}).toArray();
  const answer = read(reanalysed, await preview('resonator', {}));
  expect(answer).toMatchObject({
    source_task_id: 'resonator',
    source_task_name: 'CheckResonatorSpectroscopy',
    qid,
    committed: false,
    output_parameters: [{ name: 'readout_frequency', unit: 'GHz' }],
  });
  expect(Math.abs((answer.output_parameters[0]?.value ?? 0) - truth.resonatorGround)).toBeLessThan(0.002);
  expect(figure.safeParse(answer.figure).success).toBe(true);
  expect(await results().find({}).toArray()).toEqual(before);
});

test('another order of the resonators finds another one', async () => {
  const usual = read(reanalysed, await preview('resonator', {}));
  const parameters = { resonator_assignment_order: [0, 3, 2, 1] };
  const other = read(
    reanalysed,
    await preview('resonator', { source_task_id: taskNamed('resonator'), parameters }),
  );
  const [found] = other.output_parameters;
  expect(found?.value).not.toBeCloseTo(usual.output_parameters[0]?.value ?? 0, 3);
});

test('qubit data is analysed again, with the names that clients know; thresholds that find nothing give nothing', async () => {
  const answer = read(
    reanalysed,
    await preview('qubit', { source_task_id: taskNamed('qubit'), parameters: null }),
  );
  const values = Object.fromEntries(answer.output_parameters.map(({ name, value }) => [name, value]));
  expect(Math.abs((values['qubit_frequency'] ?? 0) - truth.f01)).toBeLessThan(0.005);
  expect(Object.keys(values)).toEqual(
    expect.arrayContaining(['qubit_frequency', 'f01_repr_db', 'f01_quality_level']),
  );
  const parameters = { f01_height_min: 190, retry_with_trim: true };
  const nothing = read(reanalysed, await preview('qubit', { parameters }));
  expect(nothing.output_parameters).toEqual([]);
});

test('a top_power that is not above the powers of the data is refused with both', async () => {
  const answer = await preview('qubit', {
    source_task_id: taskNamed('qubit'),
    parameters: { top_power: -60 },
  });
  expect(expectError(answer, 400, 'invalid_parameters')).toMatch(/top_power -60 dB must be above .* dB/);
});

test('what cannot be analysed again says why', async () => {
  expectError(await preview('qubit', { source_task_id: taskNamed('nothing') }), 404, 'not_found');
  expectError(await preview('qubit', { source_task_id: taskNamed('qubit') }, elsewhere), 404, 'not_found');
  expectError(await preview('qubit', {}, elsewhere), 404, 'not_found');
  expectError(await preview('qubit', { source_task_id: taskNamed('resonator') }), 400, 'bad_request');
  await results().insertOne(
    storedTask(project, ada, {
      task_id: taskNamed('bare'),
      name: 'CheckQubitSpectroscopy',
      raw_data_path: [],
    }),
  );
  expectError(await preview('qubit', { source_task_id: taskNamed('bare') }), 409, 'conflict');
  await results().insertOne(
    storedTask(project, ada, {
      task_id: taskNamed('lost'),
      name: 'CheckQubitSpectroscopy',
      raw_data_path: [pathOf(taskNamed('lost'))],
    }),
  );
  expectError(await preview('qubit', { source_task_id: taskNamed('lost') }), 410, 'gone');
  await writeFile(pathOf(taskNamed('lost')), 'no NetCDF');
  expectError(await preview('qubit', { source_task_id: taskNamed('lost') }), 400, 'unreadable_file');
  await rm(pathOf(taskNamed('lost')));
});

test('parameters out of their bounds are refused', async () => {
  const estimator = await preview('resonator', { parameters: { bare_shift_estimator_type: 'guess' } });
  expect(estimator.status).toBe(422);
  const order = await preview('resonator', { parameters: { resonator_assignment_order: [0, 0, 1, 2] } });
  expect(order.status).toBe(422);
  expectProblems(await preview('qubit', { parameters: { binarize_threshold_sigma_plus: -1 } }), [
    ['greater_than', 'body', 'parameters', 'binarize_threshold_sigma_plus'],
  ]);
  const distances = await preview('qubit', { parameters: { f12_distance_min: 1, f12_distance_max: 0.5 } });
  expect(distances.status).toBe(422);
});
