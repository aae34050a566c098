import type { Collection } from 'mongodb';
import type { ProjectId, TaskId } from '../../kernel/ids.ts';
import type { IssueDocument, IssueQuery, IssueRow, StoredReply, WrittenQuery } from './model.ts';

/** Creation times of an issue and its replies. */
interface WrittenTimes extends Pick<IssueDocument, '_id' | 'issue_id' | 'created_at'> {
  replies: Pick<StoredReply, 'issue_id' | 'created_at'>[];
}

/** Queries for lists of issues. */
export function createIssueLists(issues: Collection<IssueDocument>) {
  return {
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
  };
}
