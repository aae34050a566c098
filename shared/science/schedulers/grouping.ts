import { type ConflictGraph, groupsAtLeast } from './conflict-graph.ts';

/**
 * Colouring of a conflict graph with bounded classes. Written here because no library was found that bounds
 * and balances the classes and keeps some vertices in the first of them; cutting the classes of a greedy
 * colouring into chunks needs up to a third more groups.
 */
export interface GroupingRules {
  /** Members of a group. */
  limit: number;
  /** Vertices that take the first groups, as few as they need among themselves. Absent: none. */
  first?: readonly number[];
  /** Whether the others may fill up the groups of the first ones. */
  filling?: boolean;
}

/** Groups in which a vertex may be: from the first number up to, but not including, the second. */
type Range = readonly [from: number, below: number];
type RangeOf = (vertex: number) => Range;
/** The conflicts of each vertex, to be looked up. */
type Neighbours = readonly ReadonlySet<number>[];

/**
 * Puts every vertex into exactly one group so that no two of a group conflict: as few groups as the search
 * finds, with that as few holding one of `first` as it finds, and sizes as equal as exchanges make them.
 * The same graph always gives the same groups.
 */
export function groupByConflicts(
  graph: ConflictGraph,
  { limit, first = [], filling = true }: GroupingRules,
): ReadonlySet<number>[] {
  const ahead = new Set(first);
  const others = [...graph.keys()].filter((vertex) => !ahead.has(vertex));
  const neighbours = graph.map((others) => new Set(others));
  const start = fewest(groupsAtLeast(graph, limit, first), (count) =>
    new GroupSearch({ graph, neighbours, count, limit, rangeOf: () => [0, count] }).place(first),
  );
  const least = Math.max(groupsAtLeast(graph, limit), start.length);
  return fewest(least, (count) => {
    const withFirstIn = (firstCount: number) => {
      const rangeOf: RangeOf = (vertex) => {
        if (ahead.has(vertex)) return [0, firstCount];
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
      // A search that had all freedom in vain seldom succeeds with less: for the fewest groups alone that is tried.
      for (const firstCount of steps.slice(0, -1)) found ??= withFirstIn(firstCount);
    }
    return found && balanced(found.groups, graph, found.rangeOf);
  });
}

/** Tries one number of groups after another. It ends: with a group for each vertex there is always a way. */
function fewest<T>(from: number, attempt: (count: number) => T | null): T {
  for (let count = from; ; count += 1) {
    const found = attempt(count);
    if (found) return found;
  }
}

/** From one number to another in steps that double: few attempts, also where the numbers are large. */
function stepsUp(from: number, to: number): number[] {
  const numbers = [from];
  for (let step = 1; from + step < to; step *= 2) numbers.push(from + step);
  return to > from ? [...numbers, to] : numbers;
}

/** Rounds of a search, for each vertex, after which a number of groups counts as too small. */
const ROUNDS_WITHOUT_GAIN = 60;

/** What a search starts from: the number of groups, each of at most `limit` vertices. */
interface Search {
  graph: ConflictGraph;
  neighbours: Neighbours;
  count: number;
  limit: number;
  rangeOf: RangeOf;
}

/**
 * One vertex after another goes where it pushes out the fewest: those it conflicts with or, where the group
 * is full, the member with the widest choice of groups (of equals the one that has been there longest). Who
 * is pushed out waits for a new place and stays away from the old one for a while, else two would push each
 * other out for ever. (Partial colouring with a tabu list, https://doi.org/10.1016/j.cor.2006.05.014.)
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
    // Nothing is taken out at the front, which would move all the rest each time.
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
 * Exchanges members between two groups while that brings their sizes closer: a chain of vertices that
 * conflict across the two groups (a Kempe chain) can change sides as a whole.
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
