import type { Pair, Wiring } from './model.ts';
import { muxConflicts } from './wiring.ts';

/** The sentence that says why two pairs cannot share a group; null where they can. */
export type PairConflict = (one: Pair, other: Pair) => string | null;

/** Pairs conflict when they share a qubit, a multiplexer, or a module of their multiplexers. */
export function electronicsConflict(
  muxOfQubit: ReadonlyMap<string, string>,
  wiring: Wiring | null,
): PairConflict {
  const muxConflict = muxConflicts(wiring);
  return (one, other) => {
    const qubit = one.find((qid) => other.includes(qid));
    if (qubit !== undefined) return `Both use qubit ${qubit}.`;
    const otherMuxes = muxesOf(other);
    const muxes = muxesOf(one);
    const mux = muxes.find((id) => otherMuxes.includes(id));
    if (mux !== undefined) return `Both use MUX ${mux}.`;
    return firstOf(muxes, (id) => firstOf(otherMuxes, (otherId) => muxConflict(id, otherId)));
  };

  function muxesOf(pair: Pair): string[] {
    return pair.map((qid) => muxOfQubit.get(qid) ?? '');
  }
}

/**
 * Pairs on neighbouring qubits conflict: the drive of one shifts and dephases the other's qubits.
 * @param couplings ids of all couplings of the chip
 */
export function spectatorConflict(couplings: ReadonlySet<string>): PairConflict {
  return (one, other) =>
    firstOf(one, (qid) => {
      const neighbour = other.find((id) => couplings.has(`${qid}-${id}`) || couplings.has(`${id}-${qid}`));
      return neighbour === undefined ? null : `Qubit ${qid} is a neighbour of qubit ${neighbour}.`;
    });
}

function firstOf<T>(items: readonly T[], reasonOf: (item: T) => string | null): string | null {
  for (const item of items) {
    const reason = reasonOf(item);
    if (reason !== null) return reason;
  }
  return null;
}
