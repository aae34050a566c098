import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChipDocument } from '../../shared/domain/chips/model.ts';
import {
  type ExecutionDocument,
  type ExecutionRequestDocument,
  executionDetail,
  type FlowCommandDocument,
  type PlannedTask,
} from '../../shared/domain/executions/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { availability, startedRun } from '../../shared/domain/runs/model.ts';
import { type ExecutionId, keyOf, NO_TASK } from '../../shared/kernel/ids.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { executionNamed } from '../support/ids.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';
import { code, type Laboratory, makeLaboratory, storedExecution, storedTask } from './laboratory.ts';

let api: Api;
let owner: Person;
let viewer: Person;
let editor: Person;
let stranger: Person;
let laboratory: Laboratory;

beforeAll(async () => {
  api = await startApi({ engine: 'prepared' });
  [owner, viewer, editor, stranger] = await Promise.all([
    api.makePerson(),
    api.makePerson(),
    api.makePerson(),
    api.makePerson(),
  ]);
  laboratory = await makeLaboratory(api, owner, viewer);
  await api.addMember(laboratory.project, editor, 'editor');
});
afterAll(() => api.close());

const post = (url: string, body: unknown = {}, person = owner, headers: Record<string, string> = {}) =>
  api.as(person, laboratory.project)(url, { method: 'POST', body, headers });
const executions = () => api.database.db.collection<ExecutionDocument>('executions');
const requests = () => api.database.db.collection<ExecutionRequestDocument>('execution_requests');
const requestOf = (executionId: ExecutionId) =>
  requests().findOne({ _id: keyOf(laboratory.project, executionId) });

async function whileInactive(check: () => Promise<void>) {
  const chips = api.database.db.collection<ChipDocument>('chips');
  const chip = { _id: keyOf(laboratory.project, 'CHIP') };
  await chips.updateOne(chip, { $set: { activity_status: 'inactive' } });
  await check();
  await chips.updateOne(chip, { $set: { activity_status: 'active' } });
}

describe('checking availability', () => {
  const check = async (body?: unknown, person = viewer) =>
    read(availability, await post('/executions/check-availability', body, person));

  test('says that a run could start, for the flow, for a chip, and for nothing in particular', async () => {
    const free = { available: true, reason: null };
    expect(await check({ flow_name: 'rabi', parameters: { qids: ['0'] } })).toEqual(free);
    expect(await check({ parameters: { chip_id: 'CHIP' } })).toEqual(free);
    expect(await check({ flow_name: null })).toEqual(free);
    expect(await check()).toEqual(free);
    expect(read(startedRun, await laboratory.execute()).execution_id).toMatch(/^\d{8}-\d{3}$/);
    await laboratory.free();
  });

  test('names the holder and its start while the project is held', async () => {
    const { execution_id } = read(startedRun, await laboratory.execute());
    const { start_at } = read(executionDetail, await laboratory.as(`/executions/${execution_id}`));
    const held = await check({ flow_name: 'rabi' });
    expect(held).toEqual({
      available: false,
      reason: `The project is held by execution ${execution_id} since ${start_at}.`,
    });
    await executions().deleteOne({ _id: keyOf(laboratory.project, execution_id) });
    expect((await check()).reason).toBe(`The project is held by execution ${execution_id}.`);
    await laboratory.free();
  });

  test('says no for an unknown or inactive chip, 404 for an unknown flow', async () => {
    const unknown = await check({ flow_name: 'rabi', parameters: { chip_id: 'NONE' } });
    expect(unknown).toEqual({ available: false, reason: 'There is no chip NONE in this project.' });
    await whileInactive(async () => {
      expect(await check({ flow_name: 'rabi' })).toEqual({
        available: false,
        reason: 'The chip CHIP is inactive.',
      });
    });
    const answer = await post('/executions/check-availability', { flow_name: 'unknown' });
    expectError(answer, 404, 'not_found');
  });

  test('is 422 for a body of another form', async () => {
    expectProblems(await post('/executions/check-availability', { flow_name: 7, parameters: [] }), [
      ['string_type', 'body', 'flow_name'],
      ['dict_type', 'body', 'parameters'],
    ]);
  });
});

