import { CalibronError } from '../../kernel/errors.ts';
import type { Topology } from '../../science/topology/model.ts';
import type { ChipDocument, StoredNote } from './model.ts';

/** Larger than the number of qubits of any chip: puts the control before the target in {@link couplingOrder}. */
const COUPLING_STRIDE = 100_000;

function couplingOrder(control: number, target: number): number {
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

/** Checks that runs are allowed on a chip. @throws not_found if it does not exist, conflict if it is inactive */
export function assertCalibratable(chip: Pick<ChipDocument, 'activity_status'> | null, chipId: string): void {
  if (!chip) throw new CalibronError('not_found', `There is no chip ${chipId.slice(0, 64)} in this project.`);
  if (chip.activity_status !== 'active') {
    throw new CalibronError('conflict', `The chip ${chipId} is inactive; set it active to calibrate it.`);
  }
}

/** Number of a qubit whose id is written as `7`, `Q7` or `Q007`; null for anything else. */
function plainQubitId(text: string): string | null {
  const number = /^Q?(\d{1,6})$/i.exec(text)?.[1];
  return number === undefined ? null : String(Number(number));
}

/** Normalizes a qubit or coupling id; a text that is not an id is returned unchanged. */
export function plainTargetId(text: string): string {
  const parts = text.split('-').map(plainQubitId);
  return parts.every((part) => part !== null) ? parts.join('-') : text;
}

export function noSuchChip(): CalibronError {
  return new CalibronError('not_found', 'There is no such chip in this project.');
}

/** Filter: the note of a record has not changed since it was read. @param note null if the record had none */
export function noteIs(note: StoredNote | null) {
  if (note === null) return { note: { $exists: false } };
  const { content, updated_by, updated_at } = note;
  return { 'note.content': content, 'note.updated_by': updated_by, 'note.updated_at': updated_at };
}

/** What changes whenever qubits or couplings are added to a chip, or another chip takes its id. */
export function targetsTagged(chip: Readonly<ChipDocument>): readonly unknown[] {
  const { created_at, updated_at, qubit_count, coupling_count } = chip;
  return [created_at, updated_at, qubit_count, coupling_count];
}
