import type { Wiring } from '../../science/schedulers/model.ts';
import { oneQubitSchedule } from '../../science/schedulers/one-qubit.ts';
import { pairSchedule } from '../../science/schedulers/pairs.ts';
import type { Topology } from '../../science/topology/model.ts';
import type {
  PairScheduleAnswer,
  PairScheduleCommand,
  QubitScheduleAnswer,
  QubitScheduleCommand,
} from './model.ts';

/** Inputs of a schedule. */
export interface ScheduledChip {
  couplings: readonly string[];
  /** Qubit ids of each multiplexer. */
  muxes: Readonly<Record<string, readonly string[]>>;
  /** Null if the topology of the chip is no longer known. */
  topology: Topology | null;
  wiring: Wiring | null;
}

/** Maximum number of excluded pairs in an answer; a large chip has thousands. */
const MAX_EXCLUSIONS_NAMED = 50;

/** The order in which a stage measures its qubits. @throws SchedulingError */
export function qubitScheduleAnswer(
  { kind, ...wanted }: QubitScheduleCommand,
  { muxes, wiring, topology }: ScheduledChip,
): QubitScheduleAnswer {
  const { schedule, excluded, metadata } = oneQubitSchedule({
    ...wanted,
    muxes,
    wiring,
    ...(topology ? { grid_size: topology.grid_size } : {}),
  });
  return { kind, schedule, excluded, notes: metadata.notes };
}

/**
 * Groups of the candidate pairs of a command that can run at the same time. `excluded` only lists pairs whose qubits are both
 * candidates.
 * @param frequencies measured qubit frequencies, GHz
 * @throws SchedulingError
 */
export function pairScheduleAnswer(
  { kind, ...wanted }: PairScheduleCommand,
  { couplings, muxes, wiring, topology }: ScheduledChip,
  frequencies: Readonly<Record<string, number | null>>,
): PairScheduleAnswer {
  const candidates = new Set(wanted.candidates);
  const isBetween = (id: string) => id.split('-').every((qid) => candidates.has(qid));
  if (!couplings.some(isBetween)) {
    const notes = ['No two of the candidates are coupled.'];
    return { kind, schedule: [], direction_method: 'none', excluded: [], excluded_count: 0, notes };
  }
  const plan = pairSchedule({
    ...wanted,
    couplings,
    frequencies,
    design: topology?.direction_convention === 'checkerboard_cr' ? topology.couplings : null,
    ...(topology ? { places: topology.qubits } : {}),
    muxes,
    wiring,
  });
  const excluded = plan.excluded.filter(({ target }) => isBetween(target));
  return {
    kind,
    schedule: plan.schedule,
    direction_method: plan.direction_method,
    excluded: excluded.slice(0, MAX_EXCLUSIONS_NAMED),
    excluded_count: excluded.length,
    notes: plan.metadata.notes,
  };
}
