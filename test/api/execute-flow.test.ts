import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChipDocument } from '../../shared/domain/chips/model.ts';
import {
  type ExecutionDocument,
  executionDetail,
  executionList,
  executionNote,
} from '../../shared/domain/executions/model.ts';
import { lockStatus, startedRun } from '../../shared/domain/runs/model.ts';
import { keyOf } from '../../shared/kernel/ids.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';
import { code, makeLaboratory, storedExecution } from './laboratory.ts';

let api: Api;
let owner: Person;
let viewer: Person;
let stranger: Person;
let administrator: Person;

beforeAll(async () => {
  api = await startApi({ engine: 'prepared' });
  [owner, viewer, stranger] = await Promise.all([api.makePerson(), api.makePerson(), api.makePerson()]);
  administrator = await api.makePerson({ system_role: 'admin' });
});
afterAll(() => api.close());

const newLaboratory = () => makeLaboratory(api, owner, viewer);
const executions = () => api.database.db.collection<ExecutionDocument>('executions');

describe('parameters that name parts of the chip', () => {
  const declared = `export const parameters = {
  qids: { type: 'qubits' },
  mux_ids: { type: 'muxes' },
  pairs: { type: 'pairs' },
  groups: { type: 'pair_groups' },
};
${code}`;

  test('are checked against it before anything runs, all at once, and an unknown chip is named', async () => {
    const laboratory = await newLaboratory();
    const body = { name: 'declared', code: declared, chip_id: 'CHIP', flow_function_name: 'rabi' };
    expect(await laboratory.as('/flows', { method: 'POST', body })).toMatchObject({ status: 200 });
    const execute = (parameters: unknown) =>
      laboratory.as('/flows/declared/execute', { method: 'POST', body: { parameters } });
    const message = expectError(
      await execute({
        qids: ['0', 16, 'x'],
        mux_ids: '0,4',
        pairs: ['0-1', [0, 15]],
        groups: [['0-1'], [[1, 0], '7-0']],
      }),
      400,
      'invalid_parameters',
    );
    expect(message).toBe(
      [
        'The parameter qids names qubits that chip CHIP has not: 16, x.',
        'The parameter mux_ids names multiplexers that chip CHIP has not: 4.',
        'The parameter pairs names couplings that chip CHIP has not: 0-15.',
        'The parameter groups names couplings that chip CHIP has not: 7-0.',
      ].join(' '),
    );
    expect(expectError(await execute({ chip_id: 'OTHER' }), 404, 'not_found')).toContain('OTHER');
    expect(await executions().countDocuments({ project_id: laboratory.project })).toBe(0);
    read(startedRun, await execute({ qids: [0, '15'], mux_ids: [3], pairs: [[0, 1]], groups: [['0-1']] }));
    await laboratory.free();
  });
});

