import { coalesced } from '../../kernel/coalesced-reads.ts';
import { type CollectionIndexes, type Db, isDuplicateKey } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import { assertMet, entityTagOf, type Precondition, saveIfMet } from '../../kernel/preconditions.ts';
import type { Topology } from '../../science/topology/model.ts';
import type { Topologies } from '../topologies/index.ts';
import { createChipChange, shownFieldsOf } from './changes.ts';
import { createFormerChips } from './former-chips.ts';
import type { Chip, ChipDocument, ChipList, DeletionImpact, NewChip, TargetDocument } from './model.ts';
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
  const cooldowns = db.collection<{ _id: string; project_id: ProjectId; chip_ids: string[] }>('cooldowns');

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

  function countTargets(projectId: ProjectId, chipId: string) {
    return targetCounts(targets, projectId, chipId);
  }

  /** Removes the remains of a deleted chip; safe to repeat. */
  async function finishRemoval({ _id, project_id, chip_id }: ChipDocument): Promise<void> {
    const ofChip = { project_id, chip_id };
    await Promise.all([
      couplings.deleteMany(ofChip),
      qubits.deleteMany(ofChip),
      former.forget(ofChip),
      cooldowns.updateMany({ project_id, chip_ids: chip_id }, { $pull: { chip_ids: chip_id } }),
    ]);
    await chips.deleteOne({ _id, removed_at: { $exists: true } });
  }

  return {
    get,

    /** A chip of the project. @throws not_found */
    mustGet,

    change: createChipChange({ chips, targets, topologies, mustGet, countTargets }),

    /** What deleting a chip would affect. @throws not_found */
    async deletionImpact(projectId: ProjectId, chipId: string): Promise<DeletionImpact> {
      await mustGet(projectId, chipId);
      const ofChip = { project_id: projectId, chip_id: chipId };
      const [
        counts,
        task_results,
        qubit_history_snapshots,
        coupling_history_snapshots,
        cooldowns_referencing,
      ] = await Promise.all([
        countTargets(projectId, chipId),
        db.collection('task_results').countDocuments(ofChip),
        db.collection('qubit_history').countDocuments(ofChip),
        db.collection('coupling_history').countDocuments(ofChip),
        cooldowns.countDocuments({ project_id: projectId, chip_ids: chipId }),
      ]);
      const { qubit_count, coupling_count } = counts;
      return {
        chip_id: chipId,
        qubits: qubit_count,
        couplings: coupling_count,
        task_results,
        qubit_history_snapshots,
        coupling_history_snapshots,
        cooldowns_referencing,
        can_delete_safely: qubit_count === 0 && coupling_count === 0,
      };
    },

    /**
     * Deletes a chip with its qubits and couplings, and removes it from its cool-downs; history and results are kept. Atomic for
     * readers.
     * @throws not_found; precondition_failed when it has changed since the caller read it; conflict when it has qubits or couplings
     * and `force` is not given
     */
    async remove(
      projectId: ProjectId,
      chipId: string,
      force: boolean,
      precondition?: Precondition,
    ): Promise<void> {
      const chip = await mustGet(projectId, chipId);
      const tagOf = (current: Readonly<ChipDocument>) => entityTagOf(chipOf(current));
      if (precondition !== undefined) assertMet(precondition, tagOf(chip));
      const { qubit_count, coupling_count } = await countTargets(projectId, chipId);
      if (!force && qubit_count + coupling_count > 0) {
        throw new CalibronError(
          'conflict',
          `The chip ${chipId} has ${qubit_count} qubits and ${coupling_count} couplings. Delete it with force=true to delete them too.`,
        );
      }
      const marked = await saveIfMet(precondition, {
        read: () => mustGet(projectId, chipId),
        tagOf,
        async write(expected) {
          const { matchedCount } = await chips.updateOne(
            { _id: chip._id, removed_at: { $exists: false }, ...(expected && shownFieldsOf(expected)) },
            { $set: { removed_at: new Date() } },
          );
          return matchedCount === 1 ? true : null;
        },
      });
      if (marked === null) throw noSuchChip();
      await finishRemoval(chip);
    },
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

    ...targetReads,
  };
}
