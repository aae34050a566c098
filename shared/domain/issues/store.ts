import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import { keyOf, type ProjectId, type TaskId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import { repeatLost } from '../../kernel/repeat-lost.ts';
import type { IssueDocument, IssueQuery, IssueRow, StoredReply, WrittenQuery } from './model.ts';

export const issueIndexes: CollectionIndexes = {
  collection: 'issues',
  indexes: [
    { name: 'by_time', key: { project_id: 1, created_at: -1, issue_id: 1 } },
    { name: 'by_state', key: { project_id: 1, is_closed: 1, created_at: -1, issue_id: 1 } },
    { name: 'by_task', key: { project_id: 1, task_id: 1, created_at: -1, issue_id: 1 } },
    { name: 'by_reply', key: { project_id: 1, 'replies.issue_id': 1 } },
  ],
};

/** Creation times of an issue and its replies. */
interface WrittenTimes extends Pick<IssueDocument, '_id' | 'issue_id' | 'created_at'> {
  replies: Pick<StoredReply, 'issue_id' | 'created_at'>[];
}

export type IssueStore = ReturnType<typeof createIssueStore>;

/** Issues with their replies. */
export function createIssueStore(db: Db) {
  const issues = db.collection<IssueDocument>(issueIndexes.collection);

  /** An issue, not a reply; null if there is none with this id. */
  const find = (projectId: ProjectId, issueId: string) => issues.findOne({ _id: keyOf(projectId, issueId) });

  return {
    find,

    /** The issue with this id, or the issue that contains the reply with this id. */
    async findThread(projectId: ProjectId, id: string): Promise<IssueDocument | null> {
      return (await find(projectId, id)) ?? issues.findOne({ project_id: projectId, 'replies.issue_id': id });
    },

    /** Ids of the task results of a project that have issues. */
    taskIds: (projectId: ProjectId): Promise<string[]> =>
      issues.distinct('task_id', { project_id: projectId }),

    /** Issues of a project, newest first, without their replies. */
    async list(
      projectId: ProjectId,
      { skip, limit, task_id, is_closed }: IssueQuery,
    ): Promise<{ found: IssueRow[]; total: number }> {
      const filter = {
        project_id: projectId,
        ...(task_id !== undefined && { task_id }),
        ...(is_closed !== null && { is_closed }),
      };
      const [found, total] = await Promise.all([
        issues
          .find(filter)
          .project<IssueRow>({ replies: 0 })
          .sort({ created_at: -1, issue_id: 1 })
          .skip(skip)
          .limit(limit)
          .toArray(),
        issues.countDocuments(filter),
      ]);
      return { found, total };
    },

    /**
     * A page of the issues and replies on a task result, oldest first.
     * @returns the ids of the page in order, and the issues that contain them, with only these replies
     */
    async writtenOn(
      projectId: ProjectId,
      taskId: TaskId,
      { skip, limit }: WrittenQuery,
    ): Promise<{ ids: string[]; threads: IssueDocument[] }> {
      const all = await issues
        .find({ project_id: projectId, task_id: taskId })
        .project<WrittenTimes>({
          issue_id: 1,
          created_at: 1,
          'replies.issue_id': 1,
          'replies.created_at': 1,
        })
        .sort({ created_at: -1, issue_id: 1 })
        .toArray();
      const page = all
        .flatMap((thread) => [thread, ...thread.replies].map((each) => ({ ...each, _id: thread._id })))
        .sort((a, b) => a.created_at.getTime() - b.created_at.getTime())
        .slice(skip, skip + limit);
      const ids = page.map(({ issue_id }) => issue_id);
      const onPage = { input: '$replies', as: 'reply', cond: { $in: ['$$reply.issue_id', ids] } };
      const threads =
        page.length === 0
          ? []
          : await issues
              .aggregate<IssueDocument>([
                {
                  $match: {
                    project_id: projectId,
                    task_id: taskId,
                    _id: { $in: [...new Set(page.map(({ _id }) => _id))] },
                  },
                },
                { $addFields: { replies: { $filter: onPage } } },
              ])
              .toArray();
      return { ids, threads };
    },

    countOfTask: (projectId: ProjectId, taskId: TaskId) =>
      issues.countDocuments({ project_id: projectId, task_id: taskId }),

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