describe('executing a flow', () => {
  test('starts a run, names it, and holds the project', async () => {
    const laboratory = await newLaboratory();
    const started = read(startedRun, await laboratory.execute({ parameters: { b: 3, qids: ['0'] } }));
    expect(started).toEqual({
      execution_id: expect.stringMatching(/^\d{8}-000$/),
      flow_run_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      flow_run_url: expect.stringContaining(started.flow_run_id),
      service_ui_url: expect.stringContaining(
        `/execution/CHIP/${started.execution_id}?project=${laboratory.project}`,
      ),
      qdash_ui_url: started.service_ui_url,
      message: expect.any(String),
    });
    const request = await api.database.db
      .collection<{ _id: string }>('execution_requests')
      .findOne({ _id: keyOf(laboratory.project, started.execution_id) });
    expect(request).toMatchObject({
      flow: { name: 'rabi', function_name: 'rabi', hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      parameters: {
        a: 1,
        b: 3,
        qids: ['0'],
        chip_id: 'CHIP',
        username: owner.username,
        flow_name: 'rabi',
        project_id: laboratory.project,
      },
    });
    expect(read(lockStatus, await laboratory.as('/executions/lock-status'))).toEqual({
      lock: true,
      execution_id: started.execution_id,
      chip_id: 'CHIP',
      name: 'rabi',
      status: 'scheduled',
    });
    await laboratory.free();
  });

  test('goes to the backend that is requested, else to the default one, and is 400 for one that is not there', async () => {
    const laboratory = await newLaboratory();
    const { CONFIG_PATH } = api.settings;
    await mkdir(CONFIG_PATH, { recursive: true });
    await writeFile(
      join(CONFIG_PATH, 'backends.json'),
      JSON.stringify({ backends: { simulator: {}, 'fridge-1': {} } }),
    );
    const reload = () => api.as(administrator)('/admin/config/reload', { method: 'POST' });
    expect((await reload()).status).toBe(200);
    // A process may take a second to notice a reload.
    const backends = async () => (await laboratory.as('/backends')).text;
    await expect.poll(backends).toContain('fridge-1');
    const backendOf = async (parameters: object) => {
      const { execution_id } = read(startedRun, await laboratory.execute({ parameters }));
      await laboratory.free();
      return (await executions().findOne({ _id: keyOf(laboratory.project, execution_id) }))?.backend;
    };
    expect(await backendOf({ backend_name: 'fridge-1' })).toBe('fridge-1');
    expect(await backendOf({ backend_name: null })).toBe('simulator');
    expect(await backendOf({})).toBe('simulator');
    for (const backend_name of ['fridge-2', 7]) {
      const answer = await laboratory.execute({ parameters: { backend_name } });
      expect(expectError(answer, 400, 'bad_request')).toContain('this project may use fridge-1, simulator');
    }
    await rm(join(CONFIG_PATH, 'backends.json'));
    await reload();
  });

  test('is 409 naming the holder while a run is open, and free afterwards', async () => {
    const laboratory = await newLaboratory();
    const started = read(startedRun, await laboratory.execute());
    expect(expectError(await laboratory.execute({}), 409, 'project_busy')).toContain(started.execution_id);
    await laboratory.free();
    expect(read(startedRun, await laboratory.execute()).execution_id).toMatch(/-001$/);
    await laboratory.free();
  });

  test('many times at once starts one run and stores one row', async () => {
    const laboratory = await newLaboratory();
    const answers = await Promise.all(Array.from({ length: 20 }, () => laboratory.execute()));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 409)).toHaveLength(19);
    expect(await executions().countDocuments({ project_id: laboratory.project })).toBe(1);
    await laboratory.free();
  });

  test('with one Idempotency-Key starts one run and gives one answer', async () => {
    const laboratory = await newLaboratory();
    const key = { 'idempotency-key': 'night run 7' };
    const first = read(startedRun, await laboratory.execute({ parameters: { b: 4 } }, key));
    expect(read(startedRun, await laboratory.execute({ parameters: { b: 4 } }, key))).toEqual(first);
    expectError(await laboratory.execute({ parameters: { b: 5 } }, key), 409, 'idempotency_conflict');
    expectError(await laboratory.execute(undefined, key), 409, 'idempotency_conflict');
    expectProblems(await laboratory.execute({}, { 'idempotency-key': 'k'.repeat(256) }), [
      ['string_too_long', 'header', 'idempotency-key'],
    ]);
    await laboratory.free();
  });

  test('with a known key gives the first answer, whatever became of flow, chip and lock since', async () => {
    const laboratory = await newLaboratory();
    const key = { 'idempotency-key': 'once' };
    const again = async () => read(startedRun, await laboratory.execute({}, key));
    const first = await again();
    const saved = await laboratory.as('/flows', {
      method: 'POST',
      body: { name: 'rabi', code: code.replace("'Rabi'", "'Again'"), chip_id: 'OTHER', tags: ['new'] },
    });
    expect(saved.status).toBe(200);
    expect(await again()).toEqual(first);
    const chip = { _id: keyOf(laboratory.project, 'CHIP') };
    const chips = api.database.db.collection<ChipDocument>('chips');
    await chips.updateOne(chip, { $set: { activity_status: 'inactive' } });
    expect(await again()).toEqual(first);
    await api.database.db.collection('flows').deleteOne({ project_id: laboratory.project, name: 'rabi' });
    expect(await again()).toEqual(first);
    await laboratory.free();
    expect(await again()).toEqual(first);
    expectError(await laboratory.execute({ parameters: { b: 1 } }, key), 409, 'idempotency_conflict');
    const other = await laboratory.as('/flows/other/execute', { method: 'POST', headers: key, body: {} });
    expectError(other, 409, 'idempotency_conflict');
  });

  test('with a key whose run has no row yet gives the first answer from the engine', async () => {
    const laboratory = await newLaboratory();
    const key = { 'idempotency-key': 'early' };
    const first = read(startedRun, await laboratory.execute({}, key));
    await executions().deleteOne({ _id: keyOf(laboratory.project, first.execution_id) });
    expect(read(startedRun, await laboratory.execute({}, key))).toEqual(first);
    await laboratory.free();
  });

  test('with the key of a start that was cut off carries that start through', async () => {
    const laboratory = await newLaboratory();
    const key = { 'idempotency-key': 'cut off' };
    const first = read(startedRun, await laboratory.execute({}, key));
    await laboratory.free();
    await executions().deleteOne({ _id: keyOf(laboratory.project, first.execution_id) });
    const second = read(startedRun, await laboratory.execute({}, key));
    expect(second.execution_id).toBe(first.execution_id);
    expect(second.flow_run_id).not.toBe(first.flow_run_id);
    await laboratory.free();
  });

  test('tags a run as asked, else as the flow, else with the name of the flow', async () => {
    const laboratory = await newLaboratory();
    const tagsOf = async (parameters: Record<string, unknown>) => {
      const { execution_id } = read(startedRun, await laboratory.execute({ parameters }));
      const { tags } = read(executionDetail, await laboratory.as(`/executions/${execution_id}`));
      await laboratory.free();
      return tags;
    };
    expect(await tagsOf({ tags: ['night', 'test'] })).toEqual(['night', 'test']);
    expect(await tagsOf({})).toEqual(['daily']);
    expect(await tagsOf({ tags: null })).toEqual(['daily']);
    await laboratory.as('/flows', { method: 'POST', body: { name: 'rabi', code, chip_id: 'CHIP' } });
    expect(await tagsOf({})).toEqual(['rabi']);
    for (const tags of ['night', 7, { a: 1 }, ['ok', 3], ['x'.repeat(101)]]) {
      expectProblems(await laboratory.execute({ parameters: { tags } }), [
        ['list_type', 'body', 'parameters', 'tags'],
      ]);
    }
  });

  test('checks its parameters against what the flow declares, and names all that is wrong', async () => {
    const laboratory = await newLaboratory();
    const declaring = `export const parameters = {
  qids: { type: 'qubits', required: true, description: 'Which' },
  rounds: { type: 'integer', default: 3 },
};
${code}`;
    const saved = (default_run_parameters: Record<string, unknown>) =>
      laboratory.as('/flows', {
        method: 'POST',
        body: { name: 'rabi', code: declaring, chip_id: 'CHIP', default_run_parameters },
      });
    await saved({ shotz: 5 });
    const refused = await laboratory.execute({ parameters: { rouns: 2, rounds: 'many' } });
    expectError(refused, 400, 'invalid_parameters');
    expect(refused.body).toMatchObject({
      detail: [
        'The parameter rouns is no parameter of this flow; did you mean rounds?',
        'The parameter rounds must be a whole number, but is "many".',
        'The parameter qids is missing: a list of qubits, such as [0, 1] (Which).',
        "The flow's default run parameters are wrong: no task has a run parameter shotz; did you mean shots?",
      ].join(' '),
    });
    expect(await executions().countDocuments({ project_id: laboratory.project })).toBe(0);
    await saved({ shots: 5 });
    const started = read(startedRun, await laboratory.execute({ parameters: { qids: [0], rounds: null } }));
    const request = await api.database.db
      .collection<{ _id: string }>('execution_requests')
      .findOne({ _id: keyOf(laboratory.project, started.execution_id) });
    expect(request).toMatchObject({ parameters: { qids: [0], rounds: 3, chip_id: 'CHIP' } });
    await laboratory.free();
  });

  test('and cancelling are 503 with Retry-After while the engine is away', async () => {
    const laboratory = await newLaboratory();
    const run = newId();
    await executions().insertOne(
      storedExecution(laboratory.project, owner, {
        status: 'running',
        note: executionNote.parse({ flow_run_id: run }),
      }),
    );
    const { server, close } = await api.withoutEngine();
    const headers = { authorization: `Bearer ${owner.token}`, 'x-project-id': laboratory.project };
    const urls = ['/flows/rabi/execute', `/executions/${run}/cancel`];
    const [shown, ...answers] = await Promise.all([
      server.inject({ url: '/executions/20260102-003', headers }),
      ...urls.map((url) => server.inject({ method: 'POST', url, headers })),
    ]);
    expect([shown.statusCode, shown.json().status]).toEqual([200, 'running']);
    expect(answers).toHaveLength(2);
    for (const answer of answers) {
      expect(answer.statusCode).toBe(503);
      expect(answer.json()).toMatchObject({ code: 'engine_unavailable', detail: expect.any(String) });
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    await close();
  });

  test('takes its chip from the parameters, else from the flow', async () => {
    const laboratory = await newLaboratory();
    await laboratory.as('/chips', { method: 'POST', body: { chip_id: 'SECOND', size: 4 } });
    read(startedRun, await laboratory.execute({ parameters: { chip_id: 'SECOND', tags: ['night'] } }));
    const { executions: listed } = read(
      executionList,
      await laboratory.as('/executions', { query: { chip_id: 'SECOND' } }),
    );
    expect(listed).toMatchObject([{ tags: ['night'], user_id: owner.id, username: owner.username }]);
    await laboratory.free();
    for (const chip_id of ['', 7, null, ['CHIP']]) {
      const answer = await laboratory.execute({ parameters: { chip_id } });
      if (chip_id === null) {
        expect(answer.status).toBe(200);
        await laboratory.free();
      } else {
        expectError(answer, 400, 'bad_request');
      }
    }
  });

  test('is 404 for an unknown flow or chip, 409 for an inactive chip', async () => {
    const laboratory = await newLaboratory();
    const unknown = await laboratory.as('/flows/unknown/execute', { method: 'POST' });
    expect(expectError(unknown, 404, 'not_found')).toBe(
      'There is no such flow in this project. It has rabi.',
    );
    expectError(await laboratory.execute({ parameters: { chip_id: 'NONE' } }), 404, 'not_found');
    await api.database.db
      .collection<ChipDocument>('chips')
      .updateOne({ _id: keyOf(laboratory.project, 'CHIP') }, { $set: { activity_status: 'inactive' } });
    expectError(await laboratory.execute(), 409, 'conflict');
    expect(read(lockStatus, await laboratory.as('/executions/lock-status')).lock).toBe(false);
  });

  test('needs the editor role and a body of the right form', async () => {
    const laboratory = await newLaboratory();
    const asViewer = api.as(viewer, laboratory.project)('/flows/rabi/execute', { method: 'POST', text: '{' });
    expectError(await asViewer, 403, 'forbidden');
    const asStranger = api.as(stranger, laboratory.project)('/flows/rabi/execute', { method: 'POST' });
    expectError(await asStranger, 403, 'forbidden');
    expectError(await api.call('/flows/rabi/execute', { method: 'POST' }), 401, 'not_authenticated');
    expectProblems(await laboratory.execute({ parameters: 'all' }), [['dict_type', 'body', 'parameters']]);
    const large = { parameters: { note: 'x'.repeat(70_000) } };
    expectProblems(await laboratory.execute(large), [['value_error', 'body', 'parameters']]);
  });
});
