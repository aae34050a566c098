import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandSucceededEvent } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { TargetDocument, TargetKind } from '../../shared/domain/chips/model.ts';
import {
  chipMetrics,
  couplingMetricHistory,
  heatmap,
  metricsConfig,
  metricsSummary,
  qubitMetricHistory,
} from '../../shared/domain/metrics/model.ts';
import { storedParameter, type TaskResultDocument } from '../../shared/domain/results/model.ts';
import { keyOf, type ProjectId, type TaskId } from '../../shared/kernel/ids.ts';
import { executionNamed, taskNamed } from '../support/ids.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';
import { storedTask } from './laboratory.ts';

let api: Api;
let owner: Person;
let viewer: Person;
let project: ProjectId;

/** What the store answers to a question for documents. */
const batch = z.array(z.unknown()).optional();
const withBatch = z.object({
  cursor: z.object({ ns: z.string(), firstBatch: batch, nextBatch: batch }).optional(),
});

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
const record = (parameter_name: string, value: unknown, fields: Record<string, unknown> = {}) =>
  storedParameter.parse({ parameter_name, value, value_type: 'float', ...fields });

async function setState(
  { kind, qid }: { kind: TargetKind; qid: string },
  name: string,
  value: unknown,
  fields: { task_id?: TaskId; unit?: string; error?: number; calibrated_at?: string } = {},
) {
  await api.database.db
    .collection<TargetDocument>(`${kind}s`)
    .updateOne(
      { _id: keyOf(project, 'CHIP', qid) },
      { $set: { [`data.${name}`]: record(name, value, fields) } },
    );
}

/** A finished result that found one value. */
function found(
  task_id: TaskId,
  { name, value }: { name: string; value: unknown },
  hours: number,
  fields: Partial<TaskResultDocument> = {},
) {
  return storedTask(project, owner, {
    task_id,
    execution_id: executionNamed(`of-${task_id}`),
    start_at: hoursAgo(hours),
    end_at: hoursAgo(hours),
    output_parameters: { [name]: record(name, value, { error: 0.5, task_id }) },
    output_parameter_names: [name],
    ...fields,
  });
}

const results = () => api.database.db.collection<TaskResultDocument>('task_results');
const ask = (path: string, query?: Record<string, string>, person = viewer) =>
  api.as(person, project)(path, query && { query });
const exclude = (task_id: TaskId, excluded: boolean) =>
  api.as(owner, project)(`/task-results/${task_id}/exclude`, { method: 'POST', body: { excluded } });

beforeAll(async () => {
  api = await startApi();
  [owner, viewer] = await Promise.all([api.makePerson(), api.makePerson()]);
  project = await api.makeProject(owner);
  await api.addMember(project, viewer, 'viewer');
  const create = (chip_id: string) =>
    api.as(owner, project)('/chips', { method: 'POST', body: { chip_id, size: 4 } });
  await create('CHIP');
  await create('BLANK');
  await create('BUSY');
  const pair = { task_type: 'coupling', qid: '0-1' } as const;
  await results().insertMany([
    found(taskNamed('t1-old'), { name: 't1', value: 40 }, 30),
    found(taskNamed('t1-new'), { name: 't1', value: 60 }, 10),
    found(taskNamed('t1-failed'), { name: 't1', value: 99 }, 5, { status: 'failed' }),
    found(taskNamed('t1-other'), { name: 't1', value: 80 }, 20, { qid: '1' }),
    found(taskNamed('t1-excluded'), { name: 't1', value: 500 }, 1, {
      excluded: true,
      excluded_reason: 'Warm.',
      excluded_by: 'mia',
    }),
    found(taskNamed('t1-null'), { name: 't1', value: null }, 2, { qid: '2' }),
    found(taskNamed('t1-before-null'), { name: 't1', value: 70 }, 3, { qid: '2' }),
    found(taskNamed('anharmonicity'), { name: 'anharmonicity', value: -0.3 }, 3),
    found(taskNamed('length'), { name: 'hpi_length', value: 32 }, 3),
    found(taskNamed('not-a-metric'), { name: 'resonator_frequency', value: 10 }, 3),
    found(taskNamed('bell-old'), { name: 'bell_state_fidelity', value: 0.9 }, 9, pair),
    found(taskNamed('bell-new'), { name: 'bell_state_fidelity', value: 0.8 }, 8, pair),
    found(taskNamed('elsewhere'), { name: 't1', value: 1 }, 1, { chip_id: 'OTHER' }),
  ]);
});
afterAll(() => api.close());