describe('executing an execution again', () => {
  const reExecute = (body: unknown, id = '20260102-003', person = owner) =>
    post(`/executions/${id}/re-execute`, body, person);

  beforeAll(async () => {
    await executions().insertOne(
      storedExecution(laboratory.project, owner, { execution_id: executionNamed('20260102-003') }),
    );
  });

  test('runs the flow with its defaults and the overrides, linked to the source, for any editor', async () => {
    const overrides = { b: 9, source_execution_id: 'mine' };
    const answer = await reExecute({ flow_name: 'rabi', parameter_overrides: overrides }, undefined, editor);
    const run = read(startedRun, answer);
    expect(run.message).toBe('Flow rabi was started.');
    expect(await requestOf(run.execution_id)).toMatchObject({
      flow: { name: 'rabi' },
      parameters: { a: 1, b: 9, username: editor.username, source_execution_id: '20260102-003' },
    });
    const shown = read(executionDetail, await laboratory.as(`/executions/${run.execution_id}`));
    expect(shown).toMatchObject({ username: editor.username, tags: ['daily'] });
    expect(shown.note).toMatchObject({ source_execution_id: '20260102-003', flow_run_id: run.flow_run_id });
    const busy = await reExecute({ flow_name: 'rabi' });
    expect(expectError(busy, 409, 'project_busy')).toContain(run.execution_id);
    await laboratory.free();
  });

  test('with one Idempotency-Key starts one run', async () => {
    const again = (flow_name: string, id = '20260102-003') =>
      post(`/executions/${id}/re-execute`, { flow_name }, owner, { 'idempotency-key': 'again' });
    const first = read(startedRun, await again('rabi'));
    expect(read(startedRun, await again('rabi'))).toEqual(first);
    await executions().insertOne(
      storedExecution(laboratory.project, owner, { execution_id: executionNamed('20260102-004') }),
    );
    expectError(await again('rabi', '20260102-004'), 409, 'idempotency_conflict');
    const headers = { 'idempotency-key': 'again' };
    expectError(await laboratory.execute({}, headers), 409, 'idempotency_conflict');
    await laboratory.free();
  });

  test('is 404 for an unknown execution or flow, 409 for an inactive chip', async () => {
    for (const id of ['20260102-999', newId(), 'x']) {
      expectError(await reExecute({ flow_name: 'rabi' }, id), 404, 'not_found');
    }
    expectError(await reExecute({ flow_name: 'unknown' }), 404, 'not_found');
    await whileInactive(async () => {
      expectError(await reExecute({ flow_name: 'rabi' }), 409, 'conflict');
    });
    expectProblems(await reExecute({ flow_name: 'rabi', parameter_overrides: 'all' }), [
      ['dict_type', 'body', 'parameter_overrides'],
    ]);
  });
});

describe('re-executing without a flow', () => {
  test.each([undefined, {}, { flow_name: null }, { parameter_overrides: {} }])('is 422: %j', async (body) => {
    const answer = await laboratory.as('/executions/20260102-003/re-execute', { method: 'POST', body });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('flow_name');
  });
});

