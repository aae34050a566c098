import { QUBITS_PER_MUX } from '../conventions/multiplexer.ts';
import { type ConflictRule, conflictGraph } from './conflict-graph.ts';
import { groupByConflicts } from './grouping.ts';
import {
  type BoxType,
  type Exclusion,
  type OneQubitMode,
  type OneQubitPlan,
  type OneQubitRequest,
  type Ordering,
  SchedulingError,
  type Wiring,
} from './model.ts';
import { assumptions, byId, muxIndex, unreachable } from './mux-index.ts';
import { placesOf } from './ordering.ts';
import { boxTypeOf, muxConflicts, muxModules } from './wiring.ts';

/** A multiplexer and its qubits to schedule, in the order in which they are driven. */
interface ScheduledMux {
  id: string;
  box: BoxType;
  /** `place` is the position in the multiplexer, `round` the turn in which that position is driven: both 0 to 3. */
  qubits: { qid: string; place: number; round: number }[];
}

/** The qubits of each multiplexer that a step drives: lanes in parallel, the qubits of a lane one after another. */
interface Step {
  muxes: ScheduledMux[];
  lanes: string[][];
}

/**
 * Plans one-qubit calibration. Boxes of type A come first, then B, then the multiplexers on both; each is split into
 * stages in which no two multiplexers share a module.
 * - `scheduled`: a step is a stage; its multiplexers in parallel, the qubits of each one after another.
 * - `synchronized`: a stage has up to four steps; the k-th qubit of each of its multiplexers in parallel.
 * - `serial`: a step is a multiplexer, its qubits one after another.
 * - `simultaneous`: all qubits at once, or in four batches by position. Multiplexers that share a module run together
 *   in this mode; they are reported in `conflicts`.
 *
 * Each requested qubit appears exactly once, in the schedule or in `excluded`.
 * @throws SchedulingError when no qubit is named or none is left
 */
export function oneQubitSchedule(request: OneQubitRequest): OneQubitPlan {
  const { qids, mode, wiring, ordering = mode === 'synchronized' ? 'checkerboard' : 'natural' } = request;
  if (qids.length === 0) throw new SchedulingError('No qubit is named. Name at least one.');
  if (ordering === 'parity' && !(request.grid_size && request.grid_size % 2 === 0)) {
    throw new SchedulingError('Ordering parity needs a chip of 2 × 2 multiplexers and its grid_size.');
  }
  const wanted = [...new Set(qids)];
  const excluded = exclusions(wanted, request);
  const left = new Set(wanted);
  for (const { target } of excluded) left.delete(target);
  if (left.size === 0) {
    throw new SchedulingError(`No qubit is left. ${excluded[0]?.reason ?? ''}`);
  }

  const muxes = scheduledMuxes(left, request, ordering);
  const { conflicts } = conflictGraph(muxes, ({ id }) => id, conflictRule(wiring));
  const steps = stepsOf[mode](muxes, request).filter(({ lanes }) => lanes.length > 0);
  const qubitsOn = (box: BoxType) =>
    muxes.filter((mux) => mux.box === box).reduce((sum, { qubits }) => sum + qubits.length, 0);
  return {
    schedule: steps.map(({ lanes }) => lanes),
    steps: steps.map(({ muxes: driven, lanes }) => ({
      box_type: driven.reduce((box, mux) => (mux.box === box ? box : 'MIXED'), driven[0]?.box ?? 'MIXED'),
      mux_ids: driven.map(({ id }) => id),
      targets: lanes.flat().length,
    })),
    excluded,
    conflicts,
    metadata: {
      mode,
      ordering,
      total_qubits: left.size,
      box_a_count: qubitsOn('A'),
      box_b_count: qubitsOn('B'),
      mixed_count: qubitsOn('MIXED'),
      num_steps: steps.length,
      repeated: wanted.filter((qid) => qids.indexOf(qid) !== qids.lastIndexOf(qid)),
      notes: assumptions(wiring),
    },
  };
}

