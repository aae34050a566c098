import { type CollectionIndexes, type Db, retryDuplicateKey } from '../../kernel/database.ts';
import { keyOf } from '../../kernel/ids.ts';

export const pinnedChipIndexes: readonly CollectionIndexes[] = [{ collection: 'flow_contexts', indexes: [] }];

/** The chip as a run found it at its start: a chip that changes meanwhile must not change the run's choices. */
export interface PinnedChip {
  qubits: string[];
  couplings: string[];
}

interface PinnedChipDocument extends PinnedChip {
  /** `<project_id>/<execution_id>` */
  _id: string;
  project_id: string;
  execution_id: string;
  created_at: Date;
}

/** The chip of each run as its flow knows it, written once. */
export function createPinnedChipStore(db: Db) {
  const contexts = db.collection<PinnedChipDocument>('flow_contexts');
  return {
    /** The pinned chip of a run, null before its first command. */
    get(projectId: string, executionId: string): Promise<PinnedChip | null> {
      return contexts.findOne({ _id: keyOf(projectId, executionId) });
    },

    /** Pins a run's chip, unless it is pinned already. @returns what is pinned */
    async pin(projectId: string, executionId: string, chip: PinnedChip): Promise<PinnedChip> {
      const _id = keyOf(projectId, executionId);
      const fields = { ...chip, project_id: projectId, execution_id: executionId, created_at: new Date() };
      const pinned = await retryDuplicateKey(() =>
        contexts.findOneAndUpdate(
          { _id },
          { $setOnInsert: fields },
          { upsert: true, returnDocument: 'after' },
        ),
      );
      return pinned ?? chip;
    },
  };
}