describe('the summary of a chip', () => {
  test('is the mean of what its qubits have, for every metric of the configuration', async () => {
    await setState({ kind: 'qubit', qid: '0' }, 't1', 50, { task_id: taskNamed('t1-new'), unit: 'µs' });
    await setState({ kind: 'qubit', qid: '1' }, 't1', 70);
    await setState({ kind: 'qubit', qid: '2' }, 't1', null);
    await setState({ kind: 'qubit', qid: '3' }, 't1', 'broken');
    const { averages, ...summary } = read(metricsSummary, await ask('/chips/CHIP/metrics/summary'));
    expect(summary).toEqual({ chip_id: 'CHIP', qubit_count: 4 });
    expect(averages).toMatchObject({ t1: 60, t2_echo: null });
    const { qubit_metrics } = read(metricsConfig, await ask('/metrics/config'));
    expect(Object.keys(averages)).toEqual(Object.keys(qubit_metrics));
    expect(Object.keys(averages)).toHaveLength(16);
  });

  test('takes the newest value that counts in place of an excluded one', async () => {
    await exclude(taskNamed('t1-new'), true);
    expect(read(metricsSummary, await ask('/chips/CHIP/metrics/summary')).averages['t1']).toBe(55);
    const { values } = read(heatmap, await ask('/chips/CHIP/metrics/heatmap/t1'));
    expect(values).toEqual({ '0': 40, '1': 70, '2': null, '3': null });
    await exclude(taskNamed('t1-old'), true);
    expect(read(heatmap, await ask('/chips/CHIP/metrics/heatmap/t1')).values['0']).toBeNull();
    await Promise.all([exclude(taskNamed('t1-old'), false), exclude(taskNamed('t1-new'), false)]);
    expect(read(heatmap, await ask('/chips/CHIP/metrics/heatmap/t1')).values['0']).toBe(50);
  });

  test('takes a value given by hand in place of an excluded one, where that is the newest', async () => {
    const at = (task_id: TaskId, value: number, hours: number) =>
      api.areas.provenance.add({
        project_id: project,
        chip_id: 'EDITED',
        execution_id: executionNamed(task_id),
        task_id,
        task_name: 'ManualParameterEdit',
        task_type: 'qubit',
        qid: '0',
        status: 'completed',
        started_at: hoursAgo(hours),
        ended_at: hoursAgo(hours),
        outputs: [{ parameter_name: 't1', value, value_type: 'float', unit: 'µs', error: null }],
        used_entities: [],
      });
    await api.as(owner, project)('/chips', { method: 'POST', body: { chip_id: 'EDITED', size: 16 } });
    await results().insertMany([
      found(taskNamed('edited-old'), { name: 't1', value: 40 }, 30, { chip_id: 'EDITED' }),
      found(taskNamed('edited-new'), { name: 't1', value: 60 }, 10, { chip_id: 'EDITED' }),
    ]);
    const key = keyOf(project, 'EDITED', '0');
    await api.database.db
      .collection<TargetDocument>('qubits')
      .updateOne({ _id: key }, { $set: { 'data.t1': record('t1', 60, { task_id: 'edited-new' }) } });
    await at(taskNamed('by-hand'), 45, 20);
    await exclude(taskNamed('edited-new'), true);
    const shown = async () => read(heatmap, await ask('/chips/EDITED/metrics/heatmap/t1')).values['0'];
    expect(await shown()).toBe(45);
    await exclude(taskNamed('edited-new'), false);
    expect(await shown()).toBe(60);
  });

  test('is empty of numbers for a chip that was never calibrated, and 404 for one that is not there', async () => {
    const { averages } = read(metricsSummary, await ask('/chips/BLANK/metrics/summary'));
    expect(new Set(Object.values(averages))).toEqual(new Set([null]));
    expectError(await ask('/chips/NONE/metrics/summary'), 404, 'not_found');
  });
});

