import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  calibrationNote,
  manualEdit,
  manualEditList,
  seedComparison,
  seedImport,
  seedParameters,
} from '../../shared/domain/calibrations/model.ts';
import { qubit } from '../../shared/domain/chips/model.ts';
import { explanation } from '../../shared/domain/explanations/model.ts';
import { provenanceHistory } from '../../shared/domain/provenance/model.ts';
import { type Api, expectError, type Person, read, startApi } from './harness.ts';
import { makeLaboratory } from './laboratory.ts';

let api: Api;
let owner: Person;
let viewer: Person;
let laboratory: Awaited<ReturnType<typeof makeLaboratory>>;

beforeAll(async () => {
  api = await startApi({ engine: 'prepared' });
  [owner, viewer] = await Promise.all([api.makePerson(), api.makePerson()]);
  laboratory = await makeLaboratory(api, owner, viewer);
  const params = join(api.settings.CONFIG_PATH, 'CHIP', 'params');
  await mkdir(params, { recursive: true });
  await writeFile(
    join(params, 'qubit_frequency.yaml'),
    'meta: { unit: GHz, description: From the fab }\ndata: { Q00: 4.5, Q01: 4.6, Q02: null, Q99: 4.7 }\n',
  );
  await writeFile(join(params, 't1.yaml'), 'data: { Q00: -1, Q03: 40 }\n');
  await writeFile(join(params, 'colour.yaml'), 'data: { Q00: 1 }\n');
});
afterAll(() => api.close());

const edit = (parameters: unknown, fields: Record<string, unknown> = {}, person = owner) =>
  api.as(person, laboratory.project)('/calibrations/parameters', {
    method: 'PATCH',
    body: { chip_id: 'CHIP', qid: '5', parameters, ...fields },
  });
const undo = (editId: string) =>
  laboratory.as(`/calibrations/manual-edits/${editId}/undo`, { method: 'POST' });
const dataOf = async (qid: string) => read(qubit, await laboratory.as(`/chips/CHIP/qubits/${qid}`)).data;

describe('values that people change', () => {
  test('become calibration state with who, when, why and what was before', async () => {
    const first = read(manualEdit, await edit({ t1: 40 }, { reason: 'From the old setup.' }));
    expect(first).toEqual({
      edit_id: expect.stringMatching(/^manual-edit-[0-9a-f]{8}$/),
      chip_id: 'CHIP',
      qid: '5',
      target_type: 'qubit',
      changes: [{ parameter_name: 't1', previous_value: null, value: 40, unit: 'us', error: null }],
      reason: 'From the old setup.',
      edited_by: owner.username,
      edited_at: expect.stringMatching(/Z$/),
      undone_by: null,
      undone_at: null,
      undo_of: null,
    });
    const second = read(manualEdit, await edit({ t1: { value: 45, unit: null, error: 2 } }));
    expect(second.changes[0]).toMatchObject({ previous_value: 40, value: 45, error: 2 });
    expect((await dataOf('5'))['t1']).toMatchObject({
      value: 45,
      error: 2,
      unit: 'us',
      task_id: second.edit_id,
      execution_id: second.edit_id,
    });
    const history = await laboratory.as('/provenance/history', { query: { parameter_name: 't1', qid: '5' } });
    const { versions } = read(provenanceHistory, history);
    expect(versions.map(({ value, version, task_name }) => [value, version, task_name])).toEqual([
      [45, 2, 'ManualParameterEdit'],
      [40, 1, 'ManualParameterEdit'],
    ]);
  });

  test('say who gave them, as imports do', async () => {
    const who = async (parameter: string, qid: string) => {
      const query = { parameter_name: parameter, qid };
      const { versions } = read(provenanceHistory, await laboratory.as('/provenance/history', { query }));
      const id = encodeURIComponent(versions[0]?.entity_id ?? '');
      return read(explanation, await laboratory.as(`/provenance/explain/${id}`)).who;
    };
    const person = { user_id: owner.id, username: owner.username };
    expect(await who('t1', '5')).toEqual(person);
    const body = { chip_id: 'CHIP', manual_data: { readout_amplitude: { Q06: 0.1 } } };
    await laboratory.as('/calibrations/seed-import', { method: 'POST', body });
    expect(await who('readout_amplitude', '6')).toEqual(person);
  });

  test('of a coupling too', async () => {
    const made = read(manualEdit, await edit({ cr_amplitude: 0.3 }, { qid: '0-1' }));
    expect(made.target_type).toBe('coupling');
  });

  test('can be taken back once, by nobody once they changed again', async () => {
    const { items } = read(
      manualEditList,
      await laboratory.as('/calibrations/manual-edits', { query: { chip_id: 'CHIP', qid: '5' } }),
    );
    const [second, first] = items;
    if (!second || !first) throw new Error('two edits were made');
    expectError(await undo(first.edit_id), 409, 'conflict');
    const back = read(manualEdit, await undo(second.edit_id));
    expect(back).toMatchObject({
      undo_of: second.edit_id,
      changes: [{ previous_value: 45, value: 40, error: null }],
    });
    expect((await dataOf('5'))['t1']).toMatchObject({ value: 40, task_id: back.edit_id });
    expectError(await undo(second.edit_id), 409, 'conflict');
    expectError(await undo(first.edit_id), 409, 'conflict');
    expectError(await undo('manual-edit-00000000'), 404, 'not_found');
    const { total, items: after } = read(
      manualEditList,
      await laboratory.as('/calibrations/manual-edits', { query: { chip_id: 'CHIP' } }),
    );
    expect(total).toBe(4);
    expect(after[0]).toMatchObject({ edit_id: back.edit_id });
    expect(after.find(({ edit_id }) => edit_id === second.edit_id)?.undone_by).toBe(owner.username);
  });

  test('an edit that gave a target its first value cannot be taken back', async () => {
    const made = read(manualEdit, await edit({ t2_echo: 30 }));
    expect(expectError(await undo(made.edit_id), 409, 'conflict')).toContain('no value before');
  });

  test('pass the bounds that measured ones pass', async () => {
    expect(expectError(await edit({ t1: -4 }), 400, 'invalid_parameters')).toContain('t1 must be above 0');
    expect(expectError(await edit({ t3: 4 }), 400, 'invalid_parameters')).toContain('t1');
    expectError(await edit({ cr_amplitude: 0.1 }), 400, 'invalid_parameters');
    expectError(await edit({ t1: 4 }, { qid: '99' }), 404, 'not_found');
    expectError(await edit({ t1: 4 }, { chip_id: 'NONE' }), 404, 'not_found');
    expectError(await edit({ t1: 4 }, {}, viewer), 403, 'forbidden');
    expect((await edit({ t1: 'long' })).status).toBe(422);
    expect((await edit({})).status).toBe(422);
    expect((await dataOf('5'))['t1']?.value).toBe(40);
  });
});

