import type { Collection } from 'mongodb';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf } from '../../kernel/ids.ts';
import { insertMissing } from '../../kernel/insert-new.ts';
import type { Topology } from '../../science/topology/model.ts';
import { defaultTopologyId } from '../../science/topology/rules.ts';
import type { Topologies } from '../topologies/index.ts';
import type { ChipDocument, TargetDocument } from './model.ts';
import { couplingsOf, emptyNote, type NewTarget, qubitsOf } from './rules.ts';

/** Number of documents per insert command. */
const BATCH_SIZE = 2000;

/**
 * The topology of a chip of this size, by name or by default.
 * @throws bad_request for an unknown topology or one of another size
 */
export async function topologyFor(
  topologies: Pick<Topologies, 'find'>,
  { size, topology_id }: { size: number; topology_id: string | null },
): Promise<Topology> {
  const topology = await topologies.find(topology_id ?? defaultTopologyId(size));
  if (!topology) {
    throw new CalibronError(
      'bad_request',
      topology_id === null
        ? `There is no topology for ${size} qubits.`
        : 'There is no topology with this id.',
    );
  }
  if (topology.num_qubits !== size) {
    throw new CalibronError(
      'bad_request',
      `The topology ${topology.id} has ${topology.num_qubits} qubits, not ${size}.`,
    );
  }
  return topology;
}

/**
 * The topology of a new chip: one listed by `GET /topology/list`, with a shipped file or one added by the lab.
 * @throws bad_request for any other, or one of another size
 */
export async function listedTopologyFor(
  topologies: Pick<Topologies, 'find' | 'list'>,
  wanted: { size: number; topology_id: string | null },
): Promise<Topology> {
  const listed = await topologies.list();
  const id = wanted.topology_id ?? defaultTopologyId(wanted.size);
  if (listed.some((each) => each.id === id)) return topologyFor(topologies, wanted);
  const named = listed.map(({ id }) => id).join(', ') || 'none';
  throw new CalibronError(
    'bad_request',
    wanted.topology_id === null
      ? `A chip of the size ${wanted.size} needs a topology_id. Topologies: ${named}. A file in the folder topologies of the configuration adds another.`
      : 'There is no topology with this id.',
  );
}

/** Stores the qubits of a topology and both directions of each coupling, unless the chip already has them. */
export async function insertTargets(
  collections: Record<'qubit' | 'coupling', Collection<TargetDocument>>,
  chip: ChipDocument,
  topology: Topology,
): Promise<void> {
  await Promise.all([
    insertInBatches(collections.qubit, newTargets(chip, qubitsOf(topology))),
    insertInBatches(collections.coupling, newTargets(chip, couplingsOf(topology))),
  ]);
}

function newTargets(chip: ChipDocument, targets: readonly NewTarget[]): TargetDocument[] {
  return targets.map((target) => ({
    _id: keyOf(chip.project_id, chip.chip_id, target.qid),
    project_id: chip.project_id,
    username: chip.username,
    chip_id: chip.chip_id,
    ...target,
    status: 'pending',
    data: {},
    note: emptyNote,
    metric_notes: {},
    epoch: 0,
    sequence: 0,
    created_at: chip.created_at,
    updated_at: chip.created_at,
  }));
}

/** Inserts documents that are not stored yet. */
async function insertInBatches(
  targets: Collection<TargetDocument>,
  documents: TargetDocument[],
): Promise<void> {
  for (let start = 0; start < documents.length; start += BATCH_SIZE) {
    await insertMissing(targets, documents.slice(start, start + BATCH_SIZE));
  }
}
