import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { domain } from '../../shared/domain/areas.ts';
import type { ChipDocument } from '../../shared/domain/chips/model.ts';
import { executionDetail } from '../../shared/domain/executions/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { runs } from '../../shared/domain/runs/index.ts';
import { lockStatus, startedRun } from '../../shared/domain/runs/model.ts';
import { executeTask } from '../../shared/domain/runs/request-model.ts';
import { keyOf } from '../../shared/kernel/ids.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { executionNamed, taskNamed, userNamed } from '../support/ids.ts';
import {
  type Answer,
  type Api,
  type Call,
  expectError,
  expectProblems,
  type Person,
  read,
  startApi,
} from './harness.ts';
import { type Laboratory, makeLaboratory, storedExecution, storedTask } from './laboratory.ts';

let api: Api;
let owner: Person;
let viewer: Person;
let editor: Person;
let stranger: Person;
let laboratory: Laboratory;
let source: TaskResultDocument;

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
  source = storedTask(laboratory.project, owner, {
    qid: '3',
    execution_id: executionNamed('20260102-003'),
    tags: ['night'],
  });
  await api.database.db.collection<TaskResultDocument>('task_results').insertOne(source);
});
afterAll(() => api.close());

const post = (url: string, given: Omit<Call, 'method'> = {}, person = owner) =>
  api.as(person, laboratory.project)(url, { method: 'POST', ...given });
const execute = (body: Record<string, unknown> = {}, task = 'CheckRabi') =>
  post(`/tasks/${task}/execute`, { body: { chip_id: 'CHIP', qid: '0', ...body } });
const reExecute = (body: Record<string, unknown> = {}, id = source.task_id, person = owner) =>
  post(`/task-results/${id}/re-execute`, { body }, person);

/** What the run was asked to do, how it is shown; then the project is free again. */
async function started(answer: Answer) {
  const run = read(startedRun, answer);
  const request = await api.database.db
    .collection<{ _id: string }>('execution_requests')
    .findOne({ _id: keyOf(laboratory.project, run.execution_id) });
  const shown = read(executionDetail, await laboratory.as(`/executions/${run.execution_id}`));
  await laboratory.free();
  return { run, request, shown };
}

