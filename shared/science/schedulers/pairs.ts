import { conflictGraph, groupsAtLeast } from './conflict-graph.ts';
import { groupByConflicts } from './grouping.ts';
import { type Exclusion, type Pair, type PairPlan, type PairRequest, SchedulingError } from './model.ts';
import { assumptions, byId, muxIndex } from './mux-index.ts';
import { eitherConflict, electronicsConflict, spectatorConflict } from './pair-conflicts.ts';
import { directionMethod, frequencyDirectionality } from './pair-direction.ts';
import { applyFilters, candidateQubits, couplingId, muxMembership } from './pair-filters.ts';

/** Default number of pairs in a group. */
const DEFAULT_PARALLEL = 10;

/**
 * Plans two-qubit calibration: every edge of the chip in one direction, in groups that may run at the same time. Each
 * edge appears exactly once, in the schedule or in `excluded`. If every edge is excluded, the schedule is empty.
 * @throws SchedulingError when the chip has no coupling, or `max_parallel_ops` is not 1 or more
 */
export function pairSchedule(request: PairRequest): PairPlan {
  const { candidates, design, frequencies, places = {}, wiring } = request;
  const { max_parallel_ops = DEFAULT_PARALLEL, strategy = 'intra_first' } = request;
  const { inverse = false, spectators = false } = request;
  if (!Number.isInteger(max_parallel_ops) || max_parallel_ops < 1) {
    throw new SchedulingError(`max_parallel_ops is a whole number of 1 or more, not ${max_parallel_ops}.`);
  }
  if (request.couplings.length === 0) throw new SchedulingError('The chip has no coupling to schedule.');

  const couplings = new Set(request.couplings);
  const muxOfQubit = muxIndex(request.muxes);
  const { edges, malformed } = edgesOf(couplings);
  const { kept, reports } = applyFilters(edges, [
    ...(candidates ? [candidateQubits(candidates)] : []),
    frequencyDirectionality({ couplings, design, frequencies, places, inverse }),
    muxMembership(muxOfQubit, wiring),
    ...(request.filters ?? []),
  ]);

  const isIntra = ([control, target]: Pair) => muxOfQubit.get(control) === muxOfQubit.get(target);
  const electronics = electronicsConflict(muxOfQubit, wiring);
  const rule = spectators ? eitherConflict(electronics, spectatorConflict(couplings)) : electronics;
  const { graph, conflicts } = conflictGraph(kept, couplingId, rule);
  const intra = kept.flatMap((pair, vertex) => (isIntra(pair) ? [vertex] : []));
  const groups = groupByConflicts(graph, {
    limit: max_parallel_ops,
    first: intra,
    filling: strategy === 'intra_first',
  })
    .map((group) => kept.filter((_, vertex) => group.has(vertex)))
    .sort((one, other) => Number(other.some(isIntra)) - Number(one.some(isIntra)));
  return {
    schedule: groups.map((group) => group.map((pair) => [couplingId(pair)])),
    groups,
    excluded: [...malformed, ...reports.flatMap(({ excluded }) => excluded)],
    conflicts,
    direction_method: directionMethod({ design, frequencies }),
    filters: reports,
    metadata: {
      total_pairs: edges.length,
      scheduled_pairs: kept.length,
      intra_pairs: intra.length,
      inter_pairs: kept.length - intra.length,
      num_groups: groups.length,
      lower_bound: groupsAtLeast(graph, max_parallel_ops),
      max_parallel_ops,
      strategy,
      inverse,
      spectators,
      notes: assumptions(wiring),
    },
  };
}

/** Each edge once, in the order of the qubits. The lower qubit comes first if the chip has that direction. */
function edgesOf(couplings: ReadonlySet<string>): { edges: Pair[]; malformed: Exclusion[] } {
  const edges: Pair[] = [];
  const malformed: Exclusion[] = [];
  for (const id of [...couplings].sort(byId)) {
    const [one, other, ...more] = id.split('-');
    if (!one || !other || one === other || more.length > 0) {
      malformed.push({ target: id, reason: `${id} does not name two qubits as control-target.` });
    } else if (byId(one, other) < 0 || !couplings.has(`${other}-${one}`)) {
      edges.push([one, other]);
    }
  }
  return { edges, malformed };
}
