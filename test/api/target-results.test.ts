import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { TargetDocument, TargetKind } from '../../shared/domain/chips/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { keyOf, type ProjectId } from '../../shared/kernel/ids.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { taskNamed } from '../support/ids.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';
import { storedTask } from './laboratory.ts';

let api: Api;
let owner: Person;
let viewer: Person;
let stranger: Person;
let project: ProjectId;

/** A minute of 2 January 2026 in Tokyo, where the service's days begin. */
const minute = (value: number) => new Date(Date.UTC(2026, 0, 1, 15, value));
const day = '20260102';

const row = (fields: Partial<TaskResultDocument>) =>
  storedTask(project, owner, {
    output_parameters: {},
    output_parameter_names: [],
    end_at: fields.start_at ?? null,
    ...fields,
  });

/** A row of a coupling of the chip. */
const bell = (fields: Partial<TaskResultDocument>) =>
  row({ name: 'CheckBellState', task_type: 'coupling', ...fields });

const fidelity = (name: string, value: number, calibrated_at: Date | null) => ({
  parameter_name: name,
  qid_role: '',
  required: false,
  value,
  value_type: 'float',
  unit: '',
  description: '',
  calibrated_at: calibrated_at?.toISOString() ?? null,
  execution_id: '20260102-000',
  task_id: taskNamed(newId()),
});

async function setState(kind: TargetKind, qid: string, name: string, value: number) {
  await api.database.db
    .collection<TargetDocument>(`${kind}s`)
    .updateOne(
      { _id: keyOf(project, 'CHIP', qid) },
      { $set: { [`data.${name}`]: fidelity(name, value, null) } },
    );
}

async function addSnapshot(kind: TargetKind, qid: string, date: string, data: Record<string, unknown>) {
  const place = { project_id: project, chip_id: 'CHIP', qid, recorded_date: date };
  await api.database.db
    .collection<{ _id: string; data: Record<string, unknown> }>(`${kind}_history`)
    .insertOne({ _id: keyOf(project, 'CHIP', qid, date), data, ...place });
}

beforeAll(async () => {
  api = await startApi();
  [owner, viewer, stranger] = await Promise.all([api.makePerson(), api.makePerson(), api.makePerson()]);
  project = await api.makeProject(owner);
  await api.addMember(project, viewer, 'viewer');
  await api.as(owner, project)('/chips', { method: 'POST', body: { chip_id: 'CHIP', size: 4 } });
  await api.database.db.collection<TaskResultDocument>('task_results').insertMany([
    row({ task_id: taskNamed('before'), start_at: minute(-1) }),
    row({ task_id: taskNamed('first'), start_at: minute(0) }),
    row({ task_id: taskNamed('twin-a'), start_at: minute(5) }),
    row({ task_id: taskNamed('twin-b'), start_at: minute(5), status: 'failed', message: 'No fit.' }),
    row({ task_id: taskNamed('other-task'), start_at: minute(6), name: 'CheckRabi' }),
    row({ task_id: taskNamed('last'), start_at: minute(24 * 60 - 1), qid: '1' }),
    row({ task_id: taskNamed('after'), start_at: minute(24 * 60), qid: '1' }),
    row({ task_id: taskNamed('skipped'), start_at: null, qid: '2', status: 'skipped' }),
    bell({ task_id: taskNamed('bell-1'), start_at: minute(1), qid: '0-1' }),
    bell({ task_id: taskNamed('bell-2'), start_at: minute(2), qid: '0-1' }),
    bell({
      task_id: taskNamed('bell-3'),
      start_at: minute(3),
      qid: '1-0',
      status: 'running',
      end_at: null,
    }),
  ]);
  const x90 = (value: number, at: Date | null) => ({
    x90_gate_fidelity: fidelity('x90_gate_fidelity', value, at),
  });
  const bellState = (value: number, at: Date) => ({
    bell_state_fidelity: fidelity('bell_state_fidelity', value, at),
  });
  await addSnapshot('qubit', '0', day, x90(0.995, minute(5)));
  await addSnapshot('qubit', '1', day, x90(0.995, minute(-5)));
  await addSnapshot('qubit', '2', day, x90(0.99, minute(5)));
  await addSnapshot('qubit', '0', '20260101', x90(0.5, minute(-5)));
  await addSnapshot('coupling', '0-1', day, bellState(0.8, minute(2)));
  await addSnapshot('coupling', '1-0', day, bellState(0.75, minute(2)));
});
afterAll(() => api.close());

