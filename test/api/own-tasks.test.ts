import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readOwnTask } from '../../shared/tasks/own-tasks.ts';
import { userNamed } from '../support/ids.ts';
import { type Api, expectError, type Person, startApi } from './harness.ts';
import { makeLaboratory } from './laboratory.ts';

let api: Api;
let owner: Person;
let laboratory: Awaited<ReturnType<typeof makeLaboratory>>;

beforeAll(async () => {
  api = await startApi({ engine: 'prepared' });
  owner = await api.makePerson();
  laboratory = await makeLaboratory(api, owner, await api.makePerson());
  const own = readOwnTask('LabLine', 'Sweeps over the line', {
    type: 'qubit',
    run_parameters: { gain: { value: 1, value_type: 'float' } },
    outputs: { line_width: { unit: 'kHz' } },
  });
  if (typeof own === 'string') throw new Error(own);
  await mkdir(api.settings.CONFIG_PATH, { recursive: true });
  const backends = { simulator: {}, 'fridge-1': {} };
  await writeFile(join(api.settings.CONFIG_PATH, 'backends.json'), JSON.stringify({ backends }));
  const admin = await api.makePerson({ system_role: 'admin' });
  const reload = await api.as(admin, laboratory.project)('/admin/config/reload', { method: 'POST' });
  expect(reload.status).toBe(200);
  await api.areas.backends.noteOwnTasks('fridge-1', [own], new Date());
});
afterAll(() => api.close());

const menu = (name: string, tasks: string[]) => ({
  method: 'POST' as const,
  body: {
    name,
    chip_id: 'CHIP',
    username: '',
    description: 'x',
    schedule: { serial: ['0'] },
    tasks,
    tags: [],
  },
});

test("a lab's own task may be in a menu, with its details, and in its run", async () => {
  expect(await laboratory.as('/api/menu', menu('Own', ['CheckT1', 'LabLine']))).toMatchObject({
    status: 200,
  });
  const { body } = await laboratory.as('/api/menu/Own');
  expect(body).toMatchObject({
    task_details: { LabLine: { task_type: 'qubit', input_parameters: { gain: { value: 1 } } } },
  });
  const run = await api.areas.menus.parametersOfRun(
    laboratory.project,
    { _id: userNamed(owner.id), username: owner.username },
    { menu_name: 'Own' },
  );
  expect(run.parameters['stages']).toMatchObject([{ tasks: [{ name: 'CheckT1' }, { name: 'LabLine' }] }]);
  const refused = await laboratory.as('/api/menu', menu('Wrong', ['LabLina']));
  expect(expectError(refused, 400, 'bad_request')).toContain(
    'unknown task "LabLina"; did you mean "LabLine"?',
  );
});

test("a lab's own task is among those of each qubit in the lists by multiplexer", async () => {
  const all = await laboratory.as('/chips/CHIP/muxes');
  expect(all.body).toMatchObject({
    muxes: { '0': { detail: { '0': { LabLine: { name: 'LabLine', status: 'pending' } } } } },
  });
  const one = await laboratory.as('/chips/CHIP/muxes/0');
  expect(one.body).toMatchObject({ detail: { '3': { LabLine: { status: expect.anything() } } } });
});

test("a lab's own task is refused on another backend, with the name of its own", async () => {
  const body = { chip_id: 'CHIP', qid: '0' };
  const refused = await laboratory.as('/tasks/LabLine/execute', { method: 'POST', body });
  expect(expectError(refused, 400, 'bad_request')).toBe(
    'LabLine is a task of the backend fridge-1, and this run measures on simulator.',
  );
  const unknown = { method: 'POST' as const, body: { ...body, backend_name: 'fridge-1' } };
  const early = await laboratory.as('/tasks/LabNoiseOfFlux/execute', unknown);
  expect(expectError(early, 400, 'bad_request')).toBe(
    'There is no task LabNoiseOfFlux. What a worker declares is known within a minute after it has started.',
  );
});

test("a lab's own task may be named where an answer is filtered by task", async () => {
  const latest = await laboratory.as('/task-results/qubits/latest?chip_id=CHIP&task=LabLine');
  expect(latest.status).toBe(200);
});
