import type { ProjectId, TaskId } from '../../kernel/ids.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { Issue, IssueDocument, IssueList, IssueQuery, WrittenQuery } from './model.ts';
import type { Presenting } from './presenting.ts';
import type { IssueStore } from './store.ts';
import { mustFindIssue, mustFindTask, mustFindThread } from './threads.ts';
import { inOrder, issueOf, replyOf } from './wire.ts';

/** Lists and single issues, as clients and other areas read them. */
export function createReading({
  store,
  results,
  presenting,
}: {
  store: IssueStore;
  results: Pick<TaskResultStore, 'get'>;
  presenting: Presenting;
}) {
  const { avatarsOf, shownIssue, shownReply } = presenting;

  return {
    /** Issues of a project, newest first. */
    async list(projectId: ProjectId, query: IssueQuery): Promise<IssueList> {
      const { found, total } = await store.list(projectId, query);
      const avatars = await avatarsOf(found);
      return {
        issues: found.map((each) => issueOf(each, avatars)),
        total,
        skip: query.skip,
        limit: query.limit,
      };
    },

    /** A page of the issues on a task result and of all replies to them, oldest first. @throws not_found for an unknown result */
    async ofTask(projectId: ProjectId, taskId: TaskId, page: WrittenQuery): Promise<Issue[]> {
      const { ids, threads } = await store.writtenOn(projectId, taskId, page);
      if (ids.length === 0) await mustFindTask(results, projectId, taskId);
      const avatars = await avatarsOf(threads.flatMap((each) => [each, ...each.replies]));
      const shown = new Map<string, Issue>();
      for (const each of threads) {
        shown.set(each.issue_id, { ...issueOf(each, avatars), reply_count: 0 });
        for (const one of each.replies) shown.set(one.issue_id, replyOf(each, one, avatars));
      }
      return ids.flatMap((id) => shown.get(id) ?? []);
    },

    /** An issue or a reply. @throws not_found */
    async read(projectId: ProjectId, id: string): Promise<Issue> {
      const { thread, reply: found } = await mustFindThread(store, projectId, id);
      return found ? shownReply(thread, found) : shownIssue(thread);
    },

    /** The replies to an issue, oldest first. @throws not_found, also for the id of a reply */
    async replies(projectId: ProjectId, issueId: string): Promise<Issue[]> {
      const thread = await mustFindIssue(store, projectId, issueId);
      const avatars = await avatarsOf(thread.replies);
      return inOrder(thread.replies).map((each) => replyOf(thread, each, avatars));
    },

    /** An issue with its replies as stored. @throws not_found, also for the id of a reply */
    thread: (projectId: ProjectId, issueId: string): Promise<IssueDocument> =>
      mustFindIssue(store, projectId, issueId),

    /** As {@link thread}, but the id of a reply finds the issue that contains it. @throws not_found */
    threadOf: async (projectId: ProjectId, id: string): Promise<IssueDocument> =>
      (await mustFindThread(store, projectId, id)).thread,
  };
}
