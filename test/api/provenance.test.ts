import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lineage, provenanceHistory } from '../../shared/domain/provenance/model.ts';
import { entityId } from '../../shared/domain/provenance/rules.ts';
import { newId } from '../../shared/kernel/ids.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';

let api: Api;
let owner: Person;
let stranger: Person;
let project: string;

const t1Of = (task: string) => entityId('t1', '0', '20260102-000', task);

beforeAll(async () => {
  api = await startApi();
  [owner, stranger] = await Promise.all([api.makePerson(), api.makePerson()]);
  project = await api.makeProject(owner);
  const { provenance: store } = api.areas;
  for (let index = 0; index < 4; index += 1) {
    await store.add({
      project_id: project,
      chip_id: 'CHIP',
      execution_id: '20260102-000',
      task_id: `task-${index}`,
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

  test('knows a qubit by each of its names', async () => {
    for (const qid of ['0', 'Q0', 'Q00', 'q0']) {
      const history = read(
        provenanceHistory,
        await get('/provenance/history', { parameter_name: 't1', qid }),
      );
      expect(history.versions).toHaveLength(4);
    }
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

  test('goes as deep as it is told, 1 to 20', async () => {
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