describe('retrying an execution', () => {
  const retry = (id: string, body: unknown = {}, person = owner) =>
    post(`/executions/${id}/retry`, body, person);

  /** An execution that ended, with these rows, and what it was asked to do. */
  async function makeSource(
    execution_id: ExecutionId,
    rows: Partial<TaskResultDocument>[],
    fields: Partial<ExecutionDocument> = {},
  ) {
    const { project } = laboratory;
    await executions().insertOne(
      storedExecution(project, owner, { execution_id, tags: ['night'], ...fields }),
    );
    if (rows.length > 0) {
      await api.database.db
        .collection<TaskResultDocument>('task_results')
        .insertMany(rows.map((row) => storedTask(project, owner, { execution_id, ...row })));
    }
    const saved = await api.database.db
      .collection<{ hash: string }>('flows')
      .findOne({ project_id: project, name: 'rabi' });
    await requests().insertOne({
      _id: keyOf(project, execution_id),
      project_id: project,
      execution_id,
      flow: { name: 'rabi', hash: saved?.hash ?? '', function_name: 'rabi' },
      parameters: { a: 5, qids: ['0', '1'], username: owner.username },
      default_run_parameters: { shots: 100 },
      task: null,
      created_at: new Date(),
    });
    return saved?.hash;
  }

  test('asks for the failed, skipped and cancelled targets, with the parameters and the flow of then', async () => {
    const hash = await makeSource(
      executionNamed('20260103-000'),
      [
        { qid: '0', status: 'completed' },
        { qid: '1', status: 'failed', name: 'CheckRabi' },
        { qid: '1', status: 'skipped', index: 1 },
        { qid: '2', status: 'skipped' },
        { qid: '3', status: 'failed', stage: 0 },
        { qid: '3', status: 'completed', stage: 1 },
        { qid: '10', status: 'failed', name: 'CheckRabi', stage: 0 },
        { qid: '10', status: 'completed', name: 'CheckT1', stage: 1 },
        { qid: '11', status: 'cancelled' },
      ],
      { status: 'failed' },
    );
    await laboratory.as('/flows', {
      method: 'POST',
      body: { name: 'rabi', code: code.replace("'Rabi'", "'Newer'"), chip_id: 'OTHER' },
    });
    const run = read(startedRun, await retry('20260103-000', undefined, editor));
    const request = await requestOf(run.execution_id);
    expect(request).toMatchObject({
      flow: { name: 'rabi', hash, function_name: 'rabi' },
      parameters: { a: 5, qids: ['0', '1'], username: editor.username },
      default_run_parameters: { shots: 100 },
      task: null,
    });
    expect(request?.targets?.toSorted()).toEqual(['1', '10', '11', '2']);
    const shown = read(executionDetail, await laboratory.as(`/executions/${run.execution_id}`));
    expect(shown).toMatchObject({ flow_name: 'rabi', chip_id: 'CHIP', tags: ['night'] });
    expect(shown.note).toMatchObject({ retry_of: '20260103-000' });
    expectError(await retry('20260103-000'), 409, 'project_busy');
    await laboratory.free();
  });

  test('asks for the targets that a run never reached, because it ended before', async () => {
    const { project } = laboratory;
    await makeSource(executionNamed('20260103-008'), [{ qid: '0', status: 'completed' }], {
      status: 'failed',
    });
    const tasks: PlannedTask[] = [
      { name: storedTask(project, owner, {}).name, scope: 'target', run_parameters: {}, input_overrides: {} },
    ];
    await api.database.db.collection<FlowCommandDocument>('flow_steps').insertOne({
      _id: keyOf(project, '20260103-008', 0),
      project_id: project,
      execution_id: executionNamed('20260103-008'),
      ...{ index: 0, kind: 'stage', name: 'Rabi', command: {}, tasks, targets: ['0', '1', '2'] },
      ...{ parallel: null, status: 'planned', summary: null, answered_at: null, created_at: new Date() },
    });
    const run = read(startedRun, await retry('20260103-008'));
    expect(await requestOf(run.execution_id)).toMatchObject({
      targets: ['1', '2'],
      earlier: { passed: ['0'] },
    });
    await laboratory.free();
  });

  test('runs the flow that is saved now where that is requested, 404 when none is', async () => {
    const before = await makeSource(executionNamed('20260103-001'), [{ status: 'failed' }]);
    await laboratory.as('/flows', { method: 'POST', body: { name: 'rabi', code, chip_id: 'CHIP' } });
    const run = read(startedRun, await retry('20260103-001', { code: 'current' }));
    const request = await requestOf(run.execution_id);
    expect(request?.flow?.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(request?.flow?.hash).not.toBe(before);
    await laboratory.free();
    await requests().updateOne(
      { _id: keyOf(laboratory.project, '20260103-001') },
      { $set: { 'flow.name': 'gone' } },
    );
    expectError(await retry('20260103-001', { code: 'current' }), 404, 'not_found');
  });

  test('of a single task asks for the same task again', async () => {
    await makeSource(executionNamed('20260103-002'), [{ status: 'failed', qid: '7' }], {
      name: 'quick-run:CheckT1',
    });
    const task = {
      name: 'CheckT1',
      qid: '7',
      input_overrides: { readout_amplitude: 0.1 },
      run_overrides: {},
      source_task_id: NO_TASK,
      from_snapshot: false,
      reconfigure: true,
      persist: false,
    };
    await requests().updateOne(
      { _id: keyOf(laboratory.project, '20260103-002') },
      { $set: { flow: null, task } },
    );
    const run = read(startedRun, await retry('20260103-002'));
    expect(await requestOf(run.execution_id)).toMatchObject({ flow: null, task, targets: ['7'] });
    await laboratory.free();
  });

  test('with one Idempotency-Key starts one run', async () => {
    await makeSource(executionNamed('20260103-003'), [{ status: 'failed' }]);
    const again = (body: unknown) =>
      post('/executions/20260103-003/retry', body, owner, { 'idempotency-key': 'retry' });
    const first = read(startedRun, await again({}));
    expect(read(startedRun, await again({ code: 'original' }))).toEqual(first);
    expectError(await again({ code: 'current' }), 409, 'idempotency_conflict');
    await laboratory.free();
  });

  test('is 409 while the execution runs, without a target to retry, and for an inactive chip', async () => {
    await makeSource(executionNamed('20260103-004'), [{ status: 'failed' }], {
      status: 'running',
      end_at: null,
    });
    expect(expectError(await retry('20260103-004'), 409, 'conflict')).toContain('has not ended');
    await makeSource(executionNamed('20260103-005'), [{ status: 'completed' }]);
    expect(expectError(await retry('20260103-005'), 409, 'conflict')).toContain('no target that failed');
    await makeSource(executionNamed('20260103-006'), []);
    expectError(await retry('20260103-006'), 409, 'conflict');
    await makeSource(executionNamed('20260103-007'), [{ status: 'failed' }]);
    await whileInactive(async () => {
      expectError(await retry('20260103-007'), 409, 'conflict');
    });
  });

  test('is 404 for an unknown execution, 422 for another code', async () => {
    for (const id of ['20260103-999', newId()]) expectError(await retry(id), 404, 'not_found');
    expectProblems(await retry('20260103-007', { code: 'newest' }), [['enum', 'body', 'code']]);
  });
});

test('repeating needs the editor role, before its body is looked at', async () => {
  const other = await api.makeProject(stranger);
  for (const url of ['/executions/20260102-003/re-execute', '/executions/20260102-003/retry']) {
    const call = { method: 'POST' as const, text: '{' };
    expectError(await api.call(url, call), 401, 'not_authenticated');
    expectError(await api.as(viewer, laboratory.project)(url, call), 403, 'forbidden');
    expectError(await api.as(stranger, laboratory.project)(url, call), 403, 'forbidden');
    const body = url.endsWith('re-execute') ? { flow_name: 'short' } : {};
    const elsewhere = { method: 'POST' as const, body };
    expectError(await api.as(stranger, other)(url, elsewhere), 404, 'not_found');
  }
  const url = '/executions/check-availability';
  expectError(await api.call(url, { method: 'POST', text: '{' }), 401, 'not_authenticated');
  expectError(
    await api.as(stranger, laboratory.project)(url, { method: 'POST', text: '{' }),
    403,
    'forbidden',
  );
});