describe('the heat map of a metric', () => {
  test('has every qubit or coupling with its raw value or null, and the unit of the records', async () => {
    await setState({ kind: 'coupling', qid: '0-1' }, 'bell_state_fidelity', 0.93, {
      unit: 'a.u.',
      error: 0.01,
      calibrated_at: '2026-01-02T03:04:05.000Z',
    });
    expect(read(heatmap, await ask('/chips/CHIP/metrics/heatmap/t1'))).toEqual({
      chip_id: 'CHIP',
      metric: 't1',
      values: { '0': 50, '1': 70, '2': null, '3': null },
      unit: 'µs',
      errors: { '0': null, '1': null, '2': null, '3': null },
      calibrated_at: { '0': null, '1': null, '2': null, '3': null },
    });
    const pairs = read(heatmap, await ask('/chips/CHIP/metrics/heatmap/bell_state_fidelity'));
    expect(pairs.unit).toBe('a.u.');
    expect([pairs.errors['0-1'], pairs.calibrated_at['0-1']]).toEqual([0.01, '2026-01-02T03:04:05.000Z']);
    expect(pairs.values).toEqual({
      '0-1': 0.93,
      ...Object.fromEntries(['0-2', '1-0', '1-3', '2-0', '2-3', '3-1', '3-2'].map((pair) => [pair, null])),
    });
    expect(read(heatmap, await ask('/chips/BLANK/metrics/heatmap/t1')).unit).toBeNull();
  });

  test('is 404 for an unknown chip or metric, also for one that is a path', async () => {
    expectError(await ask('/chips/NONE/metrics/heatmap/t1'), 404, 'not_found');
    for (const metric of ['none', 'toString', 't1.value', '$where']) {
      expectError(await ask(`/chips/CHIP/metrics/heatmap/${metric}`), 404, 'not_found');
    }
  });
});

