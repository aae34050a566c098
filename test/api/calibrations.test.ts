import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  calibrationNote,
  manualEdit,
  manualEditList,
  savedEdit,
  seedComparison,
  seedComparisonByParameter,
  seedImport,
  seedParameterNames,
  seedParameters,
  targetEdits,
} from '../../shared/domain/calibrations/model.ts';
import { qubit } from '../../shared/domain/chips/model.ts';
import { explanation } from '../../shared/domain/explanations/model.ts';
import { provenanceHistory } from '../../shared/domain/provenance/model.ts';
import { executionIdSchema } from '../../shared/kernel/ids.ts';
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
  const params = join(api.settings.CONFIG_PATH, laboratory.project, 'CHIP', 'params');
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
    const first = read(savedEdit, await edit({ t1: 40 }, { reason: 'From the old setup.' }));
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
      updated_count: 1,
      provenance_activity_id: `activity:ManualParameterEdit:${first.edit_id}:${first.edit_id}`,
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

  test('keep the reason that their editor gave', async () => {
    const { edit_id } = read(manualEdit, await edit({ t1: 31 }, { qid: 'Q011', reason: 'Old setup.' }));
    const query = { parameter_name: 't1', qid: '11' };
    const { versions } = read(provenanceHistory, await laboratory.as('/provenance/history', { query }));
    expect(versions[0]?.execution_id).toBe(edit_id);
    const url = `/provenance/explain/${encodeURIComponent(versions[0]?.entity_id ?? '')}`;
    expect(read(explanation, await laboratory.as(url)).reason).toBe('Old setup.');
    const page = await laboratory.as(url, { headers: { accept: 'text/html' } });
    expect(page.text).toContain('Old setup.');
  });

  test('of a coupling too', async () => {
    const made = read(manualEdit, await edit({ cr_amplitude: 0.3 }, { qid: '0-1' }));
    expect(made.target_type).toBe('coupling');
  });

  test('can be taken back once, and not after they changed again', async () => {
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
    expect(total).toBe(5);
    expect(after[0]).toMatchObject({ edit_id: back.edit_id });
    expect(after.find(({ edit_id }) => edit_id === second.edit_id)?.undone_by).toBe(owner.username);
  });

  test('of one target are listed one by one, newest first', async () => {
    await edit({ qubit_frequency: 4.2, readout_amplitude: 0.2 }, { qid: '10' });
    const newest = read(savedEdit, await edit({ qubit_frequency: 4.3 }, { qid: '10' }));
    const list = async (query = {}) =>
      laboratory.as('/calibrations/manual-edits/10', { query: { chip_id: 'CHIP', ...query } });
    const { qid, edits } = read(targetEdits, await list());
    expect(qid).toBe('10');
    expect(edits[0]).toEqual({
      parameter_name: 'qubit_frequency',
      value: 4.3,
      unit: 'GHz',
      edited_at: newest.edited_at,
      execution_id: newest.edit_id,
    });
    expect(edits.map(({ parameter_name, value }) => [parameter_name, value]).slice(1)).toEqual([
      ['qubit_frequency', 4.2],
      ['readout_amplitude', 0.2],
    ]);
    expectError(await list({ chip_id: 'NONE' }), 404, 'not_found');
    const unknown = await laboratory.as('/calibrations/manual-edits/99', { query: { chip_id: 'CHIP' } });
    expectError(unknown, 404, 'not_found');
  });

  test('an edit that gave a target its first value cannot be taken back', async () => {
    const made = read(manualEdit, await edit({ t2_echo: 30 }));
    expect(expectError(await undo(made.edit_id), 409, 'conflict')).toContain('no value before');
  });

  test('pass the bounds that measured ones pass', async () => {
    expect(expectError(await edit({ t1: -4 }), 400, 'invalid_parameters')).toContain('t1 must be above 0');
    expect(expectError(await edit({ t3: 4 }), 400, 'invalid_parameters')).toContain('t1');
    expectError(await edit({ cr_amplitude: 0.1 }), 400, 'invalid_parameters');
    const text = await edit({ t1: { value: 'secret text' } });
    expect(text.status).toBe(422);
    expect(text.text).toContain('Input should be a valid number; or value: Input should be a valid number');
    expect(text.text).not.toContain('secret text');
    const name = await edit({ 'a.b': { value: 1 } });
    expect(name.status).toBe(422);
    expect(name.text).toContain('The name is not valid: String should match pattern');
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
    expect(JSON.stringify(refused.body)).toMatch(/bananas.* is unknown; .*us.* is expected/);
    expect((await edit({ t1: { value: 50, unit: 'GHz' } }, { qid: '6' })).status).toBe(400);
    expect((await dataOf('6'))['t1']).toMatchObject({ value: 50, unit: 'us' });
  });

  test('of a parameter file is converted, or its values are skipped with the reason', async () => {
    const params = join(api.settings.CONFIG_PATH, laboratory.project, 'CHIP', 'params');
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
  test('are in the parameter files of the chip', async () => {
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
    const { execution_id, imported_count, skipped, ...details } = read(seedImport, imported);
    expect(details).toMatchObject({ source: 'files', skipped_count: 1, error_count: 2 });
    expect(details.results.map(({ qid, parameter_name, status }) => [parameter_name, qid, status])).toEqual([
      ['colour', '0', 'error'],
      ['qubit_frequency', '0', 'imported'],
      ['qubit_frequency', '1', 'imported'],
      ['qubit_frequency', '99', 'skipped'],
      ['t1', '0', 'error'],
      ['t1', '3', 'imported'],
    ]);
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
    const byParameter = await laboratory.as('/calibrations/seed-compare/CHIP', {
      query: { parameters: 'qubit_frequency' },
    });
    expect(read(seedComparisonByParameter, byParameter)).toEqual({
      chip_id: 'CHIP',
      parameters: {
        qubit_frequency: {
          unit: 'GHz',
          qubits: {
            '0': { yaml_value: 4.5, qdash_value: 4.5, status: 'same' },
            '1': { yaml_value: 4.6, qdash_value: 4.55, status: 'different' },
          },
        },
      },
    });
    const names = await laboratory.as('/calibrations/seed-parameters/CHIP');
    expect(read(seedParameterNames, names)).toEqual(['colour', 'qubit_frequency', 't1']);
    expectError(await laboratory.as('/calibrations/seed-parameters/NONE'), 404, 'not_found');
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
    expect(read(seedImport, imported)).toMatchObject({ imported_count: 1, skipped: [], source: 'manual' });
    expect((await dataOf('7'))['readout_amplitude']?.value).toBe(0.1);
    expect((await dataOf('8'))['readout_amplitude']).toBeUndefined();
    const nothing = await laboratory.as('/calibrations/seed-import', {
      method: 'POST',
      body: { chip_id: 'CHIP', manual_data: {} },
    });
    expect(read(seedImport, nothing)).toMatchObject({ execution_id: null, imported_count: 0 });
  });
});

