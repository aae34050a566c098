import { coalesced } from '../../kernel/coalesced-reads.ts';
import { type CollectionIndexes, type Db, isDuplicateKey } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import type { Topology } from '../../science/topology/model.ts';
import type { Topologies } from '../topologies/index.ts';
import { createChipChange } from './changes.ts';
import { createChipRemoval } from './chip-removal.ts';
import { createFormerChips } from './former-chips.ts';
import type { Chip, ChipDocument, ChipList, NewChip, TargetDocument } from './model.ts';
import { emptyNote, noSuchChip } from './rules.ts';
import { createTargetReads, targetCounts } from './target-reads.ts';
import { insertTargets, listedTopologyFor } from './targets-of-topology.ts';
import { chipOf } from './wire.ts';

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

/** Milliseconds after which an unfinished creation counts as abandoned; the next process that reads the chip completes it. */
const CREATION_TIMEOUT = 10_000;

/** Chips, their qubits and their couplings. */
export function createChipStore(db: Db, topologies: Pick<Topologies, 'find' | 'list'>) {
  const chips = db.collection<ChipDocument>('chips');
  const qubits = db.collection<TargetDocument>('qubits');
  const couplings = db.collection<TargetDocument>('couplings');
  const targets = { qubit: qubits, coupling: couplings };
  const former = createFormerChips(db);
  const stored = coalesced((ids) => chips.find({ _id: { $in: [...ids] } }).toArray());
  /** Stores the qubits and couplings of a new chip, then marks it complete; safe to repeat. */
  async function build(chip: ChipDocument, topology: Topology): Promise<boolean> {
    // Once the chip is complete, the documents under its id are its own.
    const isNew = await chips.findOne({ _id: chip._id, complete: false }, { projection: { _id: 1 } });
    if (isNew) await former.retire(chip, chip.created_at);
    await insertTargets(targets, chip, topology);
    const marked = await chips.updateOne({ _id: chip._id, complete: false }, { $set: { complete: true } });
    return marked.modifiedCount === 1;
  }

  function isAbandoned(chip: ChipDocument): boolean {
    return !chip.complete && Date.now() - chip.created_at.getTime() > CREATION_TIMEOUT;
  }

  /** A usable chip: complete, or completed here after its creation was interrupted. */
  async function settled(chip: Readonly<ChipDocument> | null): Promise<Readonly<ChipDocument> | null> {
    if (!chip || chip.removed_at) return null;
    if (chip.complete) return chip;
    const topology = isAbandoned(chip) ? await topologies.find(chip.topology_id) : null;
    if (!topology) return null;
    await build(chip, topology);
    return { ...chip, complete: true };
  }

  /** A chip of the project; null if there is none. */
  async function get(projectId: ProjectId, chipId: string): Promise<Readonly<ChipDocument> | null> {
    return settled(await stored(keyOf(projectId, chipId)));
  }

  async function mustGet(projectId: ProjectId, chipId: string): Promise<Readonly<ChipDocument>> {
    const found = await get(projectId, chipId);
    if (!found) throw noSuchChip();
    return found;
  }

  const targetReads = createTargetReads({ targets, mustGet });
  const { finishRemoval, ...removal } = createChipRemoval({ db, chips, targets, former, mustGet });

  function countTargets(projectId: ProjectId, chipId: string) {
    return targetCounts(targets, projectId, chipId);
  }

  return {
    get,

    /** A chip of the project. @throws not_found */
    mustGet,

    change: createChipChange({ chips, targets, topologies, mustGet, countTargets }),

    /** Number of chips of a project. */
    count: (projectId: ProjectId) => chips.countDocuments({ project_id: projectId }),

    /**
     * Creates a chip with every qubit of its topology and two couplings for every edge. The chip's own document is written first
     * and decides between concurrent creations. The chip becomes visible when all its parts are stored.
     * @throws bad_request for an unknown topology or one of another size, already_exists
     */
    async create(projectId: ProjectId, username: string, wanted: NewChip): Promise<Chip> {
      const topology = await listedTopologyFor(topologies, wanted);
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
        await insertNew(chips, chip);
      } catch (thrown) {
        if (!isDuplicateKey(thrown)) throw thrown;
        const before = await chips.findOne({ _id: chip._id });
        if (before?.removed_at) {
          await finishRemoval(before);
          return this.create(projectId, username, wanted);
        }
        const repeated = before && isAbandoned(before) && before.topology_id === topology.id;
        if (repeated && (await build(before, topology))) return chipOf(before);
        throw new CalibronError('already_exists', 'A chip with this id already exists in the project.');
      }
      await build(chip, topology);
      return chipOf(chip);
    },

    /** The chips of a project, by id. */
    async list(projectId: ProjectId): Promise<ChipList> {
      const found = await chips.find({ project_id: projectId }).sort({ chip_id: 1 }).toArray();
      const usable = (await Promise.all(found.map(settled))).filter((each) => each !== null);
      return { chips: usable.map(chipOf), total: usable.length };
    },

    /** One chip. @throws not_found */
    async read(projectId: ProjectId, chipId: string): Promise<Chip> {
      return chipOf(await mustGet(projectId, chipId));
    },

    ...removal,
    ...targetReads,
  };
}
