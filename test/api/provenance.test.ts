import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  comparison,
  degradationTrends,
  lineage,
  parameterChanges,
  parameterVersion,
  provenanceExecutions,
  provenanceHistory,
  provenanceStats,
  recommendations,
} from '../../shared/domain/provenance/model.ts';
import { entityId, provenanceQid } from '../../shared/domain/provenance/rules.ts';
import type { ProjectId } from '../../shared/kernel/ids.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { executionNamed, taskNamed } from '../support/ids.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';

let api: Api;
let owner: Person;
let stranger: Person;
let project: ProjectId;

const t1Of = (task: string) => entityId('t1', '0', executionNamed('20260102-000'), taskNamed(task));

beforeAll(async () => {
  api = await startApi();
  [owner, stranger] = await Promise.all([api.makePerson(), api.makePerson()]);
  project = await api.makeProject(owner);
  const { provenance: store } = api.areas;
  for (let index = 0; index < 4; index += 1) {
    await store.add({
      project_id: project,
      chip_id: 'CHIP',
      execution_id: executionNamed('20260102-000'),
      task_id: taskNamed(`task-${index}`),
      task_name: 'CheckT1',
      task_type: 'qubit',
      qid: '0',
      status: 'completed',
      started_at: new Date(Date.UTC(2026, 0, 2, 0, index)),
      ended_at: new Date(Date.UTC(2026, 0, 2, 0, index, 30)),
      outputs: [{ parameter_name: 't1', value: 50 + index, value_type: 'float', unit: 'µs', error: 0.5 }],
      used_entities: index === 0 ? [] : [t1Of(`task-${index - 1}`)],
    });
  }
});
afterAll(() => api.close());

const get = (url: string, query: Record<string, string> = {}) => api.as(owner, project)(url, { query });
const lineageOf = (id: string, query?: Record<string, string>) =>
  get(`/provenance/lineage/${encodeURIComponent(id)}`, query);

describe('the history of a parameter', () => {
  test('is newest first, each version with what it is', async () => {
    const history = read(
      provenanceHistory,
      await get('/provenance/history', { parameter_name: 't1', qid: '0' }),
    );
    expect(history).toMatchObject({ parameter_name: 't1', total_versions: 4 });
    expect(history.versions.map((each) => [each.version, each.value])).toEqual([
      [4, 53],
      [3, 52],
      [2, 51],
      [1, 50],
    ]);
    expect(history.versions[0]).toMatchObject({
      entity_id: t1Of('task-3'),
      task_name: 'CheckT1',
      unit: 'µs',
      valid_from: expect.stringMatching(/\.\d{3}Z$/),
      valid_until: null,
      project_id: project,
      chip_id: 'CHIP',
    });
    expect(history.versions[1]?.valid_until).toBe(history.versions[0]?.valid_from);
  });

  test('is that of one chip where a chip is named, and each chip has one current version', async () => {
    const two = await api.makeProject(owner);
    for (const [index, chip_id] of ['A', 'B', 'A'].entries()) {
      await api.areas.provenance.add({
        project_id: two,
        chip_id,
        execution_id: executionNamed(`20260102-00${index}`),
        task_id: taskNamed(`task-${index}`),
        task_name: 'CheckT1',
        task_type: 'qubit',
        qid: '0',
        status: 'completed',
        started_at: new Date(Date.UTC(2026, 0, 2, 0, index)),
        ended_at: new Date(),
        outputs: [{ parameter_name: 't1', value: 50 - index, value_type: 'float', unit: 'µs', error: null }],
        used_entities: [],
      });
    }
    const as = api.as(owner, two);
    const query = { parameter_name: 't1', qid: '0' };
    const of = async (chip: Record<string, string>) =>
      read(provenanceHistory, await as('/provenance/history', { query: { ...query, ...chip } }));
    const all = await of({});
    expect(all.total_versions).toBe(3);
    const current = all.versions.filter(({ valid_until }) => valid_until === null);
    expect(current.map(({ chip_id }) => chip_id).sort()).toEqual(['A', 'B']);
    const ofA = await of({ chip_id: 'A' });
    expect(ofA.versions.map(({ chip_id, version }) => [chip_id, version])).toEqual([
      ['A', 2],
      ['A', 1],
    ]);
    expect(ofA.total_versions).toBe(2);
    expect((await of({ chip_id: 'C' })).versions).toEqual([]);
    const changes = async (chip: Record<string, string>) =>
      read(parameterChanges, await as('/provenance/changes', { query: chip })).changes;
    expect((await changes({})).map(({ chip_id }) => chip_id)).toEqual(['A']);
    expect(await changes({ chip_id: 'B' })).toEqual([]);
  });

  test('knows a qubit by each of its names', async () => {
    for (const qid of ['0', 'Q0', 'Q00', 'q0']) {
      const history = read(
        provenanceHistory,
        await get('/provenance/history', { parameter_name: 't1', qid }),
      );
      expect(history.versions).toHaveLength(4);
    }
  });

  test('rounds no number: a qubit beyond 2^53 is no qubit', async () => {
    const history = (qid: string) => get('/provenance/history', { parameter_name: 't1', qid });
    for (const qid of ['9007199254740993', 'Q9007199254740992', `0-${'9'.repeat(400)}`]) {
      expectProblems(await history(qid), [['value_error', 'query', 'qid']]);
    }
    expect(read(provenanceHistory, await history('9007199254740991')).qid).toBe('Q9007199254740991');
    expect(provenanceQid('9007199254740993')).toBe('Q9007199254740993');
  });

  test('is cut at the limit, and empty for what is unknown', async () => {
    const short = await get('/provenance/history', { parameter_name: 't1', qid: '0', limit: '2' });
    expect(read(provenanceHistory, short).versions.map((each) => each.version)).toEqual([4, 3]);
    const unknown = await get('/provenance/history', { parameter_name: 'nothing', qid: '99' });
    expect(read(provenanceHistory, unknown)).toMatchObject({ versions: [], total_versions: 0 });
  });

  test('is 422 without parameter or qubit, or with a limit out of bounds', async () => {
    expectProblems(await get('/provenance/history'), [
      ['missing', 'query', 'parameter_name'],
      ['missing', 'query', 'qid'],
    ]);
    const limited = (limit: string) => get('/provenance/history', { parameter_name: 't1', qid: '0', limit });
    expectProblems(await limited('0'), [['greater_than_equal', 'query', 'limit']]);
    expectProblems(await limited('101'), [['less_than_equal', 'query', 'limit']]);
  });
});

