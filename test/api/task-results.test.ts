import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ChipDocument, TargetDocument } from '../../shared/domain/chips/model.ts';
import { type TaskResultDocument, taskResult } from '../../shared/domain/results/model.ts';
import { keyOf, type ProjectId, taskIdSchema } from '../../shared/kernel/ids.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { executionNamed, taskNamed } from '../support/ids.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';
import { storedTask } from './laboratory.ts';

let api: Api;
let owner: Person;
let stranger: Person;
let project: ProjectId;
let stored: TaskResultDocument[];

const taskDocument = (fields: Partial<TaskResultDocument> = {}) => storedTask(project, owner, fields);

const minute = (value: number) => new Date(Date.UTC(2026, 0, 2, 3, value));

beforeAll(async () => {
  api = await startApi();
  [owner, stranger] = await Promise.all([api.makePerson(), api.makePerson()]);
  project = await api.makeProject(owner);
  await api.as(owner, project)('/chips', { method: 'POST', body: { chip_id: 'CHIP', size: 4 } });
  stored = [
    taskDocument({ task_id: taskNamed('a'), start_at: minute(1) }),
    taskDocument({
      task_id: taskNamed('b'),
      start_at: minute(2),
      status: 'failed',
      message: 'R2 is (too) LOW.',
    }),
    taskDocument({ task_id: taskNamed('c'), start_at: minute(3), qid: '1', stack_trace: 'Error: x' }),
    taskDocument({
      task_id: taskNamed('d'),
      start_at: minute(4),
      name: 'CheckRabi',
      execution_id: executionNamed('20260102-001'),
    }),
    taskDocument({
      task_id: taskNamed('e'),
      start_at: minute(5),
      status: 'running',
      end_at: null,
      elapsed_time: null,
    }),
    taskDocument({
      task_id: taskNamed('f'),
      start_at: minute(6),
      chip_id: 'OTHER',
      source_task_id: taskNamed('a'),
    }),
  ];
  await api.database.db.collection<TaskResultDocument>('task_results').insertMany(stored);
});
afterAll(() => api.close());

const list = z.object({
  items: z.array(z.looseObject({ task_id: taskIdSchema })),
  total: z.number(),
  skip: z.number(),
  limit: z.number(),
  status_counts: z.record(z.string(), z.number()),
});

