import type { Conflict } from './model.ts';

/** A graph of conflicts: vertices by number, and for each vertex the numbers of the vertices that it conflicts with. */
export type ConflictGraph = readonly (readonly number[])[];

/** The rule that decides which items cannot share a group. */
export interface ConflictRule<T> {
  /** Items without a common key never conflict, which saves comparing every item with every other. */
  keysOf(thing: T): Iterable<string>;
  /** The reason why two items cannot share a group, as a message; null if they can. */
  reasonOf(one: T, other: T): string | null;
}

/** Finds all conflicts under a rule, in the order of the items. */
export function conflictGraph<T>(
  things: readonly T[],
  nameOf: (thing: T) => string,
  { keysOf, reasonOf }: ConflictRule<T>,
): { graph: ConflictGraph; conflicts: Conflict[] } {
  const graph = things.map((): number[] => []);
  const conflicts: Conflict[] = [];
  const keys = things.map((thing) => new Set(keysOf(thing)));
  const byKey = new Map<string, number[]>();
  for (const [number, ofThing] of keys.entries()) {
    for (const key of ofThing) {
      const sharing = byKey.get(key);
      if (sharing) sharing.push(number);
      else byKey.set(key, [number]);
    }
  }
  for (const [first, one] of things.entries()) {
    const met = new Set([...(keys[first] ?? [])].flatMap((key) => byKey.get(key) ?? []));
    for (const second of [...met].sort((a, b) => a - b)) {
      const other = things[second];
      const reason = second > first && other !== undefined ? reasonOf(one, other) : null;
      if (other === undefined || reason === null) continue;
      graph[first]?.push(second);
      graph[second]?.push(first);
      conflicts.push({ a: nameOf(one), b: nameOf(other), reason });
    }
  }
  return { graph, conflicts };
}

/**
 * Lower bound on the number of groups: the size of the largest clique found (each of its vertices needs its own group),
 * or the number that the limit on the group size requires, whichever is larger.
 * @param limit members of a group
 */
export function groupsAtLeast(
  graph: ConflictGraph,
  limit: number,
  vertices: readonly number[] = [...graph.keys()],
): number {
  const counted = new Set(vertices);
  const neighbours = graph.map((adjacent) => new Set(adjacent.filter((vertex) => counted.has(vertex))));
  let least = Math.ceil(vertices.length / limit);
  for (const vertex of vertices) {
    // A clique around a vertex has at most the vertex and its neighbours.
    const atMost = (neighbours[vertex]?.size ?? 0) + 1;
    if (atMost > least) least = Math.max(least, cliqueAround(vertex, neighbours));
  }
  return least;
}

/** Size of a clique around a vertex, built greedily: the candidate with the most conflicts joins first. */
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