describe('the lineage of a version', () => {
  test('is its ancestors, five edges deep by default, without dangling edges', async () => {
    const graph = read(lineage, await lineageOf(t1Of('task-3')));
    expect(graph).toMatchObject({ max_depth: 5, truncated: false });
    expect(graph.origin).toMatchObject({
      node_id: t1Of('task-3'),
      node_type: 'entity',
      depth: 0,
      activity: null,
    });
    const known = new Set(graph.nodes.map((node) => node.node_id));
    expect(known.size).toBe(graph.nodes.length);
    for (const edge of graph.edges) {
      expect(known.has(edge.source_id) && known.has(edge.target_id)).toBe(true);
    }
    expect(graph.edges).toContainEqual({
      relation_type: 'wasDerivedFrom',
      source_id: t1Of('task-3'),
      target_id: t1Of('task-2'),
    });
  });

  test('goes as deep as requested, 1 to 20', async () => {
    const near = read(lineage, await lineageOf(t1Of('task-3'), { max_depth: '1' }));
    expect(Math.max(...near.nodes.map((node) => node.depth))).toBe(1);
    expect(read(lineage, await lineageOf(t1Of('task-3'), { max_depth: '20' })).nodes).toHaveLength(8);
    expectProblems(await lineageOf(t1Of('task-3'), { max_depth: '0' }), [
      ['greater_than_equal', 'query', 'max_depth'],
    ]);
    expectProblems(await lineageOf(t1Of('task-3'), { max_depth: '21' }), [
      ['less_than_equal', 'query', 'max_depth'],
    ]);
  });

  test('is 404 for an unknown version, whatever its id looks like', async () => {
    for (const id of ['unknown', 't1:Q0:x:y', '..', `${project}/x`]) {
      expectError(await lineageOf(id), 404, 'not_found');
    }
  });
});

test('one version is shown with all that is known of it, an unknown one is 404', async () => {
  const found = read(parameterVersion, await get(`/provenance/entities/${t1Of('task-2')}`));
  expect(found).toMatchObject({ entity_id: t1Of('task-2'), version: 3, value: 52, error: 0.5 });
  expectError(await get('/provenance/entities/unknown'), 404, 'not_found');
});

