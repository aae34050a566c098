import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import { repeatLost } from '../../kernel/repeat-lost.ts';
import { createIssueLists } from './issue-lists.ts';
import type { IssueDocument, StoredReply } from './model.ts';

export const issueIndexes: CollectionIndexes = {
  collection: 'issues',
  indexes: [
    { name: 'by_time', key: { project_id: 1, created_at: -1, issue_id: 1 } },
    { name: 'by_state', key: { project_id: 1, is_closed: 1, created_at: -1, issue_id: 1 } },
    { name: 'by_task', key: { project_id: 1, task_id: 1, created_at: -1, issue_id: 1 } },
    { name: 'by_reply', key: { project_id: 1, 'replies.issue_id': 1 } },
  ],
};

export type IssueStore = ReturnType<typeof createIssueStore>;

/** Issues with their replies. */
export function createIssueStore(db: Db) {
  const issues = db.collection<IssueDocument>(issueIndexes.collection);

  /** An issue, not a reply; null if there is none with this id. */
  const find = (projectId: ProjectId, issueId: string) => issues.findOne({ _id: keyOf(projectId, issueId) });

  return {
    find,
    ...createIssueLists(issues),

    /** The issue with this id, or the issue that contains the reply with this id. */
    async findThread(projectId: ProjectId, id: string): Promise<IssueDocument | null> {
      return (await find(projectId, id)) ?? issues.findOne({ project_id: projectId, 'replies.issue_id': id });
    },

    async insert(document: IssueDocument): Promise<void> {
      await insertNew(issues, document);
    },

    /**
     * Adds a reply to an issue that has room for it and is open (closed issues too with `evenClosed`). A reply that
     * already exists is not added again. @returns the updated issue, null if nothing was added
     */
    addReply(
      { _id }: Pick<IssueDocument, '_id'>,
      reply: StoredReply,
      { limit, evenClosed }: { limit: number; evenClosed: boolean },
    ): Promise<IssueDocument | null> {
      const id = reply.issue_id;
      return repeatLost(async () => {
        const after = await issues.findOneAndUpdate(
          {
            _id,
            reply_count: { $lt: limit },
            'replies.issue_id': { $ne: id },
            ...(!evenClosed && { is_closed: false }),
          },
          { $push: { replies: reply }, $inc: { reply_count: 1 } },
          { returnDocument: 'after' },
        );
        return after ?? issues.findOne({ _id, 'replies.issue_id': id });
      });
    },

    change(
      { _id }: Pick<IssueDocument, '_id'>,
      fields: Partial<Pick<IssueDocument, 'title' | 'content' | 'updated_at'>>,
    ): Promise<IssueDocument | null> {
      return issues.findOneAndUpdate({ _id }, { $set: fields }, { returnDocument: 'after' });
    },

    changeReply(
      { _id }: Pick<IssueDocument, '_id'>,
      replyId: string,
      { content, updated_at }: Pick<StoredReply, 'content' | 'updated_at'>,
    ): Promise<IssueDocument | null> {
      return issues.findOneAndUpdate(
        { _id, 'replies.issue_id': replyId },
        { $set: { 'replies.$.content': content, 'replies.$.updated_at': updated_at } },
        { returnDocument: 'after' },
      );
    },

    /** Removes an issue and its replies atomically. @returns whether this call removed it */
    async remove({ _id }: Pick<IssueDocument, '_id'>): Promise<boolean> {
      return (await issues.deleteOne({ _id })).deletedCount === 1;
    },

    /** @returns whether this call removed the reply */
    async removeReply({ _id }: Pick<IssueDocument, '_id'>, replyId: string): Promise<boolean> {
      const removed = await issues.updateOne(
        { _id, 'replies.issue_id': replyId },
        { $pull: { replies: { issue_id: replyId } }, $inc: { reply_count: -1 } },
      );
      return removed.modifiedCount === 1;
    },

    /** Closes or reopens an issue. @returns the issue, null if it was in this state already */
    setClosed({ _id }: Pick<IssueDocument, '_id'>, is_closed: boolean): Promise<IssueDocument | null> {
      return issues.findOneAndUpdate(
        { _id, is_closed: !is_closed },
        { $set: { is_closed, updated_at: new Date() } },
        { returnDocument: 'after' },
      );
    },
  };
}
