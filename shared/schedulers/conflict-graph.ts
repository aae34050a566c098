import type { Conflict } from './model.ts';

/** What must not share a group: vertices by number, and for each the numbers of those it conflicts with. */
export type ConflictGraph = readonly (readonly number[])[];

/**
 * Compares every two things by a rule.
 * @param conflictOf the sentence that says why two cannot share a group; null where they can
 */
export function conflictGraph<T>(
  things: readonly T[],
  nameOf: (thing: T) => string,
  conflictOf: (one: T, other: T) => string | null,
): { graph: ConflictGraph; conflicts: Conflict[] } {
  const graph = things.map((): number[] => []);
  const conflicts: Conflict[] = [];
  things.forEach((one, first) => {
    things.forEach((other, second) => {
      if (second <= first) return;
      const reason = conflictOf(one, other);
      if (reason === null) return;
      graph[first]?.push(second);
      graph[second]?.push(first);
      conflicts.push({ a: nameOf(one), b: nameOf(other), reason });
    });
  });
  return { graph, conflicts };
}

/**
 * Groups that any grouping of these vertices needs: as many as the largest set found in which everything
 * conflicts with everything else (each needs a group of its own), and as the limit of a group's size demands.
 * @param limit members of a group
 */
export function groupsAtLeast(
  graph: ConflictGraph,
  limit: number,
  vertices: readonly number[] = [...graph.keys()],
): number {
  const counted = new Set(vertices);
  const neighbours = graph.map((adjacent) => new Set(adjacent.filter((vertex) => counted.has(vertex))));
  const cliques = vertices.map((vertex) => cliqueAround(vertex, neighbours));
  return Math.max(Math.ceil(vertices.length / limit), ...cliques, 0);
}

/** Size of a set of mutual conflicts around a vertex: always the candidate with the most conflicts joins. */
function cliqueAround(vertex: number, neighbours: readonly ReadonlySet<number>[]): number {
  let size = 1;
  let candidates = [...(neighbours[vertex] ?? [])];
  while (candidates.length > 0) {
    const shared = candidates.map((one) => candidates.filter((other) => neighbours[one]?.has(other)));
    candidates = shared.reduce((most, each) => (each.length > most.length ? each : most));
    size += 1;
  }
  return size;
}