test('the impact of a version is what was made from it, in the direction in which it was made', async () => {
  const graph = read(lineage, await get(`/provenance/impact/${t1Of('task-0')}`, { max_depth: '2' }));
  expect(graph).toMatchObject({ max_depth: 2, truncated: false, origin: { node_id: t1Of('task-0') } });
  expect(graph.origin.latest_version).toBe(4);
  const later = graph.nodes.filter(({ node_type }) => node_type === 'entity').map(({ node_id }) => node_id);
  expect(later).toEqual([t1Of('task-0'), t1Of('task-1'), t1Of('task-2')]);
  expect(graph.edges).toContainEqual({
    relation_type: 'used',
    source_id: 'activity:CheckT1:20260102-000:task-1',
    target_id: t1Of('task-0'),
  });
  expectError(await get('/provenance/impact/unknown'), 404, 'not_found');
});

test('recommendations name the tasks that measured with a version, nearest first', async () => {
  const found = read(recommendations, await get(`/provenance/recommendations/${t1Of('task-0')}`));
  expect(found).toMatchObject({
    source_entity_id: t1Of('task-0'),
    source_parameter_name: 't1',
    source_qid: 'Q0',
    recommended_tasks: [
      { task_name: 'CheckT1', priority: 1, affected_parameters: ['t1'], affected_qids: ['Q0'] },
    ],
    total_affected_parameters: 1,
  });
  expectError(await get('/provenance/recommendations/unknown'), 404, 'not_found');
});

