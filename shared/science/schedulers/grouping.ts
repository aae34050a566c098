import { type ConflictGraph, groupsAtLeast } from './conflict-graph.ts';

/**
 * Colouring of a conflict graph with bounded classes. No library was found that bounds and balances the classes and
 * keeps some vertices in the first ones. Splitting the classes of a greedy colouring needs up to a third more groups.
 */
export interface GroupingRules {
  /** Maximum number of members of a group. */
  limit: number;
  /** Vertices that take the first groups, with as few groups as these vertices need. Default: none. */
  first?: readonly number[];
  /** Whether other vertices may fill up the groups of `first`. */
  filling?: boolean;
}

/** The groups that a vertex may join: from the first number (inclusive) to the second (exclusive). */
type Range = readonly [from: number, below: number];
type RangeOf = (vertex: number) => Range;
/** The conflicts of each vertex, as a lookup table. */
type Neighbours = readonly ReadonlySet<number>[];

/**
 * Puts every vertex into exactly one group so that no two members of a group conflict. The search minimizes the number
 * of groups, then the number of groups with a member of `first`; exchanges then balance the sizes. The result is
 * deterministic.
 */
export function groupByConflicts(
  graph: ConflictGraph,
  { limit, first = [], filling = true }: GroupingRules,
): ReadonlySet<number>[] {
  const firstVertices = new Set(first);
  const others = [...graph.keys()].filter((vertex) => !firstVertices.has(vertex));
  const neighbours = graph.map((others) => new Set(others));
  const start = fewest(groupsAtLeast(graph, limit, first), (count) =>
    new GroupSearch({ graph, neighbours, count, limit, rangeOf: () => [0, count] }).place(first),
  );
  const least = Math.max(groupsAtLeast(graph, limit), start.length);
  return fewest(least, (count) => {
    const withFirstIn = (firstCount: number) => {
      const rangeOf: RangeOf = (vertex) => {
        if (firstVertices.has(vertex)) return [0, firstCount];
        return [filling ? 0 : firstCount, count];
      };
      const groups = new GroupSearch({ graph, neighbours, count, limit, rangeOf }).place(others, start);
      return groups && { groups, rangeOf };
    };
    const steps = filling && first.length > 0 ? stepsUp(start.length, count) : [];
    let found = withFirstIn(filling ? count : start.length);
    if (found) {
      for (let [few, enough] = [0, steps.length - 1]; few < enough; ) {
        const middle = Math.trunc((few + enough) / 2);
        const fitting = withFirstIn(steps[middle] ?? count);
        if (fitting) [found, enough] = [fitting, middle];
        else few = middle + 1;
      }
    } else if (count === least) {
      // A search that failed without restrictions rarely succeeds with them, so they are tried for the fewest groups
      // only.
      for (const firstCount of steps.slice(0, -1)) found ??= withFirstIn(firstCount);
    }
    return found && balanced(found.groups, graph, found.rangeOf);
  });
}

/** Tries increasing numbers of groups. It terminates, because a group for each vertex always works. */
function fewest<T>(from: number, attempt: (count: number) => T | null): T {
  for (let count = from; ; count += 1) {
    const found = attempt(count);
    if (found) return found;
  }
}

/** Numbers in a range, in steps that double: few attempts even for large ranges. */
function stepsUp(from: number, to: number): number[] {
  const numbers = [from];
  for (let step = 1; from + step < to; step *= 2) numbers.push(from + step);
  return to > from ? [...numbers, to] : numbers;
}

/** Rounds per vertex after which a search gives up on a number of groups. */
const ROUNDS_WITHOUT_GAIN = 60;

/** Input of a search: the number of groups, each of at most `limit` vertices. */
interface Search {
  graph: ConflictGraph;
  neighbours: Neighbours;
  count: number;
  limit: number;
  rangeOf: RangeOf;
}

/**
 * Places one vertex after another in the group where it evicts the fewest members: those it conflicts with or, if the
 * group is full, the member with the widest choice of groups (among equals, the one that has been there longest). An
 * evicted vertex waits for another group, and may not return to the old one for some rounds; otherwise two vertices
 * could evict each other forever. (Partial colouring with a tabu list, https://doi.org/10.1016/j.cor.2006.05.014.)
 */
class GroupSearch {
  readonly #graph: ConflictGraph;
  readonly #neighbours: Neighbours;
  readonly #limit: number;
  readonly #rangeOf: RangeOf;
  readonly #groups: Set<number>[];
  /** For each vertex and group: members of the group that the vertex conflicts with. */
  readonly #clashes: Uint16Array[];
  /** For each vertex and group: the round until which the vertex may not join the group. */
  readonly #awayUntil: Uint32Array[];

  constructor({ graph, neighbours, count, limit, rangeOf }: Search) {
    this.#graph = graph;
    this.#neighbours = neighbours;
    this.#limit = limit;
    this.#rangeOf = rangeOf;
    this.#groups = Array.from({ length: count }, () => new Set());
    this.#clashes = graph.map(() => new Uint16Array(count));
    this.#awayUntil = graph.map(() => new Uint32Array(count));
  }

