import { coalesced } from '../../kernel/coalesced-reads.ts';
import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import { isDuplicateKey } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import { assertMet, entityTagOf, type Precondition, saveIfMet } from '../../kernel/preconditions.ts';
import type { Topology } from '../../science/topology/model.ts';
import type { Topologies } from '../topologies/index.ts';
import { createChipChange, shownFieldsOf } from './changes.ts';
import { createFormerChips } from './former-chips.ts';
import type {
  Chip,
  ChipDocument,
  ChipList,
  ChipTarget,
  CouplingList,
  DeletionImpact,
  NewChip,
  QubitList,
  TargetDocument,
  TargetKind,
  TargetParameter,
  TargetValue,
} from './model.ts';
import { emptyNote, noSuchChip } from './rules.ts';
import { insertTargets, listedTopologyFor } from './targets-of-topology.ts';
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
  const cooldowns = db.collection<{ _id: string; project_id: string; chip_ids: string[] }>('cooldowns');

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
  async function get(projectId: string, chipId: string): Promise<Readonly<ChipDocument> | null> {
    return settled(await stored(keyOf(projectId, chipId)));
  }

  async function mustGet(projectId: string, chipId: string): Promise<Readonly<ChipDocument>> {
    const found = await get(projectId, chipId);
    if (!found) throw noSuchChip();
    return found;
  }

  async function countTargets(projectId: string, chipId: string) {
    const ofChip = { project_id: projectId, chip_id: chipId };
    const [qubit_count, coupling_count] = await Promise.all([
      qubits.countDocuments(ofChip),
      couplings.countDocuments(ofChip),
    ]);
    return { qubit_count, coupling_count };
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
    async deletionImpact(projectId: string, chipId: string): Promise<DeletionImpact> {
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
      projectId: string,
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
    count: (projectId: string) => chips.countDocuments({ project_id: projectId }),

    /**
     * Creates a chip with every qubit of its topology and two couplings for every edge. The chip's own document is written first
     * and decides between concurrent creations. The chip becomes visible when all its parts are stored.
     * @throws bad_request for an unknown topology or one of another size, already_exists
     */
    async create(projectId: string, username: string, wanted: NewChip): Promise<Chip> {
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
     * A page of a chip's qubits by number, optionally only those in `qids`.
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
     * All qubits or couplings of a chip by number, each with one parameter of its calibration state.
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

    /** Ids of the qubits or couplings of a chip whose stored value of a parameter is above a threshold, by number. */
    async targetsAbove(
      kind: TargetKind,
      projectId: string,
      chipId: string,
      { parameter, threshold }: { parameter: string; threshold: number },
    ): Promise<string[]> {
      const found = await targets[kind]
        .find({ project_id: projectId, chip_id: chipId })
        .sort({ qid_order: 1 })
        .project<{ qid: string; data?: Record<string, Pick<TargetValue, 'value'>> }>({
          _id: 0,
          qid: 1,
          [`data.${parameter}.value`]: 1,
        })
        .toArray();
      const isAbove = (value: unknown) => typeof value === 'number' && value > threshold;
      return found.filter(({ data }) => isAbove(data?.[parameter]?.value)).map(({ qid }) => qid);
    },

    /** All qubits or couplings of a chip by number, with some parameters of their calibration state. */
    async targetValues(
      kind: TargetKind,
      projectId: string,
      chipId: string,
      parameters: readonly string[],
    ): Promise<{ qid: string; data: Record<string, TargetValue> }[]> {
      const fields = ['value', 'error', 'unit', 'task_id', 'calibrated_at', 'execution_id'];
      const found = await targets[kind]
        .find({ project_id: projectId, chip_id: chipId })
        .sort({ qid_order: 1 })
        .project<{ qid: string; data?: Record<string, TargetValue> }>({
          _id: 0,
          qid: 1,
          ...Object.fromEntries(
            parameters.flatMap((name) => fields.map((field) => [`data.${name}.${field}`, 1] as const)),
          ),
        })
        .toArray();
      return found.map(({ qid, data = {} }) => ({ qid, data }));
    },

    /** All qubits or couplings of a chip as stored, by number. */
    allTargets: (kind: TargetKind, projectId: string, chipId: string): Promise<TargetDocument[]> =>
      targets[kind].find({ project_id: projectId, chip_id: chipId }).sort({ qid_order: 1 }).toArray(),

    /** Ids of all qubits of a chip, by number. */
    allQubitIds: (projectId: string, chipId: string) => ids('qubit', projectId, chipId),

    /** Ids of all couplings of a chip, by control, then target. */
    allCouplingIds: (projectId: string, chipId: string) => ids('coupling', projectId, chipId),
  };
}