describe('the list of task results', () => {
  const find = async (query: Record<string, string> = {}) =>
    read(list, await api.as(owner, project)('/task-results', { query }));
  const idsOf = async (query: Record<string, string>) =>
    (await find(query)).items.map((each) => each.task_id);

  test('is newest first, with counts per status', async () => {
    const found = await find();
    expect(found.items.map((each) => each.task_id)).toEqual(['f', 'e', 'd', 'c', 'b', 'a']);
    expect(found).toMatchObject({
      total: 6,
      skip: 0,
      limit: 50,
      status_counts: { completed: 4, failed: 1, running: 1 },
    });
    expect(found.items[4]).toEqual({
      task_id: 'b',
      task_name: 'CheckT1',
      qid: '0',
      chip_id: 'CHIP',
      status: 'failed',
      execution_id: '20260102-000',
      user_id: owner.id,
      username: owner.username,
      message: 'R2 is (too) LOW.',
      has_stack_trace: false,
      source_task_id: '',
      start_at: '2026-01-02T03:02:00.000Z',
      end_at: '2026-01-02T03:05:15.678Z',
      elapsed_time: '0:01:10',
      ai_review_status: '',
    });
  });

  test('leaves out what is not known, unlike other answers', async () => {
    const running = (await find({ status: 'running' })).items[0];
    expect(Object.keys(running ?? {})).not.toContain('end_at');
    expect(Object.keys(running ?? {})).not.toContain('elapsed_time');
  });

  test('takes every filter, and counts statuses without the status filter', async () => {
    expect(await idsOf({ chip_id: 'CHIP', qid: '1' })).toEqual(['c']);
    expect(await idsOf({ task_name: 'CheckRabi' })).toEqual(['d']);
    expect(await idsOf({ execution_id: '20260102-001' })).toEqual(['d']);
    expect(await idsOf({ username: 'nobody' })).toEqual([]);
    expect(await idsOf({ message_contains: '(TOO) low.' })).toEqual(['b']);
    expect(await idsOf({ chip_id: 'NONE' })).toEqual([]);
    const failed = await find({ status: 'failed' });
    expect(failed.items.map((each) => each.task_id)).toEqual(['b']);
    expect(failed).toMatchObject({ total: 1, status_counts: { completed: 4, failed: 1, running: 1 } });
    for (const status of ['no such status', 'constructor', 'toString', '__proto__']) {
      expect((await find({ status })).total).toBe(0);
    }
  });

  test.each(['\u2028', '\u2029', '\n', '\\u', '(?<x>', '\ud800'])(
    'can be asked for a message with %j',
    async (part) => {
      const answer = await api.as(owner, project)('/task-results', { query: { message_contains: part } });
      expect(answer.status).toBe(200);
    },
  );

  test('cannot be asked for a message with a NUL', async () => {
    const answer = await api.as(owner, project)('/task-results', { query: { message_contains: 'a\0b' } });
    expectProblems(answer, [['value_error', 'query', 'message_contains']]);
  });

  test('takes times with an offset, without one as UTC, and bounds that count', async () => {
    expect(await idsOf({ start_from: '2026-01-02T03:05:00Z' })).toEqual(['f', 'e']);
    expect(await idsOf({ start_from: '2026-01-02T12:05:00+09:00' })).toEqual(['f', 'e']);
    expect(await idsOf({ start_from: '2026-01-02T03:05:00.000' })).toEqual(['f', 'e']);
    expect(await idsOf({ start_to: '2026-01-02T03:02:00Z' })).toEqual(['b', 'a']);
    expect(await idsOf({ start_to: '2026-01-02' })).toEqual([]);
    expect(await idsOf({ start_from: '2026-01-02', start_to: '2026-01-03' })).toHaveLength(6);
  });

  test('comes in pages', async () => {
    const page = await find({ skip: '2', limit: '2' });
    expect(page.items.map((each) => each.task_id)).toEqual(['d', 'c']);
    expect(page).toMatchObject({ total: 6, skip: 2, limit: 2 });
  });

  test('is 422 for a page or a time of the wrong form', async () => {
    const at = (query: Record<string, string>) => api.as(owner, project)('/task-results', { query });
    expectProblems(await at({ limit: '101' }), [['less_than_equal', 'query', 'limit']]);
    expectProblems(await at({ skip: '-1' }), [['greater_than_equal', 'query', 'skip']]);
    for (const start_from of [
      'yesterday',
      '2026-13-01',
      '2026-01-02T25:00Z',
      '2026-02-30',
      '2026-02-29T01:00:00Z',
      '1',
      '',
    ]) {
      expectProblems(await at({ start_from }), [['datetime_parsing', 'query', 'start_from']]);
    }
  });
});