describe('beside each other', () => {
  let both: ProjectId;
  const inBoth = (url: string, query: Record<string, string | string[]> = {}) =>
    api.as(owner, both)(url, { query });

  beforeAll(async () => {
    both = await api.makeProject(owner);
    const now = Date.now();
    const make = (name: string, minutesAgo: number, qid: string, values: Record<string, number>) =>
      api.areas.provenance.add({
        project_id: both,
        chip_id: 'CHIP',
        execution_id: executionNamed(name),
        task_id: taskNamed(`${name}-${qid}-${minutesAgo}`),
        task_name: 'CheckT1',
        task_type: 'qubit',
        qid,
        status: 'completed',
        started_at: new Date(now - minutesAgo * 60_000),
        ended_at: new Date(now - minutesAgo * 60_000),
        outputs: Object.entries(values).map(([parameter_name, value]) => ({
          parameter_name,
          value,
          value_type: 'float',
          unit: 'us',
          error: parameter_name === 't1' && qid === '2' ? value / 40 : null,
        })),
        used_entities: [],
      });
    await make('first', 3000, '10', { t1: 60, gone: 1, same: 7 });
    await make('first', 2999, '2', { t1: 80 });
    await make('second', 30, '2', { t1: 60 });
    await make('second', 20, '10', { t1: 50, new: 2, same: 7 });
    await make('third', 15, '10', { t1: 40 });
    await make('third', 10, '10', { t1: 30 });
  });

  test('two executions are compared parameter by parameter, and what stayed is counted', async () => {
    const query = { execution_id_before: 'first', execution_id_after: 'second' };
    const found = read(comparison, await inBoth('/provenance/compare', query));
    const unknownErrors = { error_before: null, error_after: null, unit: 'us' };
    const nothing = { ...unknownErrors, delta: null, delta_percent: null };
    expect(found).toEqual({
      ...query,
      added_parameters: [
        { parameter_name: 'new', qid: 'Q10', value_before: null, value_after: 2, ...nothing },
      ],
      removed_parameters: [
        { parameter_name: 'gone', qid: 'Q10', value_before: 1, value_after: null, ...nothing },
      ],
      changed_parameters: [
        {
          parameter_name: 't1',
          qid: 'Q2',
          value_before: 80,
          value_after: 60,
          error_before: 2,
          error_after: 1.5,
          unit: 'us',
          delta: -20,
          delta_percent: -25,
        },
        {
          parameter_name: 't1',
          qid: 'Q10',
          value_before: 60,
          value_after: 50,
          ...unknownErrors,
          delta: -10,
          delta_percent: expect.closeTo(-16.667, 3),
        },
      ],
      unchanged_count: 1,
    });
    const unknown = await inBoth('/provenance/compare', {
      execution_id_before: 'never',
      execution_id_after: 'never',
    });
    expect(read(comparison, unknown)).toMatchObject({ changed_parameters: [], unchanged_count: 0 });
  });

  test('statistics count what is there, and show the newest versions first', async () => {
    const found = read(provenanceStats, await inBoth('/provenance/stats'));
    expect(found).toMatchObject({
      total_entities: 10,
      total_activities: 6,
      total_relations: 15,
      relation_counts: { wasGeneratedBy: 10, wasDerivedFrom: 5 },
    });
    expect(found.relation_counts).not.toHaveProperty('used');
    expect(found.recent_entities.map(({ value }) => value).slice(0, 2)).toEqual([30, 40]);
    expect(found.recent_entities).toHaveLength(10);
  });

  test('executions are listed by their newest version, as many as asked for', async () => {
    const found = read(provenanceExecutions, await inBoth('/provenance/executions'));
    expect(found.executions.map(({ execution_id }) => execution_id)).toEqual(['third', 'second', 'first']);
    const one = read(provenanceExecutions, await inBoth('/provenance/executions', { limit: '1' }));
    expect(one.executions).toEqual([found.executions[0]]);
    expectProblems(await inBoth('/provenance/executions', { limit: '51' }), [
      ['less_than_equal', 'query', 'limit'],
    ]);
  });

  test('changes are those of the last hours that replaced a value, each with what it replaced', async () => {
    const found = read(parameterChanges, await inBoth('/provenance/changes', { limit: '2' }));
    expect(found.total_count).toBe(5);
    expect(found.changes).toMatchObject([
      { parameter_name: 't1', qid: 'Q10', value: 30, previous_value: 40, delta: -10, delta_percent: -25 },
      { parameter_name: 't1', value: 40, previous_value: 50, version: 3, error: 0, previous_error: 0 },
    ]);
    const named = await inBoth('/provenance/changes', { parameter_names: ['same', 'new'] });
    expect(read(parameterChanges, named)).toMatchObject({ total_count: 1, changes: [{ delta: 0 }] });
    const older = read(parameterChanges, await inBoth('/provenance/changes', { within_hours: '168' }));
    expect(older.total_count).toBe(5);
    await api.database.db
      .collection('provenance_entities')
      .updateMany({ project_id: both, execution_id: 'second' }, { $set: { valid_from: new Date(0) } });
    expect(read(parameterChanges, await inBoth('/provenance/changes')).total_count).toBe(2);
    expectProblems(await inBoth('/provenance/changes', { within_hours: '169' }), [
      ['less_than_equal', 'query', 'within_hours'],
    ]);
  });

  test('a metric that became worse three times in a row is a trend, one that did so once is none', async () => {
    const found = read(degradationTrends, await inBoth('/provenance/degradation-trends'));
    expect(found).toMatchObject({
      total_count: 1,
      trends: [
        {
          parameter_name: 't1',
          qid: 'Q10',
          evaluation_mode: 'maximize',
          streak_count: 3,
          total_delta: -30,
          total_delta_percent: -50,
          delta_per_step: -10,
          current_value: 30,
          values: [60, 50, 40, 30],
        },
      ],
    });
    const longer = read(
      degradationTrends,
      await inBoth('/provenance/degradation-trends', { min_streak: '4' }),
    );
    expect(longer).toEqual({ trends: [], total_count: 0 });
    const others = await inBoth('/provenance/degradation-trends', { parameter_names: ['t2_echo'] });
    expect(read(degradationTrends, others).trends).toEqual([]);
  });
});

test('provenance of two projects never meets', async () => {
  const other = await api.makeProject(stranger);
  const as = api.as(stranger, other);
  const history = await as('/provenance/history', { query: { parameter_name: 't1', qid: '0' } });
  expect(read(provenanceHistory, history).versions).toEqual([]);
  expectError(await as(`/provenance/lineage/${t1Of('task-3')}`), 404, 'not_found');
});

test('provenance needs a token and membership', async () => {
  for (const url of [
    '/provenance/history?parameter_name=t1&qid=0',
    `/provenance/lineage/${t1Of('task-3')}`,
  ]) {
    expectError(await api.call(url), 401, 'not_authenticated');
    expectError(await api.as(stranger, project)(url), 403, 'forbidden');
    expectError(await api.as(stranger, newId())(url), 404, 'not_found');
  }
});
