import type { ConflictRule } from './conflict-graph.ts';
import type { Pair, Wiring } from './model.ts';
import { muxConflicts, muxModules } from './wiring.ts';

/** Pairs conflict when they share a qubit, a multiplexer, or a module of their multiplexers. */
export function electronicsConflict(
  muxOfQubit: ReadonlyMap<string, string>,
  wiring: Wiring | null,
): ConflictRule<Pair> {
  const muxConflict = muxConflicts(wiring);
  const modules = muxModules(wiring);
  return {
    keysOf: (pair) => [
      ...pair.map((qid) => `qubit ${qid}`),
      ...muxesOf(pair).flatMap((mux) => [`mux ${mux}`, ...modules(mux).map((module) => `module ${module}`)]),
    ],
    reasonOf(one, other) {
      const qubit = one.find((qid) => other.includes(qid));
      if (qubit !== undefined) return `Both use qubit ${qubit}.`;
      const otherMuxes = muxesOf(other);
      const muxes = muxesOf(one);
      const mux = muxes.find((id) => otherMuxes.includes(id));
      if (mux !== undefined) return `Both use MUX ${mux}.`;
      return firstOf(muxes, (id) => firstOf(otherMuxes, (otherId) => muxConflict(id, otherId)));
    },
  };

  function muxesOf(pair: Pair): string[] {
    return pair.map((qid) => muxOfQubit.get(qid) ?? '');
  }
}

/**
 * Pairs on neighbouring qubits conflict: the drive of one shifts and dephases the other's qubits.
 * @param couplings ids of all couplings of the chip
 */
export function spectatorConflict(couplings: ReadonlySet<string>): ConflictRule<Pair> {
  // A coupling, in either direction, is the common key of its two qubits.
  const couplingsOf = new Map<string, string[]>();
  for (const id of couplings) {
    const ends = id.split('-').sort();
    for (const qid of ends) couplingsOf.set(qid, [...(couplingsOf.get(qid) ?? []), ends.join('-')]);
  }
  return {
    keysOf: (pair) => pair.flatMap((qid) => (couplingsOf.get(qid) ?? []).map((id) => `coupling ${id}`)),
    reasonOf: (one, other) =>
      firstOf(one, (qid) => {
        const neighbour = other.find((id) => couplings.has(`${qid}-${id}`) || couplings.has(`${id}-${qid}`));
        return neighbour === undefined ? null : `Qubit ${qid} is a neighbour of qubit ${neighbour}.`;
      }),
  };
}

/** Items conflict if either of two rules finds a conflict. If both do, the first gives the reason. */
export function eitherConflict<T>(rule: ConflictRule<T>, another: ConflictRule<T>): ConflictRule<T> {
  return {
    keysOf: (thing) => [...rule.keysOf(thing), ...another.keysOf(thing)],
    reasonOf: (one, other) => rule.reasonOf(one, other) ?? another.reasonOf(one, other),
  };
}

function firstOf<T>(items: readonly T[], reasonOf: (item: T) => string | null): string | null {
  for (const item of items) {
    const reason = reasonOf(item);
    if (reason !== null) return reason;
  }
  return null;
}