describe('the metrics of a chip from its results', () => {
  const path = '/metrics/chips/CHIP/metrics';
  const metrics = async (query: Record<string, string> = {}) => read(chipMetrics, await ask(path, query));

  test('are the newest that completed and count; a newest one without a value hides the older', async () => {
    const { qubit_metrics, coupling_metrics, ...rest } = await metrics();
    expect(rest).toEqual({
      chip_id: 'CHIP',
      username: viewer.username,
      qubit_count: 4,
      within_hours: null,
      start_at: null,
      end_at: null,
    });
    expect(qubit_metrics['t1']).toEqual({
      '0': { value: 60, task_id: 't1-new', execution_id: 'of-t1-new', stddev: 0.5 },
      '1': { value: 80, task_id: 't1-other', execution_id: 'of-t1-other', stddev: 0.5 },
    });
    expect(qubit_metrics['t2_echo']).toEqual({});
    expect(qubit_metrics).not.toHaveProperty('resonator_frequency');
    expect(coupling_metrics['bell_state_fidelity']?.['0-1']?.value).toBe(0.8);
    expect(Object.keys(coupling_metrics)).toHaveLength(5);
  });

  test('cost no look at the older results of a target', async () => {
    let given = 0;
    const count = ({ reply }: CommandSucceededEvent) => {
      const { cursor } = withBatch.parse(reply);
      if (cursor?.ns.endsWith('.task_results')) given += (cursor.firstBatch ?? cursor.nextBatch ?? []).length;
    };
    api.watched.client.on('commandSucceeded', count);
    const newest = async () => {
      given = 0;
      const { qubit_metrics } = read(
        chipMetrics,
        await ask('/metrics/chips/BUSY/metrics', { within_hours: '12' }),
      );
      return { t1: qubit_metrics['t1'], given };
    };
    const of = { chip_id: 'BUSY' };
    await results().insertMany([
      found(taskNamed('busy-0'), { name: 't1', value: 40 }, 4, of),
      found(taskNamed('busy-0-excluded'), { name: 't1', value: 90 }, 2, { ...of, excluded: true }),
      found(taskNamed('busy-1'), { name: 't1', value: 50 }, 3, { ...of, qid: '1' }),
      found(taskNamed('busy-2'), { name: 't1', value: 60 }, 20, { ...of, qid: '2' }),
    ]);
    const before = await newest();
    expect(before.t1).toMatchObject({ '0': { task_id: 'busy-0' }, '1': { task_id: 'busy-1' } });
    expect(Object.keys(before.t1 ?? {})).toHaveLength(2);
    await results().insertMany(
      Array.from({ length: 200 }, (_, n) =>
        found(taskNamed(`busy-old-${n}`), { name: 't1', value: n }, 5 + n / 100, {
          ...of,
          qid: String(n % 2),
        }),
      ),
    );
    expect(await newest()).toEqual(before);
    api.watched.client.off('commandSucceeded', count);
  });

  test('are the best, as each metric says what is better', async () => {
    const { qubit_metrics, coupling_metrics } = await metrics({ selection_mode: 'best' });
    expect(qubit_metrics['t1']?.['0']).toEqual({
      value: 60,
      task_id: 't1-new',
      execution_id: 'of-t1-new',
      stddev: null,
    });
    expect(qubit_metrics['t1']?.['2']?.value).toBe(70);
    expect(qubit_metrics['hpi_length']).toEqual({});
    expect(coupling_metrics['bell_state_fidelity']?.['0-1']?.value).toBe(0.9);
  });

  test('are the means', async () => {
    const { qubit_metrics } = await metrics({ selection_mode: 'average' });
    const { value, task_id, execution_id, stddev } = qubit_metrics['t1']?.['0'] ?? {};
    expect([value, task_id, execution_id]).toEqual([50, null, '']);
    expect(stddev).toBeCloseTo(Math.sqrt(200), 9);
    expect(qubit_metrics['t1']?.['1']?.stddev).toBeNull();
  });

  test('are of a time: hours back, or from and to, of which the beginning counts first', async () => {
    expect((await metrics({ within_hours: '15' })).qubit_metrics['t1']).not.toHaveProperty('1');
    expect((await metrics({ within_hours: '0' })).qubit_metrics['t1']?.['1']?.value).toBe(80);
    const end_at = hoursAgo(25).toISOString();
    const early = await metrics({ end_at });
    expect(early.qubit_metrics['t1']).toEqual({ '0': expect.objectContaining({ value: 40 }) });
    expect(early.end_at).toBe(end_at);
    const wide = await metrics({ within_hours: '1', start_at: hoursAgo(48).toISOString() });
    expect(wide.qubit_metrics['t1']?.['0']?.value).toBe(60);
    expect((await metrics({ start_at: '2020-01-01' })).start_at).toBe('2020-01-01T00:00:00.000Z');
  });

  test('are refused for a time that cannot be read or ends before it begins, and for an unknown chip', async () => {
    expectError(await ask(path, { start_at: 'yesterday' }), 400, 'bad_request');
    expectError(await ask(path, { start_at: '2026-01-02', end_at: '2026-01-01' }), 400, 'bad_request');
    expectError(await ask('/metrics/chips/NONE/metrics'), 404, 'not_found');
    expect((await ask(path, { selection_mode: 'worst' })).status).toBe(422);
    expectProblems(await ask(path, { within_hours: '-1' }), [
      ['greater_than_equal', 'query', 'within_hours'],
    ]);
  });
});

