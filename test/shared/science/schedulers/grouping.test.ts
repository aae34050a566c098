import { expect, test } from 'vitest';
import { groupByConflicts } from '../../../../shared/science/schedulers/grouping.ts';
import { seeded } from '../../../support/scheduled-chips.ts';

/** Maximum number of members of a group, and number of groups that are sufficient for the vertices of a graph. */
const [LIMIT, GROUPS] = [10, 10];

/**
 * A random graph that can be divided into GROUPS groups of LIMIT vertices. Two vertices of different groups conflict
 * with probability one half.
 */
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

// A search that gives up early needs one and a half times as many groups.
test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'graph %i, which fits ten full groups, is divided into ten or eleven, with each vertex once and without conflicts',
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
