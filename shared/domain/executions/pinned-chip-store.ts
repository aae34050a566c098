import { type CollectionIndexes, type Db, retryDuplicateKey } from '../../kernel/database.ts';
import { type ExecutionId, keyOf, type ProjectId } from '../../kernel/ids.ts';

export const pinnedChipIndexes: readonly CollectionIndexes[] = [{ collection: 'flow_contexts', indexes: [] }];

/** The chip as it was when the run started: later changes of the chip must not affect the run's choices. */
export interface PinnedChip {
  qubits: string[];
  couplings: string[];
}

interface PinnedChipDocument extends PinnedChip {
  /** `<project_id>/<execution_id>` */
  _id: string;
  project_id: ProjectId;
  execution_id: ExecutionId;
  created_at: Date;
}

/** The pinned chip of each run, written once. */
export function createPinnedChipStore(db: Db) {
  const contexts = db.collection<PinnedChipDocument>('flow_contexts');
  return {
    /** The pinned chip of a run; null before its first command. */
    get(projectId: ProjectId, executionId: ExecutionId): Promise<PinnedChip | null> {
      return contexts.findOne({ _id: keyOf(projectId, executionId) });
    },

    /** Pins a run's chip, unless it is already pinned. @returns the pinned chip */
    async pin(projectId: ProjectId, executionId: ExecutionId, chip: PinnedChip): Promise<PinnedChip> {
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
