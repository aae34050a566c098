import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import { keyOf } from '../../kernel/ids.ts';

export const flowContextIndexes: readonly CollectionIndexes[] = [
  { collection: 'flow_contexts', indexes: [] },
];

/** The chip as a run found it at its start: a chip that changes meanwhile must not change the run's choices. */
export interface PinnedChip {
  qubits: string[];
  couplings: string[];
}

interface FlowContextDocument extends PinnedChip {
  /** `<project_id>/<execution_id>` */
  _id: string;
  project_id: string;
  execution_id: string;
  created_at: Date;
}

/** What each run's flow knows of its chip, written once. */
export function createFlowContextStore(db: Db) {
  const contexts = db.collection<FlowContextDocument>('flow_contexts');
  return {
    /** The pinned chip of a run, null before its first step. */
    get(projectId: string, executionId: string): Promise<PinnedChip | null> {
      return contexts.findOne({ _id: keyOf(projectId, executionId) });
    },

    /** Pins a run's chip, unless it is pinned already. @returns what is pinned */
    async pin(projectId: string, executionId: string, chip: PinnedChip): Promise<PinnedChip> {
      const _id = keyOf(projectId, executionId);
      const fields = { ...chip, project_id: projectId, execution_id: executionId, created_at: new Date() };
      await contexts.updateOne({ _id }, { $setOnInsert: fields }, { upsert: true });
      return (await contexts.findOne({ _id })) ?? chip;
    },
  };
}
