import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ExecutionDocument } from '../../shared/domain/executions/model.ts';
import { tagList } from '../../shared/domain/executions/model.ts';
import { exclusion } from '../../shared/domain/results/exclusion-model.ts';
import {
  outputSeries,
  type StoredParameter,
  type TaskResultDocument,
} from '../../shared/domain/results/model.ts';
import { NO_TASK, type ProjectId, type TaskId } from '../../shared/kernel/ids.ts';
import { executionNamed, taskNamed } from '../support/ids.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';
import { storedExecution, storedTask } from './laboratory.ts';

let api: Api;
let owner: Person;
let viewer: Person;
let project: ProjectId;

const minute = (value: number) => new Date(Date.UTC(2026, 0, 2, 3, value));
const window = { start_at: '2026-01-02T03:01:00Z', end_at: '2026-01-02T03:05:00Z' };

const t1 = (value: number, calibrated_at: string | null = null): Record<string, StoredParameter> => ({
  t1: {
    parameter_name: 't1',
    qid_role: '',
    required: false,
    value,
    value_type: 'float',
    unit: 'µs',
    description: 'Relaxation time',
    calibrated_at,
    execution_id: executionNamed('20260102-000'),
    task_id: NO_TASK,
  },
});

beforeAll(async () => {
  api = await startApi();
  [owner, viewer] = await Promise.all([api.makePerson(), api.makePerson()]);
  project = await api.makeProject(owner);
  await api.addMember(project, viewer, 'viewer');
  const row = (task_id: TaskId, at: number, fields: Partial<TaskResultDocument> = {}) =>
    storedTask(project, owner, { task_id, start_at: minute(at), ...fields });
  await api.database.db
    .collection<TaskResultDocument>('task_results')
    .insertMany([
      row(taskNamed('early'), 0, { output_parameters: t1(1) }),
      row(taskNamed('first'), 1, { output_parameters: t1(50, '2026-01-02T03:01:30.000Z') }),
      row(taskNamed('other-tag'), 2, { output_parameters: t1(51), tags: ['weekly'], end_at: minute(3) }),
      row(taskNamed('failed'), 3, { output_parameters: t1(52), status: 'failed' }),
      row(taskNamed('pair'), 4, { output_parameters: t1(53), qid: '0-1' }),
      row(taskNamed('last'), 5, { output_parameters: t1(54), qid: '1' }),
      row(taskNamed('late'), 6, { output_parameters: t1(55) }),
      row(taskNamed('nothing-found'), 4, { output_parameters: {}, output_parameter_names: [] }),
      row(taskNamed('elsewhere'), 4, { output_parameters: t1(56), chip_id: 'OTHER' }),
    ]);
  await api.database.db.collection<ExecutionDocument>('executions').insertMany([
    storedExecution(project, owner, {
      execution_id: executionNamed('20260102-001'),
      tags: ['weekly', 'daily'],
    }),
    storedExecution(project, owner, { execution_id: executionNamed('20260102-002'), tags: ['daily'] }),
  ]);
});
afterAll(() => api.close());

const series = async (query: Record<string, string> = {}) =>
  read(
    outputSeries,
    await api.as(viewer, project)('/task-results/timeseries', {
      query: { chip_id: 'CHIP', parameter: 't1', ...window, ...query },
    }),
  ).data;
const valuesOf = async (query: Record<string, string> = {}) =>
  Object.fromEntries(
    Object.entries(await series(query)).map(([qid, records]) => [qid, records.map(({ value }) => value)]),
  );
const exclude = (taskId: TaskId, body: unknown, person = owner) =>
  api.as(person, project)(`/task-results/${taskId}/exclude`, { method: 'POST', body });