const ask = (path: string, query: Record<string, string> = {}) =>
  api.as(viewer, project)(`/task-results/${path}`, { query: { chip_id: 'CHIP', ...query } });
const byTarget = z.object({ task_name: z.string(), result: z.record(z.string(), z.looseObject({})) });

describe('the latest results of a coupling task', () => {
  test('hold every directed coupling: the newest result, a running one too, or an unshown pending', async () => {
    const { task_name, result } = read(byTarget, await ask('couplings/latest', { task: 'CheckBellState' }));
    expect(task_name).toBe('CheckBellState');
    expect(Object.keys(result)).toEqual(['0-1', '0-2', '1-0', '1-3', '2-0', '2-3', '3-1', '3-2']);
    expect(result['0-1']).toMatchObject({ task_id: 'bell-2', status: 'completed', default_view: true });
    expect(result['1-0']).toMatchObject({ task_id: 'bell-3', status: 'running' });
    expect(result['1-0']).not.toHaveProperty('end_at');
    expect(result['3-2']).toEqual({
      name: 'CheckBellState',
      status: 'pending',
      default_view: false,
      over_threshold: false,
    });
  });

  test('are over the threshold above a Bell state fidelity of 0.75', async () => {
    await setState('coupling', '0-1', 'bell_state_fidelity', 0.75);
    await setState('coupling', '1-0', 'bell_state_fidelity', 0.751);
    await setState('coupling', '1-3', 'x90_gate_fidelity', 0.999);
    const { result } = read(byTarget, await ask('couplings/latest', { task: 'CheckBellState' }));
    const over = Object.entries(result).filter(([, entry]) => entry.over_threshold);
    expect(over.map(([qid]) => qid)).toEqual(['1-0']);
  });
});

describe('the results of a day', () => {
  test('are the newest of the day in Tokyo, for the qubits recorded that day', async () => {
    const { task_name, result } = read(byTarget, await ask('qubits/history', { task: 'CheckT1', date: day }));
    expect(task_name).toBe('CheckT1');
    expect(Object.keys(result)).toEqual(['0', '1', '2']);
    expect(result['0']).toMatchObject({ task_id: 'twin-b', status: 'failed', message: 'No fit.' });
    expect(result['1']).toMatchObject({ task_id: 'last' });
    expect(result['2']).toMatchObject({ status: 'pending', default_view: true });
  });

  test('are over the threshold when the value in the snapshot was calibrated in that time', async () => {
    const { result } = read(byTarget, await ask('qubits/history', { task: 'CheckT1', date: day }));
    expect(Object.entries(result).map(([qid, entry]) => [qid, entry.over_threshold])).toEqual([
      ['0', true],
      ['1', false],
      ['2', false],
    ]);
    const earlier = { task: 'CheckT1', date: day, end_at: minute(5).toISOString() };
    expect(read(byTarget, await ask('qubits/history', earlier)).result['0']?.over_threshold).toBe(false);
    const bells = await ask('couplings/history', { task: 'CheckBellState', date: day });
    expect(read(byTarget, bells).result).toMatchObject({
      '0-1': { task_id: 'bell-2', over_threshold: true },
      '1-0': { task_id: 'bell-3', over_threshold: false },
    });
  });

  test('with bounds of their own are those from start_at on and before end_at, for the whole chip', async () => {
    const within = { start_at: minute(0).toISOString(), end_at: minute(5).toISOString() };
    const { result } = read(byTarget, await ask('qubits/history', { task: 'CheckT1', date: day, ...within }));
    expect(Object.keys(result)).toEqual(['0', '1', '2', '3']);
    expect(result['0']).toMatchObject({ task_id: 'first' });
    expect(result['1']).toMatchObject({ status: 'pending' });
    const wide = { start_at: minute(-1).toISOString(), end_at: minute(0).toISOString() };
    const wider = await ask('qubits/history', { task: 'CheckT1', date: day, ...wide });
    expect(read(byTarget, wider).result['0']).toMatchObject({ task_id: 'before' });
    const open = { start_at: minute(24 * 60 - 1).toISOString() };
    const rest = await ask('qubits/history', { task: 'CheckT1', date: day, ...open });
    expect(read(byTarget, rest).result).toMatchObject({
      '0': { status: 'pending' },
      '1': { task_id: 'last' },
    });
  });

  test('leave an unmeasured coupling out of the default view', async () => {
    const other = await ask('couplings/history', { task: 'CheckZX90', date: day });
    expect(read(byTarget, other).result['0-1']).toMatchObject({ status: 'pending', default_view: false });
  });

  test('are 404 for an unknown chip, and for a day on which nothing was recorded', async () => {
    const query = { task: 'CheckT1', date: day };
    expectError(await ask('qubits/history', { ...query, chip_id: 'NONE' }), 404, 'not_found');
    expectError(await ask('couplings/history', { ...query, date: '20260103' }), 404, 'not_found');
    const bounded = { ...query, date: '20260103', start_at: minute(0).toISOString() };
    read(byTarget, await ask('qubits/history', bounded));
  });

  test('are 422 without chip, task or date, or with one that is not a day', async () => {
    const none = await api.as(viewer, project)('/task-results/qubits/history');
    expectProblems(none, [
      ['missing', 'query', 'chip_id'],
      ['missing', 'query', 'task'],
      ['missing', 'query', 'date'],
    ]);
    for (const date of ['2026-01-02', '20260230', '2026012', '202601021', 'today', '']) {
      expectProblems(await ask('couplings/history', { task: 'CheckT1', date }), [
        ['date_parsing', 'query', 'date'],
      ]);
    }
    expectProblems(await ask('qubits/history', { task: 'CheckT1', date: day, end_at: 'noon' }), [
      ['datetime_parsing', 'query', 'end_at'],
    ]);
  });
});