  /** @returns null if the time limit passes before every vertex has a group */
  place(vertices: readonly number[], standing: readonly ReadonlySet<number>[] = []): Set<number>[] | null {
    for (const [number, group] of standing.entries()) {
      for (const vertex of group) this.#move(vertex, number, 'in');
    }
    const degree = (vertex: number) => this.#graph[vertex]?.length ?? 0;
    const queue = vertices.toSorted((a, b) => degree(b) - degree(a) || a - b);
    // Entries are not removed from the front, because that would move all others each time.
    const lastRound = ROUNDS_WITHOUT_GAIN * this.#graph.length;
    for (let round = 1; round <= lastRound; round += 1) {
      const vertex = queue[round - 1];
      if (vertex === undefined) return this.#groups;
      const number = this.#cheapestGroup(vertex, round);
      if (number === null) {
        queue.push(vertex);
        continue;
      }
      for (const other of this.#pushedOut(vertex, number)) {
        this.#move(other, number, 'out');
        queue.push(other);
        const away = this.#awayUntil[other];
        if (away) away[number] = queue.length + 5 + (round % 7);
      }
      this.#move(vertex, number, 'in');
    }
    return queue.length <= lastRound ? this.#groups : null;
  }

  #cheapestGroup(vertex: number, round: number): number | null {
    const [from, below] = this.#rangeOf(vertex);
    const [awayUntil = [], clashes = []] = [this.#awayUntil[vertex], this.#clashes[vertex]];
    let cheapest: number | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (let number = from; number < below && least > 0; number += 1) {
      const clashing = clashes[number] ?? 0;
      if (clashing >= least || (awayUntil[number] ?? 0) > round) continue;
      const cost = clashing === 0 && this.#isFull(number) ? 1 : clashing;
      if (cost < least) {
        cheapest = number;
        least = cost;
      }
    }
    return cheapest;
  }

  #isFull(number: number): boolean {
    return (this.#groups[number]?.size ?? 0) >= this.#limit;
  }

  #pushedOut(vertex: number, number: number): number[] {
    const group = [...(this.#groups[number] ?? [])];
    const clashing = group.filter((other) => this.#neighbours[vertex]?.has(other));
    if (clashing.length > 0 || !this.#isFull(number)) return clashing;
    const mostFree = group.reduce((most, other) => (this.#room(other) > this.#room(most) ? other : most));
    return [mostFree];
  }

  #room(vertex: number): number {
    const [from, below] = this.#rangeOf(vertex);
    return below - from;
  }

  #move(vertex: number, number: number, way: 'in' | 'out'): void {
    if (way === 'in') this.#groups[number]?.add(vertex);
    else this.#groups[number]?.delete(vertex);
    for (const other of this.#graph[vertex] ?? []) {
      const clashes = this.#clashes[other];
      if (clashes) clashes[number] = (clashes[number] ?? 0) + (way === 'in' ? 1 : -1);
    }
  }
}

/**
 * Exchanges members between two groups while this brings their sizes closer. Vertices that conflict across the two
 * groups (a Kempe chain) change sides together.
 */
function balanced(groups: Set<number>[], graph: ConflictGraph, rangeOf: RangeOf): Set<number>[] {
  for (let exchanged = true; exchanged; ) {
    exchanged = groups.some((larger, from) =>
      groups.some((smaller, to) => larger.size - smaller.size > 1 && exchange(larger, smaller, from, to)),
    );
  }
  return groups;

  function exchange(larger: Set<number>, smaller: Set<number>, from: number, to: number): boolean {
    const seen = new Set<number>();
    for (const vertex of larger) {
      if (seen.has(vertex)) continue;
      const chain = chainOf(vertex, larger, smaller);
      for (const member of chain) seen.add(member);
      const leaving = chain.filter((member) => larger.has(member));
      const coming = chain.filter((member) => smaller.has(member));
      const gain = leaving.length - coming.length;
      const allowed =
        leaving.every((member) => mayStand(member, to)) && coming.every((member) => mayStand(member, from));
      if (gain <= 0 || gain >= larger.size - smaller.size || !allowed) continue;
      for (const member of chain) {
        const [old, next] = larger.has(member) ? [larger, smaller] : [smaller, larger];
        old.delete(member);
        next.add(member);
      }
      return true;
    }
    return false;
  }

  function chainOf(vertex: number, one: ReadonlySet<number>, other: ReadonlySet<number>): number[] {
    const chain = new Set([vertex]);
    for (const member of chain) {
      for (const next of graph[member] ?? []) if (one.has(next) || other.has(next)) chain.add(next);
    }
    return [...chain];
  }

  function mayStand(vertex: number, number: number): boolean {
    const [from, below] = rangeOf(vertex);
    return from <= number && number < below;
  }
}
