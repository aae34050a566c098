import { CalibronError } from '../../kernel/errors.ts';
import { isoTime, isoTimeOrNull } from '../../kernel/time.ts';
import type { Topology } from '../../science/topology/model.ts';
import { wireParameters } from '../results/wire.ts';
import type { Chip, ChipTarget, StoredChip, StoredNote, StoredTarget } from './model.ts';

/** More than any chip has qubits: places the control before the target in {@link couplingOrder}. */
const COUPLING_STRIDE = 100_000;

export function couplingOrder(control: number, target: number): number {
  return control * COUPLING_STRIDE + target;
}

export const emptyNote: StoredNote = { content: '', updated_by: '', updated_at: null };

export interface NewTarget {
  qid: string;
  qid_order: number;
}

/** The qubits of a new chip, in the order of their ids. */
export function qubitsOf(topology: Topology): NewTarget[] {
  return Object.keys(topology.qubits)
    .map((qid) => ({ qid, qid_order: Number(qid) }))
    .sort((a, b) => a.qid_order - b.qid_order);
}

/** The couplings of a new chip: each edge in both directions. */
export function couplingsOf(topology: Topology): NewTarget[] {
  return topology.couplings.flatMap(([a, b]) => [
    { qid: `${a}-${b}`, qid_order: couplingOrder(a, b) },
    { qid: `${b}-${a}`, qid_order: couplingOrder(b, a) },
  ]);
}

/** Refuses a chip that no run may hold. @throws not_found when it is not there, conflict when it is inactive */
export function assertCalibratable(chip: Pick<StoredChip, 'activity_status'> | null, chipId: string): void {
  if (!chip) throw new CalibronError('not_found', 'The chip of this run is not in the project.');
  if (chip.activity_status !== 'active') {
    throw new CalibronError('conflict', `The chip ${chipId} is inactive; set it active to calibrate it.`);
  }
}

export function wireNote(note: StoredNote) {
  return { ...note, updated_at: isoTimeOrNull(note.updated_at) };
}

/** The stored chip as the API shows it. */
export function wireChip(stored: StoredChip): Chip {
  return {
    chip_id: stored.chip_id,
    size: stored.size,
    topology_id: stored.topology_id,
    qubit_count: stored.qubit_count,
    coupling_count: stored.coupling_count,
    installed_at: isoTime(stored.installed_at),
    activity_status: stored.activity_status,
    current_cooldown_id: stored.current_cooldown_id,
    note: wireNote(stored.note),
  };
}

/** The stored qubit or coupling as the API shows it. */
export function wireTarget(stored: StoredTarget): ChipTarget {
  const notes = Object.entries(stored.metric_notes).map(([key, note]) => [key, wireNote(note)] as const);
  return {
    qid: stored.qid,
    chip_id: stored.chip_id,
    status: stored.status,
    data: wireParameters(stored.data),
    note: wireNote(stored.note),
    metric_notes: Object.fromEntries(notes),
  };
}
