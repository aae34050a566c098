import type { Conflict } from './model.ts';

/** What must not share a group: vertices by number, and for each the numbers of those it conflicts with. */
export type ConflictGraph = readonly (readonly number[])[];

/** Which things cannot share a group. */
export interface ConflictRule<T> {
  /** Two things without a common key never conflict: so not every thing is compared with every other. */
  keysOf(thing: T): Iterable<string>;
  /** Why two things cannot share a group, as a message; null if they can. */
  reasonOf(one: T, other: T): string | null;
}

/** Finds all conflicts by a rule, in the order of the things. */
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
  let least = Math.ceil(vertices.length / limit);
  for (const vertex of vertices) {
    // A set around a vertex holds no more than it and its neighbours.
    const atMost = (neighbours[vertex]?.size ?? 0) + 1;
    if (atMost > least) least = Math.max(least, cliqueAround(vertex, neighbours));
  }
  return least;
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