describe('executing a task', () => {
  test('starts a run named after it, which holds the project', async () => {
    const answer = await execute({ run_parameter_overrides: { shots: 512 } });
    const held = read(lockStatus, await laboratory.as('/executions/lock-status'));
    expect(expectError(await execute(), 409, 'project_busy')).toContain(held.execution_id);
    const { run, request, shown } = await started(answer);
    expect(run).toEqual({
      execution_id: expect.stringMatching(/^\d{8}-\d{3}$/),
      flow_run_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      flow_run_url: expect.stringContaining(run.flow_run_id),
      service_ui_url: expect.stringContaining(`/execution/CHIP/${run.execution_id}?project=`),
      qdash_ui_url: run.service_ui_url,
      message: 'Task CheckRabi was started.',
    });
    expect(held).toMatchObject({ lock: true, execution_id: run.execution_id, name: 'quick-run:CheckRabi' });
    expect(shown).toMatchObject({ flow_name: 'quick-run:CheckRabi', tags: ['quick-run:CheckRabi'] });
    expect(request).toMatchObject({
      flow: null,
      task: {
        name: 'CheckRabi',
        qid: '0',
        input_overrides: {},
        run_overrides: { shots: 512 },
        from_snapshot: false,
        reconfigure: false,
        persist: false,
      },
    });
  });

  test('takes the switches and the source that are requested', async () => {
    const { request, shown } = await started(
      await execute({
        qid: '5',
        backend_name: 'simulator',
        source_task_id: source.task_id,
        input_parameter_overrides: { qubit_frequency: 5.1 },
        run_parameter_overrides: { time_range: [0, 201, 4] },
        reconfigure: 'true',
        persist_output_parameters: true,
        update_params: true,
      }),
    );
    expect(request).toMatchObject({
      task: {
        qid: '5',
        input_overrides: { qubit_frequency: 5.1 },
        run_overrides: { time_range: [0, 201, 4] },
        source_task_id: source.task_id,
        from_snapshot: false,
        reconfigure: true,
        persist: true,
      },
    });
    expect(shown.note).toMatchObject({ source_task_id: source.task_id });
  });

  test('checks a task that has a check form, which writes no values', async () => {
    const { request } = await started(await execute({ check: true }, 'CheckT1'));
    expect(request).toMatchObject({ task: { check: true, persist: false } });
    const answer = await execute({ check: true, persist_output_parameters: true }, 'CheckNoise');
    const message = expectError(answer, 400, 'bad_request');
    expect(message).toMatch(/^CheckNoise has no check form; these tasks have one: .*CheckT1/);
    expect(message).toContain('A check writes no values');
  });

  test('takes a sweep and a list that a form sends as text', async () => {
    const { request } = await started(await execute({ run_parameter_overrides: { time_range: '0,201, 4' } }));
    expect(request).toMatchObject({ task: { run_overrides: { time_range: '0,201, 4' } } });
    const bad = await execute({ run_parameter_overrides: { time_range: '0,201' } });
    expect(expectError(bad, 400, 'bad_request')).toContain('a list of start, stop and step');
  });

  test('says everything that is wrong in one message', async () => {
    const answer = await execute({
      qid: '16',
      backend_name: 'quantum-cloud',
      input_parameter_overrides: { qubit_frequenzy: 5, control_amplitude: 'high', qubit_frequency: null },
      run_parameter_overrides: { shots: 10.5, time_range: [0, 1], speed: 1, interval: true },
    });
    expect(expectError(answer, 400, 'bad_request')).toBe(
      [
        'There is no backend quantum-cloud; this project may use simulator.',
        'CheckRabi measures qubits, and chip CHIP has none named 16.',
        'CheckRabi has no input qubit_frequenzy; did you mean qubit_frequency?',
        'The input control_amplitude of CheckRabi must be a number.',
        'The input qubit_frequency of CheckRabi must be a number.',
        'The run parameter shots of CheckRabi must be a whole number.',
        'The run parameter time_range of CheckRabi must be a list of start, stop and step.',
        'CheckRabi has no run parameter speed.',
        'The run parameter interval of CheckRabi must be a whole number.',
      ].join(' '),
    );
  });

  test('refuses values out of bounds, sweeps without points and wrong types of every kind', async () => {
    const wrong: [string, Record<string, unknown>, RegExp][] = [
      ['CheckRabi', { input_parameter_overrides: { control_amplitude: 1.5 } }, /outside of its bounds/],
      ['CheckRabi', { run_parameter_overrides: { time_range: [0, 100, 0] } }, /step must not be 0/],
      ['CheckRabi', { run_parameter_overrides: { shots: -1 } }, /shots/],
      ['CheckRabi', { run_parameter_overrides: { shots: true } }, /whole number/],
      ['CheckRabi', { run_parameter_overrides: { shots: '512' } }, /whole number/],
      ['CheckRabi', { run_parameter_overrides: { toString: 1 } }, /no run parameter toString/],
      ['CheckRabi', { input_parameter_overrides: { constructor: 1 } }, /no input constructor/],
      ['CheckRaby', {}, /There is no task CheckRaby; did you mean CheckRabi\?/],
      ['%2e%2e%2fetc', {}, /There is no task/],
    ];
    for (const [task, body, message] of wrong) {
      expect(expectError(await execute(body, task), 400, 'bad_request')).toMatch(message);
    }
    expect(read(lockStatus, await laboratory.as('/executions/lock-status')).lock).toBe(false);
  });

  test('is refused for a task that its backend does not offer', async () => {
    const { database, engine, settings } = api;
    const kernel = { db: database.db, engine, settings, log: createLog('test', 'SILENT') };
    const { areas } = domain.open(kernel);
    const { startTask } = runs.create({
      ...kernel,
      ...areas,
      backends: {
        tasksOf: areas.backends.tasksOf,
        offers: async () => ({ simulator: { tasks: ['CheckT1'] } }),
      },
    });
    const order = {
      projectId: laboratory.project,
      user: { _id: userNamed(owner.id), username: owner.username },
      idempotencyKey: undefined,
    };
    const body = executeTask.parse({ chip_id: 'CHIP', qid: '0' });
    await expect(startTask(order, 'CheckRabi', body)).rejects.toMatchObject({
      code: 'bad_request',
      message: 'The task CheckRabi is not enabled for backend simulator.',
    });
    await startTask(order, 'CheckT1', body);
    await laboratory.free();
  });

  test('is 404 for an unknown chip or source, 409 for an inactive chip', async () => {
    expectError(await execute({ chip_id: 'NONE' }), 404, 'not_found');
    expectError(await execute({ source_task_id: newId() }), 404, 'not_found');
    const chips = api.database.db.collection<ChipDocument>('chips');
    const chip = { _id: userNamed(keyOf(laboratory.project, 'CHIP')) };
    await chips.updateOne(chip, { $set: { activity_status: 'inactive' } });
    expectError(await execute(), 409, 'conflict');
    await chips.updateOne(chip, { $set: { activity_status: 'active' } });
  });

  test('with one Idempotency-Key starts one run and gives one answer, whatever became of the chip', async () => {
    const headers = { 'idempotency-key': 'once' };
    const body = { chip_id: 'CHIP', qid: '1' };
    const again = () => post('/tasks/CheckT1/execute', { body, headers });
    const first = read(startedRun, await again());
    expect(read(startedRun, await again())).toEqual(first);
    await laboratory.free();
    const other = { body: { ...body, qid: '2' }, headers };
    expectError(await post('/tasks/CheckT1/execute', other), 409, 'idempotency_conflict');
    expectError(await post('/tasks/CheckT2Echo/execute', { body, headers }), 409, 'idempotency_conflict');
    const reExecuted = post(`/task-results/${source.task_id}/re-execute`, { body: {}, headers });
    expectError(await reExecuted, 409, 'idempotency_conflict');
    const chips = api.database.db.collection<ChipDocument>('chips');
    const chip = { _id: userNamed(keyOf(laboratory.project, 'CHIP')) };
    await chips.updateOne(chip, { $set: { activity_status: 'inactive' } });
    expect(read(startedRun, await again())).toEqual(first);
    await chips.updateOne(chip, { $set: { activity_status: 'active' } });
  });

  test('is 422 for a body of another form', async () => {
    expectProblems(await post('/tasks/CheckRabi/execute'), [
      ['missing', 'body', 'chip_id'],
      ['missing', 'body', 'qid'],
    ]);
    const wrong = await execute({ qid: 3, input_parameter_overrides: [], reconfigure: 'perhaps' });
    expectProblems(wrong, [
      ['string_type', 'body', 'qid'],
      ['dict_type', 'body', 'input_parameter_overrides'],
      ['bool_parsing', 'body', 'reconfigure'],
    ]);
    const large = { run_parameter_overrides: { note: 'x'.repeat(70_000) } };
    expectProblems(await execute(large), [['value_error', 'body', 'run_parameter_overrides']]);
  });
});

