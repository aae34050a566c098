import { type Collection, MongoBulkWriteError } from 'mongodb';
import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import { isDuplicateKey } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf } from '../../kernel/ids.ts';
import type { Topology } from '../../science/topology/model.ts';
import { defaultTopologyId, findTopology } from '../../science/topology/rules.ts';
import type {
  Chip,
  ChipDocument,
  ChipList,
  ChipTarget,
  CouplingList,
  NewChip,
  QubitList,
  TargetDocument,
  TargetKind,
  TargetParameter,
} from './model.ts';
import { couplingsOf, emptyNote, type NewTarget, qubitsOf } from './rules.ts';
import { chipOf, targetOf } from './wire.ts';

export const chipIndexes: CollectionIndexes[] = [
  { collection: 'chips', indexes: [{ name: 'by_chip', key: { project_id: 1, chip_id: 1 }, unique: true }] },
  ...['qubits', 'couplings'].map((collection) => ({
    collection,
    indexes: [
      {
        name: 'by_order',
        key: { project_id: 1 as const, chip_id: 1 as const, qid_order: 1 as const },
        unique: true,
      },
    ],
  })),
];

/** Milliseconds after which an unfinished creation counts as abandoned, and whoever meets it finishes it. */
const CREATION_TIMEOUT = 10_000;

/** Documents of one insert command. */
const BATCH_SIZE = 2000;

