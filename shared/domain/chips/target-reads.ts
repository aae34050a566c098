import type { Collection } from 'mongodb';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import type {
  ChipDocument,
  ChipTarget,
  CouplingList,
  QubitList,
  TargetDocument,
  TargetKind,
} from './model.ts';
import { createTargetValues } from './target-values.ts';
import { targetOf } from './wire.ts';

type Targets = Record<TargetKind, Collection<TargetDocument>>;

interface Dependencies {
  targets: Targets;
  /** A chip of the project. @throws not_found */
  mustGet(projectId: ProjectId, chipId: string): Promise<Readonly<ChipDocument>>;
}

/** The numbers of qubits and couplings of a chip. */
export async function targetCounts({ qubit, coupling }: Targets, projectId: ProjectId, chipId: string) {
  const ofChip = { project_id: projectId, chip_id: chipId };
  const [qubit_count, coupling_count] = await Promise.all([
    qubit.countDocuments(ofChip),
    coupling.countDocuments(ofChip),
  ]);
  return { qubit_count, coupling_count };
}

/** Reads of the qubits and couplings of chips. */
export function createTargetReads({ targets, mustGet }: Dependencies) {
  /** A page of the targets of a chip, by number. */
  function pageOf(
    kind: TargetKind,
    projectId: ProjectId,
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

  /** Ids of the targets of a chip, by number. */
  async function ids(kind: TargetKind, projectId: ProjectId, chipId: string): Promise<string[]> {
    const found = await targets[kind]
      .find({ project_id: projectId, chip_id: chipId })
      .sort({ qid_order: 1 })
      .project<{ qid: string }>({ _id: 0, qid: 1 })
      .toArray();
    return found.map((each) => each.qid);
  }

  return {
    /**
     * A page of a chip's qubits by number, optionally only those in `qids`.
     * @throws not_found when there is no such chip
     */
    async listQubits(
      projectId: ProjectId,
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
      const found = await targets.qubit.find({ _id: { $in: keys } }).toArray();
      found.sort((a, b) => a.qid_order - b.qid_order);
      const shown = found.slice(offset, offset + limit);
      return { qubits: shown.map(targetOf), total: found.length, limit, offset };
    },

    /**
     * A page of a chip's couplings by control, then target.
     * @throws not_found when there is no such chip
     */
    async listCouplings(
      projectId: ProjectId,
      chipId: string,
      page: { limit: number; offset: number },
    ): Promise<CouplingList> {
      const chip = await mustGet(projectId, chipId);
      const found = await pageOf('coupling', projectId, chipId, page);
      return { couplings: found.map(targetOf), total: chip.coupling_count, ...page };
    },

    /** One qubit or coupling. @throws not_found when the chip or the target is unknown */
    async readTarget(
      kind: TargetKind,
      projectId: ProjectId,
      chipId: string,
      qid: string,
    ): Promise<ChipTarget> {
      await mustGet(projectId, chipId);
      const found = await targets[kind].findOne({ _id: keyOf(projectId, chipId, qid) });
      if (!found) throw new CalibronError('not_found', `There is no such ${kind} on this chip.`);
      return targetOf(found);
    },

    ...createTargetValues({ targets, mustGet }),

    /** All qubits or couplings of a chip as stored, by number. */
    allTargets: (kind: TargetKind, projectId: ProjectId, chipId: string): Promise<TargetDocument[]> =>
      targets[kind].find({ project_id: projectId, chip_id: chipId }).sort({ qid_order: 1 }).toArray(),

    /** Ids of all qubits of a chip, by number. */
    allQubitIds: (projectId: ProjectId, chipId: string) => ids('qubit', projectId, chipId),

    /** Ids of all couplings of a chip, by control, then target. */
    allCouplingIds: (projectId: ProjectId, chipId: string) => ids('coupling', projectId, chipId),
  };
}
