import type { Collection } from 'mongodb';
import type { Db } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { assertMet, entityTagOf, type Precondition, saveIfMet } from '../../kernel/preconditions.ts';
import { shownFieldsOf } from './changes.ts';
import type { createFormerChips } from './former-chips.ts';
import type { ChipDocument, DeletionImpact, TargetDocument, TargetKind } from './model.ts';
import { noSuchChip } from './rules.ts';
import { targetCounts } from './target-reads.ts';
import { chipOf } from './wire.ts';

/** Deletes chips. */
export function createChipRemoval({
  db,
  chips,
  targets,
  former,
  mustGet,
}: {
  db: Db;
  chips: Collection<ChipDocument>;
  targets: Record<TargetKind, Collection<TargetDocument>>;
  former: Pick<ReturnType<typeof createFormerChips>, 'forget'>;
  /** A chip of the project. @throws not_found */
  mustGet(projectId: ProjectId, chipId: string): Promise<Readonly<ChipDocument>>;
}) {
  const cooldowns = db.collection<{ _id: string; project_id: ProjectId; chip_ids: string[] }>('cooldowns');

  /** Removes the remains of a deleted chip; safe to repeat. */
  async function finishRemoval({ _id, project_id, chip_id }: ChipDocument): Promise<void> {
    const ofChip = { project_id, chip_id };
    await Promise.all([
      targets.coupling.deleteMany(ofChip),
      targets.qubit.deleteMany(ofChip),
      former.forget(ofChip),
      cooldowns.updateMany({ project_id, chip_ids: chip_id }, { $pull: { chip_ids: chip_id } }),
    ]);
    await chips.deleteOne({ _id, removed_at: { $exists: true } });
  }

  return {
    finishRemoval,

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
        targetCounts(targets, projectId, chipId),
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
      const { qubit_count, coupling_count } = await targetCounts(targets, projectId, chipId);
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
  };
}