describe('the history of a metric', () => {
  test('has every value of a qubit, newest first, with what excluded it', async () => {
    const answer = await ask('/metrics/chips/CHIP/qubits/Q00/history', { metric: 't1' });
    const { history, ...rest } = read(qubitMetricHistory, answer);
    expect(rest).toEqual({ chip_id: 'CHIP', qid: 'Q00', metric_name: 't1', username: viewer.username });
    expect(history.map(({ task_id, value }) => [task_id, value])).toEqual([
      ['t1-excluded', 500],
      ['t1-failed', 99],
      ['t1-new', 60],
      ['t1-old', 40],
    ]);
    expect(history[0]).toMatchObject({
      name: 'CheckT1',
      execution_id: 'of-t1-excluded',
      timestamp: expect.stringMatching(/Z$/),
      calibrated_at: null,
      input_parameters: {},
      excluded: true,
      excluded_reason: 'Warm.',
      excluded_by: 'mia',
      excluded_by_user_id: '',
      excluded_at: null,
    });
    expect(history[3]).toMatchObject({ excluded: false, excluded_reason: '' });
  });

  test('skips null, and is bounded in number and days', async () => {
    const of = async (qid: string, query: Record<string, string>) =>
      read(
        qubitMetricHistory,
        await ask(`/metrics/chips/CHIP/qubits/${qid}/history`, { metric: 't1', ...query }),
      ).history.length;
    expect([
      await of('2', {}),
      await of('0', { limit: '2' }),
      await of('0', { within_days: '1' }),
      await of('3', {}),
      await of('0', { limit: '3', skip: '2' }),
    ]).toEqual([1, 2, 3, 0, 2]);
  });

  test('of a coupling is found by its id', async () => {
    const answer = await ask('/metrics/chips/CHIP/couplings/0-1/history', { metric: 'bell_state_fidelity' });
    const { qid, coupling_id, history } = read(couplingMetricHistory, answer);
    expect(qid).toBe('0-1');
    expect([coupling_id, history.map(({ value }) => value)]).toEqual(['0-1', [0.8, 0.9]]);
  });

  test('is 404 for what there is not, and 422 without a metric', async () => {
    const of = (path: string, metric = 't1') => ask(`/metrics/chips/${path}/history`, { metric });
    expectError(await of('NONE/qubits/0'), 404, 'not_found');
    expectError(await of('CHIP/qubits/9'), 404, 'not_found');
    expectError(await of('CHIP/qubits/0', 'zx90_gate_fidelity'), 404, 'not_found');
    expectError(await of('CHIP/couplings/0-3', 'zx90_gate_fidelity'), 404, 'not_found');
    expectProblems(await ask('/metrics/chips/CHIP/qubits/0/history'), [['missing', 'query', 'metric']]);
  });
});

describe('the report', () => {
  const report = (chip: string, query: Record<string, string> = {}) =>
    api.as(viewer, project)(`/metrics/chips/${chip}/metrics/pdf`, { method: 'POST', query });

  test('is a PDF of a page for what there is: cover, summary, a heat map a metric, distributions', async () => {
    const answer = await report('CHIP');
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/pdf']);
    expect(answer.headers['content-disposition']).toMatch(
      /^attachment; filename="metrics_report_CHIP_\d{8}_\d{6}\.pdf"$/,
    );
    expect(answer.bytes.subarray(0, 5).toString()).toBe('%PDF-');
    // cover, summary; t1, anharmonicity, hpi_length; Bell forward; coherence, coupling fidelity
    expect(answer.bytes.toString('latin1').match(/\/Type \/Page\b/g)).toHaveLength(8);
    const blank = await report('BLANK');
    expect(blank.bytes.toString('latin1').match(/\/Type \/Page\b/g)).toHaveLength(2);
  });

  test('is refused as the metrics are', async () => {
    expectError(await report('NONE'), 404, 'not_found');
    expectError(await report('CHIP', { start_at: 'x' }), 400, 'bad_request');
  });
});

test('the configuration of metrics is the operator’s: wrong content is refused when it is written', async () => {
  await mkdir(api.settings.CONFIG_PATH, { recursive: true });
  await writeFile(join(api.settings.CONFIG_PATH, 'metrics.yaml'), 'a: 1\n');
  const administrator = await api.makePerson({ system_role: 'admin' });
  const put = (content: string) =>
    api.as(administrator)('/files/content', { method: 'PUT', body: { path: 'metrics.yaml', content } });
  const message = expectError(await put('qubit_metrics: {}\n'), 400, 'invalid_configuration');
  expect(message).toContain('config/metrics.yaml is wrong');
});