describe('executing a task again', () => {
  test('asks for its snapshot on the same chip, target and backend, under the same tags', async () => {
    const earlier = storedExecution(laboratory.project, owner, { backend: 'simulator' });
    await api.database.db.collection<typeof earlier>('executions').insertOne(earlier);
    const overrides = { input: { readout_amplitude: 0.02 }, run: { shots: 256 } };
    const { run, request, shown } = await started(await reExecute({ parameter_overrides: overrides }));
    expect(run.message).toBe('Task CheckT1 was started.');
    expect(shown).toMatchObject({ flow_name: 're-execute:CheckT1', tags: ['night'], chip_id: 'CHIP' });
    expect(shown.note).toMatchObject({
      source_execution_id: '20260102-003',
      source_task_id: source.task_id,
    });
    expect(request).toMatchObject({
      task: {
        name: 'CheckT1',
        qid: '3',
        input_overrides: { readout_amplitude: 0.02 },
        run_overrides: { shots: 256 },
        source_task_id: source.task_id,
        from_snapshot: true,
        reconfigure: false,
        persist: true,
      },
    });
  });

  test('needs no body, and any editor may do it', async () => {
    const { request } = await started(await post(`/task-results/${source.task_id}/re-execute`, {}, editor));
    expect(request).toMatchObject({ task: { input_overrides: {}, run_overrides: {} } });
  });

  test('is 400 for overrides that the task cannot use, 404 for an unknown result', async () => {
    const overrides = { input: { t1: 5 }, run: { shots: 'many' } };
    expect(expectError(await reExecute({ parameter_overrides: overrides }), 400, 'bad_request')).toBe(
      'CheckT1 has no input t1. The run parameter shots of CheckT1 must be a whole number.',
    );
    expectError(await reExecute({}, taskNamed(newId())), 404, 'not_found');
    expectError(await reExecute({}, taskNamed('unknown')), 404, 'not_found');
    expectProblems(await reExecute({ parameter_overrides: { input: 'all' } }), [
      ['dict_type', 'body', 'parameter_overrides', 'input'],
    ]);
  });

  test('is 400 for a result whose task or backend is not there any more', async () => {
    const rows = api.database.db.collection<TaskResultDocument>('task_results');
    const gone = storedTask(laboratory.project, owner, {
      name: 'CheckXyzzyPlugh',
      execution_id: executionNamed('20260102-008'),
    });
    await rows.insertOne(gone);
    const old = storedExecution(laboratory.project, owner, {
      execution_id: executionNamed('20260102-008'),
      backend: 'retired',
    });
    await api.database.db.collection<typeof old>('executions').insertOne(old);
    expect(expectError(await reExecute({}, gone.task_id), 400, 'bad_request')).toBe(
      'There is no backend retired; this project may use simulator. There is no task CheckXyzzyPlugh.',
    );
  });
});

test('starting a single task needs the editor role, before its body is looked at', async () => {
  const other = await api.makeProject(stranger);
  for (const [url, body] of [
    ['/tasks/CheckRabi/execute', { chip_id: 'CHIP', qid: '0' }],
    [`/task-results/${source.task_id}/re-execute`, {}],
  ] as const) {
    const call: Call = { method: 'POST', text: '{' };
    expectError(await api.call(url, call), 401, 'not_authenticated');
    expectError(await api.as(viewer, laboratory.project)(url, call), 403, 'forbidden');
    expectError(await api.as(stranger, laboratory.project)(url, call), 403, 'forbidden');
    expectError(await api.as(stranger, newId())(url, call), 404, 'not_found');
    const elsewhere = { method: 'POST' as const, body };
    expectError(await api.as(stranger, other)(url, elsewhere), 404, 'not_found');
  }
});