describe('the latest results of a task', () => {
  const latest = (query: Record<string, string>) =>
    api.as(owner, project)('/task-results/qubits/latest', { query });
  const answer = z.object({ task_name: z.string(), result: z.record(z.string(), z.looseObject({})) });

  test('hold every qubit: the newest result, a running one too, or pending', async () => {
    const { task_name, result } = read(answer, await latest({ chip_id: 'CHIP', task: 'CheckT1' }));
    expect(task_name).toBe('CheckT1');
    expect(Object.keys(result)).toEqual(['0', '1', '2', '3']);
    expect(result['0']).toMatchObject({
      task_id: 'e',
      status: 'running',
      default_view: true,
      over_threshold: false,
    });
    expect(result['0']).not.toHaveProperty('end_at');
    expect(result['1']).toMatchObject({
      task_id: 'c',
      name: 'CheckT1',
      execution_id: '20260102-000',
      output_parameters: { t1: { value: 51.5, unit: 'µs' } },
      ai_review: { status: '' },
    });
    expect(result['2']).toEqual({
      name: 'CheckT1',
      status: 'pending',
      default_view: true,
      over_threshold: false,
    });
  });

  test('are over the threshold as the calibration state says, whichever task is requested', async () => {
    const state = api.database.db.collection<TargetDocument>('qubits');
    const fidelities = { '0': 0.991, '1': 0.99, '3': 0.9999 };
    for (const [qid, value] of Object.entries(fidelities)) {
      await state.updateOne(
        { _id: keyOf(project, 'CHIP', qid) },
        { $set: { 'data.x90_gate_fidelity': { parameter_name: 'x90_gate_fidelity', value } } },
      );
    }
    for (const task of ['CheckT1', 'Unknown']) {
      const { result } = read(answer, await latest({ chip_id: 'CHIP', task }));
      const flags = Object.entries(result).map(([qid, entry]) => [qid, entry.over_threshold]);
      expect(Object.fromEntries(flags)).toEqual({ '0': true, '1': false, '2': false, '3': true });
    }
    await state.updateMany(
      { project_id: project, chip_id: 'CHIP' },
      { $unset: { 'data.x90_gate_fidelity': '' } },
    );
  });

  test('do not look at what the listed task itself gave', async () => {
    const given = stored[2]?.output_parameters.t1;
    if (!given) throw new Error('no such output');
    const fidelity = { ...given, parameter_name: 'x90_gate_fidelity', value: 0.999 };
    await api.database.db
      .collection<TaskResultDocument>('task_results')
      .updateOne({ task_id: taskNamed('c') }, { $set: { 'output_parameters.x90_gate_fidelity': fidelity } });
    const { result } = read(answer, await latest({ chip_id: 'CHIP', task: 'CheckT1' }));
    expect(result['1']).toMatchObject({ task_id: 'c', over_threshold: false });
  });

  test('are 404 for a chip whose creation still goes on', async () => {
    await api.as(owner, project)('/chips', { method: 'POST', body: { chip_id: 'HALF', size: 4 } });
    await api.database.db
      .collection<ChipDocument>('chips')
      .updateOne({ _id: keyOf(project, 'HALF') }, { $set: { complete: false, created_at: new Date() } });
    expectError(await latest({ chip_id: 'HALF', task: 'CheckT1' }), 404, 'not_found');
  });

  test('are all pending for a task that never ran', async () => {
    const { result } = read(answer, await latest({ chip_id: 'CHIP', task: 'Unknown' }));
    expect(Object.values(result).map((each) => each.status)).toEqual([
      'pending',
      'pending',
      'pending',
      'pending',
    ]);
  });

  test('are 404 for an unknown chip and 422 without chip or task', async () => {
    expectError(await latest({ chip_id: 'NONE', task: 'CheckT1' }), 404, 'not_found');
    expectProblems(await latest({}), [
      ['missing', 'query', 'chip_id'],
      ['missing', 'query', 'task'],
    ]);
  });
});

describe('one task result', () => {
  const get = (id: string) => api.as(owner, project)(`/tasks/${id}/result`);

  test('is shown in full, with null for what is not known', async () => {
    expect(read(taskResult, await get('a'))).toMatchObject({
      task_id: 'a',
      task_name: 'CheckT1',
      flow_name: '',
      chip_id: 'CHIP',
      output_parameters: { t1: { value: 51.5, error: null, source: null } },
      output_parameter_names: ['t1'],
      run_parameters: { shots: { value: 1024 } },
      figure_path: ['/data/fig/a.png'],
      raw_data_path: ['/data/raw_data/a.nc'],
      tags: ['daily'],
      re_executions: [{ task_id: 'f', task_name: 'CheckT1', qid: '0', status: 'completed' }],
      start_at: '2026-01-02T03:01:00.000Z',
      elapsed_time: '0:01:10',
      ai_review_note: { content: '', updated_by: '', updated_at: null },
    });
    expect(read(taskResult, await get('e'))).toMatchObject({ end_at: null, elapsed_time: null });
  });

  test('is 404 for an unknown id of any form', async () => {
    for (const id of ['unknown', newId(), '%2e%2e', 'x'.repeat(500)]) {
      expectError(await get(id), 404, 'not_found');
    }
  });
});

test('results of two projects never meet', async () => {
  const other = await api.makeProject(stranger);
  const as = api.as(stranger, other);
  await as('/chips', { method: 'POST', body: { chip_id: 'CHIP', size: 4 } });
  expect(read(list, await as('/task-results'))).toMatchObject({ items: [], total: 0, status_counts: {} });
  expectError(await as('/tasks/a/result'), 404, 'not_found');
  const latest = await as('/task-results/qubits/latest', { query: { chip_id: 'CHIP', task: 'CheckT1' } });
  expect(latest.text).not.toContain('51.5');
});

test('results need a token and membership', async () => {
  for (const url of [
    '/task-results',
    '/task-results/qubits/latest?chip_id=CHIP&task=CheckT1',
    '/tasks/a/result',
  ]) {
    expectError(await api.call(url), 401, 'not_authenticated');
    expectError(await api.as(stranger, project)(url), 403, 'forbidden');
    expectError(await api.as(stranger, newId())(url), 404, 'not_found');
  }
});