/** Chips, their qubits and their couplings. */
export function createChipStore(db: Db) {
  const chips = db.collection<ChipDocument>('chips');
  const qubits = db.collection<TargetDocument>('qubits');
  const couplings = db.collection<TargetDocument>('couplings');
  const targets = { qubit: qubits, coupling: couplings };

  /** Stores the qubits and couplings of a new chip, then marks it complete; safe to repeat. */
  async function build(chip: ChipDocument, topology: Topology): Promise<boolean> {
    await Promise.all([
      insertMissing(qubits, newTargets(chip, qubitsOf(topology))),
      insertMissing(couplings, newTargets(chip, couplingsOf(topology))),
    ]);
    const marked = await chips.updateOne({ _id: chip._id, complete: false }, { $set: { complete: true } });
    return marked.modifiedCount === 1;
  }

  function isAbandoned(chip: ChipDocument): boolean {
    return !chip.complete && Date.now() - chip.created_at.getTime() > CREATION_TIMEOUT;
  }

  /** A chip that can be used: complete, or completed here after its creation was cut off. */
  async function settled(chip: ChipDocument | null): Promise<ChipDocument | null> {
    if (!chip || chip.complete) return chip;
    const topology = isAbandoned(chip) ? findTopology(chip.topology_id) : null;
    if (!topology) return null;
    await build(chip, topology);
    return { ...chip, complete: true };
  }

  /** A chip of the project, null when there is none. */
  async function get(projectId: string, chipId: string): Promise<ChipDocument | null> {
    return settled(await chips.findOne({ _id: keyOf(projectId, chipId) }));
  }

  async function mustGet(projectId: string, chipId: string): Promise<ChipDocument> {
    const found = await get(projectId, chipId);
    if (!found) throw new CalibronError('not_found', 'There is no such chip in this project.');
    return found;
  }

  function pageOf(
    kind: TargetKind,
    projectId: string,
    chipId: string,
    page: { limit: number; offset: number },
  ): Promise<TargetDocument[]> {
    return targets[kind]
      .find({ project_id: projectId, chip_id: chipId })
      .sort({ qid_order: 1 })
      .skip(page.offset)
      .limit(page.limit)
      .toArray();
  }

  async function ids(kind: TargetKind, projectId: string, chipId: string): Promise<string[]> {
    const found = await targets[kind]
      .find({ project_id: projectId, chip_id: chipId })
      .sort({ qid_order: 1 })
      .project<{ qid: string }>({ _id: 0, qid: 1 })
      .toArray();
    return found.map((each) => each.qid);
  }

  return {
    get,

    /**
     * Creates a chip with every qubit of its topology and two couplings for every edge.
     * The chip's own document is written first and decides for one of several concurrent creations;
     * it becomes visible when all its parts are stored.
     * @throws bad_request for an unknown topology or one of another size, already_exists
     */
    async create(projectId: string, username: string, wanted: NewChip): Promise<Chip> {
      const topology = topologyFor(wanted);
      const now = new Date();
      const chip: ChipDocument = {
        _id: keyOf(projectId, wanted.chip_id),
        project_id: projectId,
        chip_id: wanted.chip_id,
        username,
        size: wanted.size,
        topology_id: topology.id,
        activity_status: 'active',
        current_cooldown_id: null,
        installed_at: now,
        note: emptyNote,
        qubit_count: topology.num_qubits,
        coupling_count: 2 * topology.couplings.length,
        complete: false,
        created_at: now,
        updated_at: now,
      };
      try {
        await chips.insertOne(chip);
      } catch (thrown) {
        if (!isDuplicateKey(thrown)) throw thrown;
        const before = await chips.findOne({ _id: chip._id });
        const repeated = before && isAbandoned(before) && before.topology_id === topology.id;
        if (repeated && (await build(before, topology))) return chipOf(before);
        throw new CalibronError('already_exists', 'A chip with this id already exists in the project.');
      }
      await build(chip, topology);
      return chipOf(chip);
    },

    /** The chips of a project, by id. */
    async list(projectId: string): Promise<ChipList> {
      const found = await chips.find({ project_id: projectId }).sort({ chip_id: 1 }).toArray();
      const usable = (await Promise.all(found.map(settled))).filter((each) => each !== null);
      return { chips: usable.map(chipOf), total: usable.length };
    },

    /** One chip. @throws not_found */
    async read(projectId: string, chipId: string): Promise<Chip> {
      return chipOf(await mustGet(projectId, chipId));
    },

    /**
     * A page of a chip's qubits by their number; `qids` narrows it.
     * @throws not_found when there is no such chip
     */
    async listQubits(
      projectId: string,
      chipId: string,
      page: { limit: number; offset: number; qids: readonly string[] },
    ): Promise<QubitList> {
      const chip = await mustGet(projectId, chipId);
      const { limit, offset, qids } = page;
      if (qids.length === 0) {
        const found = await pageOf('qubit', projectId, chipId, page);
        return { qubits: found.map(targetOf), total: chip.qubit_count, limit, offset };
      }
      const keys = [...new Set(qids)].map((qid) => keyOf(projectId, chipId, qid));
      const found = await qubits.find({ _id: { $in: keys } }).toArray();
      found.sort((a, b) => a.qid_order - b.qid_order);
      const shown = found.slice(offset, offset + limit);
      return { qubits: shown.map(targetOf), total: found.length, limit, offset };
    },

    /**
     * A page of a chip's couplings by control, then target.
     * @throws not_found when there is no such chip
     */
    async listCouplings(
      projectId: string,
      chipId: string,
      page: { limit: number; offset: number },
    ): Promise<CouplingList> {
      const chip = await mustGet(projectId, chipId);
      const found = await pageOf('coupling', projectId, chipId, page);
      return { couplings: found.map(targetOf), total: chip.coupling_count, ...page };
    },

    /** One qubit or coupling. @throws not_found when the chip or the target is unknown */
    async readTarget(kind: TargetKind, projectId: string, chipId: string, qid: string): Promise<ChipTarget> {
      await mustGet(projectId, chipId);
      const found = await targets[kind].findOne({ _id: keyOf(projectId, chipId, qid) });
      if (!found) throw new CalibronError('not_found', `There is no such ${kind} on this chip.`);
      return targetOf(found);
    },

    /**
     * All qubits or couplings of a chip by number, each with what calibration state holds of one parameter.
     * @throws not_found when there is no such chip
     */
    async targetParameters(
      kind: TargetKind,
      projectId: string,
      chipId: string,
      parameter: string,
    ): Promise<TargetParameter[]> {
      await mustGet(projectId, chipId);
      const found = await targets[kind]
        .find({ project_id: projectId, chip_id: chipId })
        .sort({ qid_order: 1 })
        .project<{ qid: string; data?: Record<string, TargetParameter['stored']> }>({
          _id: 0,
          qid: 1,
          [`data.${parameter}.value`]: 1,
          [`data.${parameter}.calibrated_at`]: 1,
          [`data.${parameter}.execution_id`]: 1,
        })
        .toArray();
      return found.map(({ qid, data }) => ({ qid, stored: data?.[parameter] }));
    },

    /** Ids of all qubits of a chip, by number. */
    allQubitIds: (projectId: string, chipId: string) => ids('qubit', projectId, chipId),

    /** Ids of all couplings of a chip, by control, then target. */
    allCouplingIds: (projectId: string, chipId: string) => ids('coupling', projectId, chipId),
  };
}

function topologyFor(wanted: NewChip): Topology {
  const topology = findTopology(wanted.topology_id ?? defaultTopologyId(wanted.size));
  if (!topology) {
    throw new CalibronError(
      'bad_request',
      wanted.topology_id === null
        ? `There is no topology for ${wanted.size} qubits.`
        : 'There is no topology with this id.',
    );
  }
  if (topology.num_qubits !== wanted.size) {
    throw new CalibronError(
      'bad_request',
      `The topology ${topology.id} has ${topology.num_qubits} qubits, not ${wanted.size}.`,
    );
  }
  return topology;
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

/** Inserts what is not stored yet. */
async function insertMissing(
  targets: Collection<TargetDocument>,
  documents: TargetDocument[],
): Promise<void> {
  for (let start = 0; start < documents.length; start += BATCH_SIZE) {
    try {
      await targets.insertMany(documents.slice(start, start + BATCH_SIZE), { ordered: false });
    } catch (thrown) {
      if (!onlyDuplicates(thrown)) throw thrown;
    }
  }
}

function onlyDuplicates(thrown: unknown): boolean {
  if (!(thrown instanceof MongoBulkWriteError)) return false;
  const errors = Array.isArray(thrown.writeErrors) ? thrown.writeErrors : [thrown.writeErrors];
  return errors.length > 0 && errors.every((error) => error.code === 11000);
}
