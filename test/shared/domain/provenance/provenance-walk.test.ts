import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LineageEdge } from '../../../../shared/domain/provenance/model.ts';
import {
  activityId,
  entityId,
  provenanceQid,
  walkBreadthFirst,
} from '../../../../shared/domain/provenance/rules.ts';
import { executionNamed, taskNamed } from '../../../support/ids.ts';

const edge = (source_id: string, target_id: string): LineageEdge => ({
  relation_type: 'used',
  source_id,
  target_id,
});

const walk = (edges: readonly LineageEdge[], depth: number, limit?: number) =>
  walkBreadthFirst('a', {
    maxDepth: depth,
    edgesFrom: async (ids) => edges.filter((each) => ids.includes(each.source_id)),
    towards: (each) => each.target_id,
    limit,
  });

test.each([
  ['0', 'Q0'],
  ['Q00', 'Q0'],
  ['q12', 'Q12'],
  ['0-1', 'Q0-Q1'],
  ['Q05-Q011', 'Q5-Q11'],
])('the target %s is stored as %s', (given, stored) => {
  expect(provenanceQid(given)).toBe(stored);
});

test('ids of versions and activities have the form of the specification', () => {
  expect(entityId('t1', '0', executionNamed('20261121-000'), taskNamed('x'))).toBe('t1:Q0:20261121-000:x');
  expect(activityId('CheckT1', executionNamed('20261121-000'), taskNamed('x'))).toBe(
    'activity:CheckT1:20261121-000:x',
  );
});

test('each node comes once, at its shortest distance, and edges beyond the depth are left out', async () => {
  const edges = [edge('a', 'b'), edge('b', 'c'), edge('a', 'c'), edge('c', 'd'), edge('d', 'e')];
  const found = await walk(edges, 2);
  expect(found.nodes).toEqual([
    { id: 'a', depth: 0 },
    { id: 'b', depth: 1 },
    { id: 'c', depth: 1 },
    { id: 'd', depth: 2 },
  ]);
  expect(found.edges).not.toContainEqual(edge('d', 'e'));
  expect(found.truncated).toBe(false);
});

test('an edge between two nodes at the depth limit is kept', async () => {
  const found = await walk([edge('a', 'b'), edge('a', 'c'), edge('b', 'c')], 1);
  expect(found.edges).toContainEqual(edge('b', 'c'));
});

test('a walk that meets too many nodes says that it was cut', async () => {
  const edges = Array.from({ length: 10 }, (_, index) => edge('a', `n${index}`));
  const found = await walk(edges, 3, 5);
  expect(found.nodes).toHaveLength(5);
  expect(found.truncated).toBe(true);
});

test('whatever the graph, no edge dangles and circles end', async () => {
  const node = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(node, node)), fc.integer({ min: 1, max: 4 }), async (pairs, depth) => {
      const found = await walk(
        pairs.map(([from, to]) => edge(from, to)),
        depth,
      );
      const ids = new Set(found.nodes.map((each) => each.id));
      expect(ids.size).toBe(found.nodes.length);
      expect(found.edges.every((each) => ids.has(each.source_id) && ids.has(each.target_id))).toBe(true);
      expect(found.nodes.every((each) => each.depth <= depth)).toBe(true);
    }),
  );
});
