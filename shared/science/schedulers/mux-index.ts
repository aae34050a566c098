import type { Wiring } from './model.ts';

/** Orders ids by the numbers in them: `2` before `10`, `2-3` before `10-3`. */
export const byId = new Intl.Collator('en', { numeric: true }).compare;

/** The multiplexer that reads out each qubit. */
export function muxIndex(muxes: Readonly<Record<string, readonly string[]>>): Map<string, string> {
  return new Map(Object.entries(muxes).flatMap(([mux, qids]) => qids.map((qid) => [qid, mux] as const)));
}

/** Why a qubit without a multiplexer cannot be scheduled; null if it has one. */
export function unreachable(
  qid: string,
  muxOfQubit: ReadonlyMap<string, string>,
  wiring: Wiring | null,
): string | null {
  const mux = muxOfQubit.get(qid);
  if (mux === undefined) return `Qubit ${qid} belongs to no multiplexer of the chip.`;
  if (wiring && !Object.hasOwn(wiring, mux)) {
    return `Qubit ${qid} is read out by MUX ${mux}, which has no entry in the chip's wiring.yaml.`;
  }
  return null;
}

/** Messages about assumptions that a schedule makes. */
export function assumptions(wiring: Wiring | null): string[] {
  return wiring ? [] : ['The chip has no wiring.yaml, so every MUX counts as independent of the others.'];
}