describe('the results of one target', () => {
  const history = z.object({
    name: z.string(),
    data: z.record(z.string(), z.looseObject({})),
    total: z.number(),
    skip: z.number(),
    limit: z.number(),
  });

  test('are all of the task on it, newest first, skipped ones last', async () => {
    const qubit = read(history, await ask('qubits/0/history', { task: 'CheckT1' }));
    expect(qubit).toMatchObject({ name: 'CheckT1', total: 4, skip: 0, limit: 200 });
    expect(Object.keys(qubit.data)).toEqual(['twin-b', 'twin-a', 'first', 'before']);
    expect(qubit.data['twin-b']).toMatchObject({ task_id: 'twin-b', qid: '0', over_threshold: false });
    const coupling = read(history, await ask('couplings/0-1/history', { task: 'CheckBellState' }));
    expect(Object.keys(coupling.data)).toEqual(['bell-2', 'bell-1']);
    const never = read(history, await ask('couplings/3-2/history', { task: 'CheckBellState' }));
    expect(never).toMatchObject({ data: {}, total: 0 });
  });

  test('come in pages, with the count of all', async () => {
    const page = await ask('qubits/0/history', { task: 'CheckT1', skip: '1', limit: '2' });
    const shown = read(history, page);
    expect(Object.keys(shown.data)).toEqual(['twin-a', 'first']);
    expect(shown).toMatchObject({ total: 4, skip: 1, limit: 2 });
    expectProblems(await ask('qubits/0/history', { task: 'CheckT1', limit: '1001', skip: '-1' }), [
      ['greater_than_equal', 'query', 'skip'],
      ['less_than_equal', 'query', 'limit'],
    ]);
  });

  test('are 404 for an unknown chip or target, and 422 without a task', async () => {
    expectError(await ask('qubits/0/history', { chip_id: 'NONE', task: 'CheckT1' }), 404, 'not_found');
    expectError(await ask('qubits/9/history', { task: 'CheckT1' }), 404, 'not_found');
    expectError(await ask('qubits/0-1/history', { task: 'CheckT1' }), 404, 'not_found');
    expectError(await ask('couplings/0-3/history', { task: 'CheckT1' }), 404, 'not_found');
    expectProblems(await ask('couplings/0-1/history'), [['missing', 'query', 'task']]);
  });
});

test('results by target need a token and membership, and never leave their project', async () => {
  const other = await api.makeProject(stranger);
  await api.as(stranger, other)('/chips', { method: 'POST', body: { chip_id: 'CHIP', size: 4 } });
  const place = `chip_id=CHIP&task=CheckT1&date=${day}`;
  for (const path of [
    'couplings/latest',
    'qubits/history',
    'couplings/history',
    'qubits/0/history',
    'couplings/0-1/history',
  ]) {
    const url = `/task-results/${path}?${place}`;
    expectError(await api.call(url), 401, 'not_authenticated');
    expectError(await api.as(stranger, project)(url), 403, 'forbidden');
    expect((await api.as(stranger, other)(url)).text).not.toMatch(/twin|bell-|20260102-000/);
  }
});
