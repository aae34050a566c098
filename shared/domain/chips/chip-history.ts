import type { Db } from 'mongodb';
import { coalesced } from '../../kernel/coalesced-reads.ts';
import { retryDuplicateKey } from '../../kernel/database.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';

interface ChipHistoryDocument {
  _id: string;
  project_id: ProjectId;
  chip_id: string;
  username: string;
  size: number;
  qubits: number;
  couplings: number;
  installed_at: Date;
  recorded_date: string;
}

/** The daily history of chips, and the cool-downs that they are in. */
export function createChipHistory(db: Db) {
  const chipHistory = db.collection<ChipHistoryDocument>('chip_history');

  const findCooldown = coalesced((ids) =>
    chips
      .find({ _id: { $in: [...ids] } })
      .project<{ _id: string; current_cooldown_id: string | null }>({ current_cooldown_id: 1 })
      .toArray(),
  );

  const chips = db.collection<
    { _id: string; current_cooldown_id: string | null } & Omit<
      ChipHistoryDocument,
      '_id' | 'recorded_date' | 'qubits' | 'couplings'
    > & { qubit_count: number; coupling_count: number }
  >('chips');

  return {
    /** The current cool-down of a chip, copied to everything written meanwhile. */
    async currentCooldown(projectId: ProjectId, chipId: string): Promise<string | null> {
      return (await findCooldown(keyOf(projectId, chipId)))?.current_cooldown_id ?? null;
    },

    /** Writes the chip's daily snapshot; the last run of a day wins. */
    async snapshotChip(projectId: ProjectId, chipId: string, recordedDate: string): Promise<void> {
      const chip = await chips.findOne({ _id: keyOf(projectId, chipId) });
      if (!chip) return;
      await retryDuplicateKey(() =>
        chipHistory.updateOne(
          { _id: keyOf(projectId, chipId, recordedDate) },
          {
            $set: {
              project_id: projectId,
              chip_id: chipId,
              username: chip.username,
              size: chip.size,
              qubits: chip.qubit_count,
              couplings: chip.coupling_count,
              installed_at: chip.installed_at,
              recorded_date: recordedDate,
            },
          },
          { upsert: true },
        ),
      );
    },
  };
}
