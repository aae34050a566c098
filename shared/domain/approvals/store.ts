import type { Db } from 'mongodb';
import type { CollectionIndexes } from '../../kernel/database.ts';
import { type ExecutionId, keyOf, type ProjectId } from '../../kernel/ids.ts';
import type { ApprovalDocument, ApprovalStatus } from './model.ts';

export const approvalIndexes: CollectionIndexes = {
  collection: 'approvals',
  indexes: [
    { name: 'by_execution', key: { project_id: 1, execution_id: 1, index: 1 }, unique: true },
    { name: 'by_age', key: { project_id: 1, created_at: -1, _id: 1 } },
    { name: 'by_status', key: { project_id: 1, status: 1, created_at: -1, _id: 1 } },
  ],
};

/** Filters of GET /approvals, all exact. */
export interface ApprovalFilter {
  status?: ApprovalStatus | undefined;
  execution_id?: ExecutionId | undefined;
}

export type ApprovalStore = ReturnType<typeof createApprovalStore>;

/** Questions of flows to people. The transition from `pending` decides between concurrent answers and the deadline. */
export function createApprovalStore(db: Db) {
  const approvals = db.collection<ApprovalDocument>(approvalIndexes.collection);
  return {
    /** Stores a question once; a repeat changes neither deadline nor answer. */
    async open(document: ApprovalDocument): Promise<void> {
      const { _id, ...fields } = document;
      await approvals.updateOne({ _id }, { $setOnInsert: fields }, { upsert: true });
    },

    get(projectId: ProjectId, executionId: ExecutionId, index: number): Promise<ApprovalDocument | null> {
      return approvals.findOne({ _id: keyOf(projectId, executionId, index) });
    },

    /**
     * Ends a question that is still open.
     * @returns the changed approval; null when it was no longer open
     */
    settle(
      document: Pick<ApprovalDocument, '_id'>,
      outcome: Pick<ApprovalDocument, 'status' | 'answer' | 'answered_by' | 'answered_at'>,
    ): Promise<ApprovalDocument | null> {
      return approvals.findOneAndUpdate(
        { _id: document._id, status: 'pending' },
        { $set: outcome },
        { returnDocument: 'after' },
      );
    },

    /** Withdraws the open questions of an execution that ends. */
    async withdraw(projectId: ProjectId, executionId: ExecutionId, at: Date): Promise<void> {
      await approvals.updateMany(
        { project_id: projectId, execution_id: executionId, status: 'pending' },
        { $set: { status: 'withdrawn', answered_at: at } },
      );
    },

    /** A page of a project's approvals, newest first, with the count of all. */
    async page(projectId: ProjectId, filter: ApprovalFilter, page: { skip: number; limit: number }) {
      const matching = {
        project_id: projectId,
        ...(filter.status && { status: filter.status }),
        ...(filter.execution_id && { execution_id: filter.execution_id }),
      };
      const [items, total] = await Promise.all([
        approvals.find(matching).sort({ created_at: -1, _id: 1 }).skip(page.skip).limit(page.limit).toArray(),
        approvals.countDocuments(matching),
      ]);
      return { items, total };
    },
  };
}