describe('the time series of an output', () => {
  test('has the records of every target of the chip from start to end, both included, oldest first', async () => {
    expect(await valuesOf()).toEqual({ '0': [50, 51, 52], '0-1': [53], '1': [54] });
    const [first, second] = (await series())['0'] ?? [];
    expect(first).toEqual({
      parameter_name: 't1',
      qid_role: '',
      source: null,
      required: false,
      value: 50,
      value_type: 'float',
      error: null,
      unit: 'µs',
      description: 'Relaxation time',
      calibrated_at: '2026-01-02T03:01:30.000Z',
      execution_id: '20260102-000',
      task_id: '',
    });
    expect(second?.calibrated_at, 'of a record without it, when it was measured').toBe(
      '2026-01-02T03:03:00.000Z',
    );
  });

  test('is narrowed by target and by tag', async () => {
    expect(await valuesOf({ qid: '1' })).toEqual({ '1': [54] });
    expect(await valuesOf({ tag: 'weekly' })).toEqual({ '0': [51] });
    expect(await valuesOf({ tag: 'none' })).toEqual({});
    expect(await valuesOf({ chip_id: 'UNKNOWN' })).toEqual({});
    expect(await valuesOf({ parameter: 't2_echo' })).toEqual({});
  });

  test('leaves out what was excluded until it counts again', async () => {
    read(
      exclusion,
      await exclude(taskNamed('other-tag'), { excluded: true, reason: 'The fridge was warm.' }),
    );
    expect(await valuesOf({ qid: '0' })).toEqual({ '0': [50, 52] });
    read(exclusion, await exclude(taskNamed('other-tag'), { excluded: false }));
    expect(await valuesOf({ qid: '0' })).toEqual({ '0': [50, 51, 52] });
  });

  test('is 422 without its bounds, for a time that is none and for a name that is a path', async () => {
    const ask = (query: Record<string, string>) =>
      api.as(viewer, project)('/task-results/timeseries', { query });
    expectProblems(await ask({ chip_id: 'CHIP', parameter: 't1' }), [
      ['missing', 'query', 'start_at'],
      ['missing', 'query', 'end_at'],
    ]);
    const named = { chip_id: 'CHIP', ...window };
    expect((await ask({ ...named, parameter: 't1', start_at: 'yesterday' })).status).toBe(422);
    expect((await ask({ ...named, parameter: 't1.value' })).status).toBe(422);
    expect((await ask({ ...named, parameter: '$where' })).status).toBe(422);
  });
});

describe('excluding a result', () => {
  test('answers who did it, when and why; taking it back drops the reason', async () => {
    const excluded = read(
      exclusion,
      await exclude(taskNamed('first'), { excluded: true, reason: 'Bad fit.' }),
    );
    expect(excluded).toEqual({
      task_id: 'first',
      excluded: true,
      excluded_reason: 'Bad fit.',
      excluded_by_user_id: owner.id,
      excluded_by: owner.username,
      excluded_at: expect.stringMatching(/\.\d{3}Z$/),
    });
    const back = read(
      exclusion,
      await exclude(taskNamed('first'), { excluded: false, reason: 'It was right.' }),
    );
    expect(back).toMatchObject({ excluded: false, excluded_reason: '', excluded_by: owner.username });
    expect(
      read(exclusion, await exclude(taskNamed('first'), { excluded: true, reason: null })).excluded_reason,
    ).toBe('');
    read(exclusion, await exclude(taskNamed('first'), { excluded: false }));
  });

  test('is for editors, and 404 for a result of another project', async () => {
    expectError(await exclude(taskNamed('first'), { excluded: true }, viewer), 403, 'forbidden');
    expectError(await exclude(taskNamed('unknown'), { excluded: true }), 404, 'not_found');
    expectProblems(await exclude(taskNamed('first'), {}), [['missing', 'body', 'excluded']]);
    const stranger = await api.makePerson();
    const other = await api.makeProject(stranger);
    const answer = await api.as(stranger, other)('/task-results/first/exclude', {
      method: 'POST',
      body: { excluded: true },
    });
    expectError(answer, 404, 'not_found');
  });
});

test('the tags of a project are listed once each, by name', async () => {
  const answer = await api.as(viewer, project)('/tags');
  expect(read(tagList, answer)).toEqual({ tags: [{ name: 'daily' }, { name: 'weekly' }] });
});
