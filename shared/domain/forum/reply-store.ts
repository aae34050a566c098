import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import type { ReplyDocument } from './model.ts';

export const replyIndexes: readonly CollectionIndexes[] = [
  {
    collection: 'forum_replies',
    indexes: [
      { name: 'by_thread', key: { project_id: 1, parent_id: 1, is_deleted: 1, created_at: 1, id: 1 } },
    ],
  },
];

export type ReplyStore = ReturnType<typeof createReplyStore>;

/** The replies of all threads. Replies of deleted threads are never read. */
export function createReplyStore(db: Db) {
  const replies = db.collection<ReplyDocument>('forum_replies');
  const ofThread = (projectId: ProjectId, threadId: string) => ({
    project_id: projectId,
    parent_id: threadId,
    is_deleted: false,
  });

  return {
    async insert(reply: Omit<ReplyDocument, '_id'>): Promise<ReplyDocument> {
      const document = { _id: keyOf(reply.project_id, reply.id), ...reply };
      await insertNew(replies, document);
      return document;
    },

    find: (projectId: ProjectId, id: string) =>
      replies.findOne({ _id: keyOf(projectId, id), is_deleted: false }),

    /** Replies of a thread, oldest first. */
    page: (projectId: ProjectId, threadId: string, { skip, limit }: { skip: number; limit: number }) =>
      replies
        .find(ofThread(projectId, threadId))
        .sort({ created_at: 1, id: 1 })
        .skip(skip)
        .limit(limit)
        .toArray(),

    /** The newest replies of a thread, in chronological order. */
    async newest(projectId: ProjectId, threadId: string, limit: number): Promise<ReplyDocument[]> {
      const found = await replies
        .find(ofThread(projectId, threadId))
        .sort({ created_at: -1, id: -1 })
        .limit(limit)
        .toArray();
      return found.reverse();
    },

    /** Number of replies of each of the given threads; threads without replies are absent. */
    async count(projectId: ProjectId, threadIds: readonly string[]): Promise<Map<string, number>> {
      const counted = await replies
        .aggregate<{ _id: string; count: number }>([
          { $match: { project_id: projectId, parent_id: { $in: [...threadIds] }, is_deleted: false } },
          { $group: { _id: '$parent_id', count: { $sum: 1 } } },
        ])
        .toArray();
      return new Map(counted.map(({ _id, count }) => [_id, count]));
    },

    change: (
      seen: ReplyDocument,
      fields: Partial<Pick<ReplyDocument, 'content' | 'content_blocks' | 'updated_at'>>,
    ) =>
      replies.findOneAndUpdate(
        { _id: seen._id, is_deleted: false },
        { $set: fields },
        { returnDocument: 'after' },
      ),

    /** Hides a reply; false if it was already hidden. */
    async remove(projectId: ProjectId, id: string): Promise<boolean> {
      const { modifiedCount } = await replies.updateOne(
        { _id: keyOf(projectId, id), is_deleted: false },
        { $set: { is_deleted: true, updated_at: new Date() } },
      );
      return modifiedCount === 1;
    },
  };
}