test('`0`, `Q0` and `Q00` are the same qubit, which has one start value', async () => {
  const seed = (byQubit: Record<string, number>, qids?: string[]) =>
    laboratory.as('/calibrations/seed-import', {
      method: 'POST',
      body: { chip_id: 'CHIP', manual_data: { readout_amplitude: byQubit }, ...(qids && { qids }) },
    });
  for (const label of ['12', 'Q12', 'Q012', '012']) {
    expect(read(seedImport, await seed({ [label]: 0.2 }))).toMatchObject({ imported_count: 1, skipped: [] });
  }
  expect(read(seedImport, await seed({ '12': 0.25, Q012: 0.25 }, ['Q12']))).toMatchObject({
    imported_count: 1,
  });
  expect((await dataOf('12'))['readout_amplitude']?.value).toBe(0.25);
  expect(expectError(await seed({ '12': 0.1, Q12: 0.2 }), 400, 'invalid_parameters')).toContain('qubit 12');
  expect((await dataOf('12'))['readout_amplitude']?.value).toBe(0.25);
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
  const { execution_id } = read(z.object({ execution_id: executionIdSchema }), await laboratory.execute());
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

test('edits that race the deletion of a chip are made before it, or refused and leave nothing', async () => {
  const project = await api.makeProject(owner);
  const as = api.as(owner, project);
  const edits = api.database.db.collection('manual_edits');
  const versions = api.database.db.collection('provenance_entities');
  for (const round of [1, 2, 3, 4, 5, 6]) {
    const chip_id = `RACED-${round}`;
    await as('/chips', { method: 'POST', body: { chip_id, size: 16 } });
    const body = (qid: string) => ({ chip_id, qid, parameters: { t1: 40 } });
    const racing = ['0', '1', '2', '3'].map((qid) =>
      as('/calibrations/parameters', { method: 'PATCH', body: body(qid) }),
    );
    const [removed, ...answers] = await Promise.all([
      as(`/chips/${chip_id}`, { method: 'DELETE', query: { force: 'true' } }),
      ...racing,
    ]);
    expect(removed.status).toBe(200);
    expect(answers.filter(({ status }) => ![200, 404, 409].includes(status))).toEqual([]);
    const made = answers.filter(({ status }) => status === 200).length;
    const ofChip = { project_id: project, chip_id };
    expect(await edits.countDocuments(ofChip)).toBe(made);
    expect(await versions.countDocuments(ofChip)).toBe(made);
    expect((await as('/calibrations/parameters', { method: 'PATCH', body: body('0') })).status).toBe(404);
  }
});
