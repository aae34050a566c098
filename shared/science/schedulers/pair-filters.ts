import type { Exclusion, FilterReport, Pair, PairFilter, Wiring } from './model.ts';
import { unreachable } from './mux-index.ts';

/** Id of the coupling document: `control-target`. */
export function couplingId([control, target]: Pair): string {
  return `${control}-${target}`;
}

/** A filter that checks both qubits of a pair. The first reason found removes the pair. */
function qubitFilter(name: string, reasonOf: (qid: string) => string | null): PairFilter {
  return {
    name,
    judge(pair) {
      const reason = reasonOf(pair[0]) ?? reasonOf(pair[1]);
      return reason === null ? pair : { reason };
    },
  };
}

/** Both qubits are among the candidates. */
export function candidateQubits(candidates: readonly string[]): PairFilter {
  const wanted = new Set(candidates);
  return qubitFilter('CandidateQubit', (qid) =>
    wanted.has(qid) ? null : `Qubit ${qid} is not among the candidates.`,
  );
}

/** Both qubits have a multiplexer. If there is a wiring, it contains that multiplexer. */
export function muxMembership(muxOfQubit: ReadonlyMap<string, string>, wiring: Wiring | null): PairFilter {
  return qubitFilter('MuxMembership', (qid) => unreachable(qid, muxOfQubit, wiring));
}

/**
 * Both qubits have a value of at least `minimum`.
 * @param choice.key stored parameter of qubits, default `x90_gate_fidelity`; its values by qubit
 */
export function fidelity(choice: {
  minimum: number;
  key?: string;
  values: Readonly<Record<string, number | null>>;
}): PairFilter {
  const { minimum, key = 'x90_gate_fidelity', values } = choice;
  return qubitFilter('Fidelity', (qid) => {
    const value = values[qid] ?? null;
    if (value === null) return `Qubit ${qid} has no ${key}.`;
    return value >= minimum ? null : `Qubit ${qid} has ${key} ${value}, less than ${minimum}.`;
  });
}

/** Applies filters in order, each to the pairs that the previous ones kept. */
export function applyFilters(
  pairs: readonly Pair[],
  filters: readonly PairFilter[],
): { kept: Pair[]; reports: FilterReport[] } {
  let kept = [...pairs];
  const reports: FilterReport[] = [];
  for (const filter of filters) {
    const excluded: Exclusion[] = [];
    const left: Pair[] = [];
    for (const pair of kept) {
      const verdict = filter.judge(pair);
      if ('reason' in verdict) excluded.push({ target: couplingId(pair), reason: verdict.reason });
      else left.push(verdict);
    }
    reports.push({ name: filter.name, input: kept.length, output: left.length, excluded });
    kept = left;
  }
  return { kept, reports };
}
