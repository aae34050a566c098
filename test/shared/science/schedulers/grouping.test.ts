import { expect, test } from 'vitest';
import { groupByConflicts } from '../../../../shared/science/schedulers/grouping.ts';
import { seeded } from '../../../support/scheduled-chips.ts';

/** Members of a group, and groups into which the vertices of a graph can be put. */
const [LIMIT, GROUPS] = [10, 10];

/** A random graph that falls into GROUPS groups of LIMIT vertices: two of different groups conflict every other time. */
function dividedGraph(seed: number): number[][] {
  const random = seeded(seed);
  const graph = Array.from({ length: LIMIT * GROUPS }, (): number[] => []);
  for (const [one, conflicts] of graph.entries()) {
    for (let other = 0; other < one; other += 1) {
      if (one % GROUPS === other % GROUPS || random() >= 0.5) continue;
      conflicts.push(other);
      graph[other]?.push(one);
    }
  }
  return graph;
}

// A search that gives up early needs half as many groups again.
test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'graph %i, which falls into ten full groups, is put into ten or eleven, each vertex once and none beside a conflict',
  (seed) => {
    const graph = dividedGraph(seed);
    const groups = groupByConflicts(graph, { limit: LIMIT });
    expect(groups.length).toBeLessThanOrEqual(GROUPS + 1);
    expect(groups.flatMap((group) => [...group]).sort((a, b) => a - b)).toEqual([...graph.keys()]);
    for (const group of groups) {
      expect(group.size).toBeLessThanOrEqual(LIMIT);
      for (const vertex of group) expect(graph[vertex]?.filter((other) => group.has(other))).toEqual([]);
    }
  },
);