describe('a unit', () => {
  test('of an edit is converted to that of the catalog, or refused naming both', async () => {
    const edited = read(
      manualEdit,
      await edit({ t1: { value: 50_000, unit: 'ns', error: 500 } }, { qid: '6' }),
    );
    expect(edited.changes[0]).toMatchObject({ value: 50, unit: 'us', error: 0.5 });
    expect((await dataOf('6'))['t1']).toMatchObject({ value: 50, unit: 'us', error: 0.5 });
    const refused = await edit({ t1: { value: 50, unit: 'bananas' } }, { qid: '6' });
    expectError(refused, 400, 'invalid_parameters');
    expect(JSON.stringify(refused.body)).toMatch(/bananas.* is not known; .*us.* is expected/);
    expect((await edit({ t1: { value: 50, unit: 'GHz' } }, { qid: '6' })).status).toBe(400);
    expect((await dataOf('6'))['t1']).toMatchObject({ value: 50, unit: 'us' });
  });

  test('of a parameter file is converted, or its values are skipped with the reason', async () => {
    const params = join(api.settings.CONFIG_PATH, 'CHIP', 'params');
    await writeFile(join(params, 't2_echo.yaml'), 'meta: { unit: ns }\ndata: { Q06: 30000 }\n');
    await writeFile(join(params, 'anharmonicity.yaml'), 'meta: { unit: MHz }\ndata: { Q06: -300 }\n');
    await writeFile(join(params, 't2_star.yaml'), 'meta: { unit: bananas }\ndata: { Q06: 3 }\n');
    const imported = await laboratory.as('/calibrations/seed-import', {
      method: 'POST',
      body: { chip_id: 'CHIP', parameters: ['t2_echo', 'anharmonicity', 't2_star'] },
    });
    const { imported_count, skipped } = read(seedImport, imported);
    expect([imported_count, skipped]).toEqual([
      2,
      [expect.objectContaining({ parameter_name: 't2_star', reason: expect.stringMatching(/"bananas"/) })],
    ]);
    const data = await dataOf('6');
    expect(data['t2_echo']).toMatchObject({ value: 30, unit: 'us' });
    expect(data['anharmonicity']).toMatchObject({ value: -0.3, unit: 'GHz' });
    for (const name of ['t2_echo', 'anharmonicity', 't2_star']) await rm(join(params, `${name}.yaml`));
  });
});

