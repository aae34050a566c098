import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import { type ExecutionId, keyOf, type ProjectId } from '../../kernel/ids.ts';
import type { DecisionDocument, MaintenanceDecisionQuery, NewDecision } from './model.ts';

export const decisionIndexes: CollectionIndexes = {
  collection: 'maintenance_decisions',
  indexes: [{ name: 'by_execution', key: { project_id: 1, execution_id: 1, sequence: 1 }, unique: true }],
};

interface MaintainingRun {
  project_id: ProjectId;
  execution_id: ExecutionId;
}

/** What the runs that maintain a chip decided, and why. */
export function createDecisionStore(db: Db) {
  const decisions = db.collection<DecisionDocument>(decisionIndexes.collection);

  return {
    /** Stores decisions of a run. They are numbered over the whole run, so a repeat stores none twice and changes none. */
    async add({ project_id, execution_id }: MaintainingRun, added: readonly NewDecision[]): Promise<void> {
      if (added.length === 0) return;
      await decisions.bulkWrite(
        added.map((decision) => ({
          updateOne: {
            filter: { _id: keyOf(project_id, execution_id, decision.sequence) },
            update: { $setOnInsert: { project_id, execution_id, ...decision } },
            upsert: true,
          },
        })),
      );
    },

    /** A page of the decisions of a run, in order. */
    async ofExecution(
      { project_id, execution_id }: MaintainingRun,
      { qid, task_name, phase, decision, skip, limit }: MaintenanceDecisionQuery,
    ): Promise<{ items: DecisionDocument[]; total: number }> {
      const filter = {
        project_id,
        execution_id,
        ...(qid !== undefined && { targets: qid }),
        ...(task_name !== undefined && { task_name }),
        ...(phase && { phase }),
        ...(decision.length > 0 && { decision: { $in: decision } }),
      };
      const [items, total] = await Promise.all([
        decisions.find(filter).sort({ sequence: 1 }).skip(skip).limit(limit).toArray(),
        decisions.countDocuments(filter),
      ]);
      return { items, total };
    },
  };
}
