import type { Db } from '../../kernel/database.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import type { ChipDocument, StoredNote, TargetDocument, TargetKind } from './model.ts';
import { noteIs } from './rules.ts';

/** Characters that cannot be part of a path in the store; no note has such a key. */
const notAPath = /[.$\0]/;

/** A qubit or coupling of a chip of a project. */
interface TargetPlace {
  projectId: ProjectId;
  chipId: string;
  kind: TargetKind;
  qid: string;
}

const keyOfTarget = ({ projectId, chipId, qid }: TargetPlace) => keyOf(projectId, chipId, qid);

/** Notes on chips, qubits and couplings themselves, independent of cool-down and time. */
export function createOwnNotes(db: Db) {
  const chips = db.collection<Pick<ChipDocument, '_id' | 'note'>>('chips');
  const targets = {
    qubit: db.collection<TargetDocument>('qubits'),
    coupling: db.collection<TargetDocument>('couplings'),
  };

  return {
    /** @param expected the note as it was read; the write fails if it has changed. @returns whether it was written */
    async putChip(
      projectId: ProjectId,
      chipId: string,
      note: StoredNote,
      expected?: StoredNote,
    ): Promise<boolean> {
      const written = await chips.updateOne(
        { _id: keyOf(projectId, chipId), ...(expected && noteIs(expected)) },
        { $set: { note } },
      );
      return written.matchedCount === 1;
    },

    /** @param expected the note as it was read; the write fails if it has changed. @returns whether it was written */
    async putTarget(target: TargetPlace, note: StoredNote, expected?: StoredNote): Promise<boolean> {
      const written = await targets[target.kind].updateOne(
        { _id: keyOfTarget(target), ...(expected && noteIs(expected)) },
        { $set: { note } },
      );
      return written.matchedCount === 1;
    },

    /**
     * @param expected the note as it was read; nothing is cleared if it has changed
     * @returns false if there was no note
     */
    async clearTarget(target: TargetPlace, empty: StoredNote, expected?: StoredNote): Promise<boolean> {
      const cleared = await targets[target.kind].updateOne(
        { _id: keyOfTarget(target), ...(expected ? noteIs(expected) : { 'note.updated_at': { $ne: null } }) },
        { $set: { note: empty } },
      );
      return cleared.matchedCount === 1;
    },

    /** @returns whether the note existed */
    async removeMetric(target: TargetPlace, metric: string): Promise<boolean> {
      if (notAPath.test(metric)) return false;
      const field = `metric_notes.${metric}`;
      const removed = await targets[target.kind].updateOne(
        { _id: keyOfTarget(target), [field]: { $exists: true } },
        { $unset: { [field]: '' } },
      );
      return removed.matchedCount === 1;
    },

    /** Qubits or couplings of a chip that have their own notes. */
    noted(
      kind: TargetKind,
      projectId: ProjectId,
      chipId: string,
    ): Promise<Pick<TargetDocument, 'qid' | 'note' | 'metric_notes'>[]> {
      return targets[kind]
        .find({
          project_id: projectId,
          chip_id: chipId,
          $or: [{ 'note.updated_at': { $ne: null } }, { metric_notes: { $ne: {} } }],
        })
        .project<Pick<TargetDocument, 'qid' | 'note' | 'metric_notes'>>({
          _id: 0,
          qid: 1,
          note: 1,
          metric_notes: 1,
        })
        .toArray();
    },
  };
}