describe('start values', () => {
  test('are told by the parameter files of the chip', async () => {
    const query = { chip_id: 'CHIP' };
    expect(read(seedParameters, await laboratory.as('/calibrations/seed-parameters', { query }))).toEqual({
      chip_id: 'CHIP',
      parameters: [
        { parameter_name: 'colour', file: 'colour.yaml', unit: '', description: '', count: 1 },
        {
          parameter_name: 'qubit_frequency',
          file: 'qubit_frequency.yaml',
          unit: 'GHz',
          description: 'From the fab',
          count: 3,
        },
        { parameter_name: 't1', file: 't1.yaml', unit: '', description: '', count: 2 },
      ],
    });
  });

  test('become calibration state as far as they may, and are compared with it', async () => {
    const imported = await laboratory.as('/calibrations/seed-import', {
      method: 'POST',
      body: { chip_id: 'CHIP', parameters: null },
    });
    const { execution_id, imported_count, skipped } = read(seedImport, imported);
    expect(imported_count).toBe(3);
    expect(skipped.map(({ parameter_name, qid }) => [parameter_name, qid])).toEqual([
      ['colour', '0'],
      ['qubit_frequency', '99'],
      ['t1', '0'],
    ]);
    expect((await dataOf('0'))['qubit_frequency']).toMatchObject({ value: 4.5, unit: 'GHz', execution_id });
    await edit({ qubit_frequency: 4.55 }, { qid: '1' });
    const query = { chip_id: 'CHIP', parameters: 'qubit_frequency' };
    const { items } = read(seedComparison, await laboratory.as('/calibrations/seed-compare', { query }));
    expect(items).toEqual([
      {
        parameter_name: 'qubit_frequency',
        qid: '0',
        unit: 'GHz',
        seed_value: 4.5,
        current_value: 4.5,
        delta: 0,
        status: 'same',
      },
      expect.objectContaining({ qid: '1', delta: expect.closeTo(0.05, 9), status: 'different' }),
    ]);
  });

  test('may come with the request, for some qubits only', async () => {
    const imported = await laboratory.as('/calibrations/seed-import', {
      method: 'POST',
      body: {
        chip_id: 'CHIP',
        qids: ['7'],
        manual_data: { readout_amplitude: { Q07: 0.1, '8': 0.2, Q09: null } },
      },
    });
    expect(read(seedImport, imported)).toMatchObject({ imported_count: 1, skipped: [] });
    expect((await dataOf('7'))['readout_amplitude']?.value).toBe(0.1);
    expect((await dataOf('8'))['readout_amplitude']).toBeUndefined();
    const nothing = await laboratory.as('/calibrations/seed-import', {
      method: 'POST',
      body: { chip_id: 'CHIP', manual_data: {} },
    });
    expect(read(seedImport, nothing)).toMatchObject({ execution_id: null, imported_count: 0 });
  });
});

test('the calibration note has the gates of the chip by label', async () => {
  const query = { chip_id: 'CHIP' };
  const note = async () => read(calibrationNote, await laboratory.as('/calibrations/note', { query }));
  await edit({ drag_hpi_amplitude: 0.2, drag_hpi_length: 16 }, { qid: '3' });
  await edit({ zx90_gate_time: 256 }, { qid: '0-1' });
  const made = await note();
  expect(made).toMatchObject({ username: owner.username, chip_id: 'CHIP', task_id: 'master' });
  expect(made.execution_id).toMatch(/^manual-edit-/);
  expect(made.note).toEqual({
    drag_hpi_params: { Q03: { amplitude: 0.2, duration: 16 } },
    cr_params: { 'Q00-Q01': { duration: 256, cr_amplitude: 0.3 } },
  });
  expect(read(calibrationNote, await laboratory.as('/calibrations/note'))).toEqual(made);
  expectError(await laboratory.as('/calibrations/note', { query: { chip_id: 'NONE' } }), 404, 'not_found');
});

test('while a run holds the project values are its own: 409 with its name', async () => {
  const { execution_id } = read(z.object({ execution_id: z.string() }), await laboratory.execute());
  const imported = await laboratory.as('/calibrations/seed-import', {
    method: 'POST',
    body: { chip_id: 'CHIP' },
  });
  for (const answer of [await edit({ t1: 50 }), imported]) {
    expect(expectError(answer, 409, 'project_busy')).toContain(execution_id);
  }
  await laboratory.free();
  read(manualEdit, await edit({ t1: 50 }));
});
