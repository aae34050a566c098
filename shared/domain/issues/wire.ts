import { isoTime } from '../../kernel/time.ts';
import type { Issue, IssueDocument, IssueRow, StoredReply } from './model.ts';

/** Authors' avatars by user id. */
export type Avatars = ReadonlyMap<string, string | null>;

/** The stored issue as the API shows it. */
export function issueOf(stored: IssueRow, avatars: Avatars): Issue {
  return {
    id: stored.issue_id,
    task_id: stored.task_id,
    user_id: stored.user_id,
    username: stored.username,
    avatar_key: avatars.get(stored.user_id) ?? null,
    title: stored.title,
    content: stored.content,
    created_at: isoTime(stored.created_at),
    updated_at: isoTime(stored.updated_at),
    parent_id: null,
    reply_count: stored.reply_count,
    is_closed: stored.is_closed,
    is_ai_reply: false,
  };
}

/** A stored reply as the API shows it; it counts as closed if its issue is closed. */
export function replyOf(
  thread: Pick<IssueDocument, 'issue_id' | 'task_id' | 'is_closed'>,
  reply: StoredReply,
  avatars: Avatars,
): Issue {
  return {
    id: reply.issue_id,
    task_id: thread.task_id,
    user_id: reply.user_id,
    username: reply.username,
    avatar_key: reply.user_id === null ? null : (avatars.get(reply.user_id) ?? null),
    title: null,
    content: reply.content,
    created_at: isoTime(reply.created_at),
    updated_at: isoTime(reply.updated_at),
    parent_id: thread.issue_id,
    reply_count: 0,
    is_closed: thread.is_closed,
    is_ai_reply: reply.is_ai_reply,
  };
}

/** Replies sorted by time; replies with the same time keep their order of arrival. */
export function inOrder(replies: readonly StoredReply[]): StoredReply[] {
  return [...replies].sort((a, b) => a.created_at.getTime() - b.created_at.getTime());
}
