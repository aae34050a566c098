import { CalibronError } from '../../kernel/errors.ts';
import { keyOf, type ProjectId, type TaskId } from '../../kernel/ids.ts';
import { assertRoomWithin } from '../../kernel/quotas.ts';
import type { KernelSettings } from '../../kernel/settings.ts';
import type { Chat } from '../chat/index.ts';
import type { Notifications } from '../notifications/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { TaskResultDocument } from '../results/model.ts';
import { messageOfIssue, messageOfState } from './chat-rules.ts';
import type { Issue, IssueActor, IssueChange, IssueDocument, NewIssue } from './model.ts';
import type { Presenting } from './presenting.ts';
import { announceIn, type createReplying, newIssueId } from './replying.ts';
import { assertAuthor, assertMayClose, notificationOf, titleOf, unknownIssue } from './rules.ts';
import type { IssueSettings } from './settings.ts';
import type { IssueStore } from './store.ts';
import { known, mustFindIssue, mustFindTask, mustFindThread, replyIn } from './threads.ts';

export interface WritingDependencies {
  store: IssueStore;
  results: Pick<TaskResultStore, 'get'>;
  presenting: Presenting;
  reply: ReturnType<typeof createReplying>['reply'];
  notify: Notifications['notify'];
  announce: Chat['announce'];
  settings: Pick<IssueSettings, 'ISSUES_PER_RESULT'> & Pick<KernelSettings, 'CLIENT_URL' | 'CALIBRON_ENV'>;
}

/** Opening, changing, closing and deleting issues. */
export function createWriting({
  store,
  results,
  presenting,
  reply,
  notify,
  announce,
  settings,
}: WritingDependencies) {
  const { shownIssue, shownReply } = presenting;

  /** Notifies the users mentioned in a text. @returns the text's issue or reply */
  async function notifyMentioned(thread: IssueDocument, written: Issue, actor: IssueActor): Promise<Issue> {
    await notify(notificationOf(thread, written, actor));
    return written;
  }

  async function open(task: TaskResultDocument, wanted: NewIssue, actor: IssueActor): Promise<Issue> {
    const { project_id: projectId, task_id: taskId } = task;
    const title = titleOf(wanted);
    assertRoomWithin(
      {
        holder: 'This task result',
        things: 'issues',
        limit: settings.ISSUES_PER_RESULT,
        setting: 'ISSUES_PER_RESULT',
      },
      await store.countOfTask(projectId, taskId),
    );
    const now = new Date();
    const issue_id = newIssueId();
    const document: IssueDocument = {
      _id: keyOf(projectId, issue_id),
      project_id: projectId,
      issue_id,
      task_id: taskId,
      user_id: actor.user_id,
      username: actor.username,
      title,
      content: wanted.content,
      is_closed: false,
      reply_count: 0,
      replies: [],
      created_at: now,
      updated_at: now,
    };
    await store.insert(document);
    const place = { clientUrl: settings.CLIENT_URL, environment: settings.CALIBRON_ENV };
    const message = messageOfIssue(document, task, place);
    await announceIn(announce, document, { id: issue_id, kind: 'root', message }, actor.user_id);
    return notifyMentioned(document, await shownIssue(document), actor);
  }

  return {
    /**
     * Opens an issue on a task result, or replies to one.
     * @throws not_found for an unknown result or parent, conflict for a closed parent, invalid_input without a title or
     *   if the parent is a reply, quota_exceeded
     */
    async create(projectId: ProjectId, taskId: TaskId, wanted: NewIssue, actor: IssueActor): Promise<Issue> {
      const task = await mustFindTask(results, projectId, taskId);
      const { parent_id: parentId, content } = wanted;
      if (typeof parentId === 'string') return reply(projectId, { taskId, parentId, content }, actor);
      return open(task, wanted, actor);
    },

    /** Changes an issue or a reply. @throws not_found, forbidden, invalid_input for a blank title */
    async change(
      projectId: ProjectId,
      id: string,
      { title, content }: IssueChange,
      actor: IssueActor,
    ): Promise<Issue> {
      const { thread, reply: found } = await mustFindThread(store, projectId, id);
      assertAuthor(found ?? thread, actor);
      if (found?.is_ai_reply) {
        throw new CalibronError(
          'forbidden',
          'What the language model wrote is not changed; delete it instead.',
        );
      }
      const updated_at = new Date();
      if (found) {
        const after = known(await store.changeReply(thread, id, { content, updated_at }));
        return notifyMentioned(after, await shownReply(after, replyIn(after, id)), actor);
      }
      const fields = { content, updated_at, ...(typeof title === 'string' && { title: titleOf({ title }) }) };
      const after = known(await store.change(thread, fields));
      return notifyMentioned(after, await shownIssue(after), actor);
    },

    /** Deletes a reply, or an issue with all of its replies. @throws not_found, forbidden */
    async remove(projectId: ProjectId, id: string, actor: IssueActor): Promise<void> {
      const { thread, reply: found } = await mustFindThread(store, projectId, id);
      assertAuthor(found ?? thread, actor);
      const removed = found ? await store.removeReply(thread, id) : await store.remove(thread);
      if (!removed) throw unknownIssue();
    },

    /** Closes or reopens an issue. @throws not_found, forbidden */
    async setClosed(
      projectId: ProjectId,
      issueId: string,
      isClosed: boolean,
      actor: IssueActor,
    ): Promise<void> {
      const thread = await mustFindIssue(store, projectId, issueId);
      assertMayClose(thread, actor);
      const after = await store.setClosed(thread, isClosed);
      if (!after) return;
      const id = `${issueId}/${isClosed ? 'closed' : 'open'}-${after.updated_at.getTime()}`;
      const message = messageOfState(actor.username, isClosed);
      await announceIn(announce, after, { id, kind: 'status', message }, actor.user_id);
    },
  };
}
