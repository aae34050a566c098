import { randomBytes } from 'node:crypto';
import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId, TaskId, UserId } from '../../kernel/ids.ts';
import { assertRoomWithin } from '../../kernel/quotas.ts';
import type { Chat } from '../chat/index.ts';
import type { ChatEvent } from '../chat/model.ts';
import type { Notifications } from '../notifications/index.ts';
import { AI_NAME } from '../notifications/rules.ts';
import { messageOfIssueReply } from './chat-rules.ts';
import type { Issue, IssueActor, IssueDocument, StoredReply } from './model.ts';
import type { Presenting } from './presenting.ts';
import { notificationOf, replyToReply } from './rules.ts';
import type { IssueSettings } from './settings.ts';
import type { IssueStore } from './store.ts';
import { mustFindIssue } from './threads.ts';

/** The user name of a language model's replies. */
const MODEL_USERNAME = AI_NAME;

export interface ReplyingDependencies {
  store: IssueStore;
  presenting: Presenting;
  notify: Notifications['notify'];
  announce: Chat['announce'];
  settings: Pick<IssueSettings, 'REPLIES_PER_ISSUE'>;
}

/** Replies of users and of the language model. */
export function createReplying({ store, presenting, notify, announce, settings }: ReplyingDependencies) {
  async function addReply(
    projectId: ProjectId,
    thread: IssueDocument,
    reply: StoredReply,
    evenClosed: boolean,
  ): Promise<Issue> {
    const limit = settings.REPLIES_PER_ISSUE;
    const after = await store.addReply(thread, reply, { limit, evenClosed });
    if (after) {
      const kept = await presenting.shownReply(after, reply);
      await announceIn(
        announce,
        after,
        { id: kept.id, kind: 'reply', message: messageOfIssueReply(kept) },
        reply.user_id,
      );
      return kept;
    }
    const now = await mustFindIssue(store, projectId, thread.issue_id);
    if (now.is_closed && !evenClosed) {
      throw new CalibronError('conflict', 'This issue is closed; reopen it to reply.');
    }
    assertRoomWithin(
      {
        holder: 'This issue',
        things: 'replies',
        limit,
        setting: 'REPLIES_PER_ISSUE',
        remedy: 'Open another one',
      },
      now.reply_count,
    );
    throw new CalibronError('conflict', 'The issue was changed in the meantime; try again.');
  }

  return {
    /** Replies to an issue on a task result. @throws not_found, conflict for a closed issue, invalid_input if the parent is a reply, quota_exceeded */
    async reply(
      projectId: ProjectId,
      { taskId, parentId, content }: { taskId: TaskId; parentId: string; content: string },
      actor: IssueActor,
    ): Promise<Issue> {
      const thread = await store.findThread(projectId, parentId);
      if (!thread || thread.task_id !== taskId) {
        throw new CalibronError('not_found', 'There is no such issue on this task result to reply to.');
      }
      if (thread.issue_id !== parentId) throw replyToReply();
      const written = newReply({ user_id: actor.user_id, username: actor.username, content });
      const kept = await addReply(projectId, thread, written, false);
      await notify({ ...notificationOf(thread, kept, actor), replied: [thread.user_id] });
      return kept;
    },
    /** Stores a language model's reply, also in a closed issue. @throws not_found, quota_exceeded */
    async addModelReply(
      projectId: ProjectId,
      issueId: string,
      content: string,
      askedBy: Pick<IssueActor, 'user_id'>,
    ): Promise<Issue> {
      const thread = await mustFindIssue(store, projectId, issueId);
      const written = newReply({ user_id: null, username: MODEL_USERNAME, content });
      const model = { ...written, is_ai_reply: true, asked_by: askedBy.user_id };
      return addReply(projectId, thread, model, true);
    },
  };
}

/** Announces an event of a thread, caused by a user, in the lab's chat. */
export function announceIn(
  announce: Chat['announce'],
  { project_id, issue_id }: IssueDocument,
  event: ChatEvent,
  userId: UserId | null,
): Promise<void> {
  return announce({ projectId: project_id, thread: { kind: 'issue', id: issue_id }, event, userId });
}

/** Same form as the ids that clients know: 24 hexadecimal digits. */
export function newIssueId(): string {
  return randomBytes(12).toString('hex');
}

function newReply(written: Pick<StoredReply, 'user_id' | 'username' | 'content'>): StoredReply {
  const now = new Date();
  return {
    issue_id: newIssueId(),
    ...written,
    is_ai_reply: false,
    asked_by: null,
    created_at: now,
    updated_at: now,
  };
}
