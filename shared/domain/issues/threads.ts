import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId, TaskId } from '../../kernel/ids.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { TaskResultDocument } from '../results/model.ts';
import type { IssueDocument, StoredReply } from './model.ts';
import { unknownIssue } from './rules.ts';
import type { IssueStore } from './store.ts';

export function replyIn(thread: IssueDocument, replyId: string): StoredReply {
  const found = thread.replies.find(({ issue_id }) => issue_id === replyId);
  if (!found) throw unknownIssue();
  return found;
}

/** @throws not_found if there is no such issue */
export function known(found: IssueDocument | null): IssueDocument {
  if (!found) throw unknownIssue();
  return found;
}

/** The issue of an id. @throws not_found, also for the id of a reply */
export async function mustFindIssue(
  store: Pick<IssueStore, 'find'>,
  projectId: ProjectId,
  issueId: string,
): Promise<IssueDocument> {
  return known(await store.find(projectId, issueId));
}

/** The thread of an id, and the reply if the id is that of a reply. @throws not_found */
export async function mustFindThread(
  store: Pick<IssueStore, 'findThread'>,
  projectId: ProjectId,
  id: string,
): Promise<{ thread: IssueDocument; reply: StoredReply | null }> {
  const thread = known(await store.findThread(projectId, id));
  return { thread, reply: thread.issue_id === id ? null : replyIn(thread, id) };
}

/** @throws not_found */
export async function mustFindTask(
  results: Pick<TaskResultStore, 'get'>,
  projectId: ProjectId,
  taskId: TaskId,
): Promise<TaskResultDocument> {
  const found = await results.get(projectId, taskId);
  if (!found) throw new CalibronError('not_found', 'There is no such task result in this project.');
  return found;
}