function exclusions(
  wanted: readonly string[],
  { exclude = [], muxes, wiring }: OneQubitRequest,
): Exclusion[] {
  const muxOfQubit = muxIndex(muxes);
  return wanted.flatMap((qid) => {
    const reason = exclude.includes(qid)
      ? `Qubit ${qid} is among those to leave out.`
      : unreachable(qid, muxOfQubit, wiring);
    return reason === null ? [] : [{ target: qid, reason }];
  });
}

/** The multiplexers by id, each with its qubits in the order in which they are driven. */
function scheduledMuxes(
  left: ReadonlySet<string>,
  { muxes, wiring, grid_size = 0 }: OneQubitRequest,
  ordering: Ordering,
): ScheduledMux[] {
  return Object.keys(muxes)
    .sort(byId)
    .map((id) => {
      const places = placesOf(ordering, id, grid_size);
      const qubits = (muxes[id] ?? [])
        .filter((qid) => left.has(qid))
        .map((qid) => {
          const place = Number(qid) % QUBITS_PER_MUX;
          return { qid, place, round: places.indexOf(place) };
        })
        .sort((a, b) => a.round - b.round);
      return { id, box: boxTypeOf(wiring, id), qubits };
    })
    .filter(({ qubits }) => qubits.length > 0);
}

function conflictRule(wiring: Wiring | null): ConflictRule<ScheduledMux> {
  const [conflict, modules] = [muxConflicts(wiring), muxModules(wiring)];
  return { keysOf: ({ id }) => modules(id), reasonOf: (one, other) => conflict(one.id, other.id) };
}

type Planner = (muxes: readonly ScheduledMux[], request: OneQubitRequest) => Step[];

const stepsOf: Record<OneQubitMode, Planner> = {
  scheduled: (muxes, { wiring }) => stagesOf(muxes, wiring).map(oneLaneEach),
  synchronized: (muxes, { wiring }) =>
    stagesOf(muxes, wiring).flatMap((stage) =>
      quarters.map((quarter) => allAtOnce(stage, ({ round }) => round === quarter)),
    ),
  serial: (muxes) => muxes.map((mux) => oneLaneEach([mux])),
  simultaneous: (muxes, { batches = 'all' }) =>
    batches === 'all'
      ? [allAtOnce(muxes, () => true)]
      : quarters.map((quarter) => allAtOnce(muxes, ({ place }) => place === quarter)),
};

const quarters = Array.from({ length: QUBITS_PER_MUX }, (_, quarter) => quarter);

function oneLaneEach(muxes: readonly ScheduledMux[]): Step {
  return { muxes: [...muxes], lanes: muxes.map(({ qubits }) => qubits.map(({ qid }) => qid)) };
}

/** The chosen qubits, each in a lane of its own. */
function allAtOnce(
  muxes: readonly ScheduledMux[],
  chosen: (qubit: ScheduledMux['qubits'][number]) => boolean,
): Step {
  const driven = muxes.filter(({ qubits }) => qubits.some(chosen));
  const qubits = driven.flatMap((mux) => mux.qubits.filter(chosen));
  return { muxes: driven, lanes: qubits.map(({ qid }) => [qid]) };
}

/**
 * Type A, then B, then mixed. For each type, as few stages as the search finds in which no two multiplexers share a
 * module.
 */
function stagesOf(muxes: readonly ScheduledMux[], wiring: Wiring | null): ScheduledMux[][] {
  return boxOrder.flatMap((box) => {
    const alike = muxes.filter((mux) => mux.box === box);
    const { graph } = conflictGraph(alike, ({ id }) => id, conflictRule(wiring));
    return groupByConflicts(graph, { limit: Number.POSITIVE_INFINITY }).map((stage) =>
      alike.filter((_, vertex) => stage.has(vertex)),
    );
  });
}

const boxOrder: readonly BoxType[] = ['A', 'B', 'MIXED'];
