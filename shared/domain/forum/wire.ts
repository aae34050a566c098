import { isoTime } from '../../kernel/time.ts';
import type { Category, CategoryDocument, Post, ReplyDocument, ThreadDocument } from './model.ts';

/** The stored category as the API shows it. */
export function categoryOf({ _id, created_at, ...shown }: CategoryDocument): Category {
  return shown;
}

/** The first post of a thread as the API shows it. */
export function threadOf(stored: ThreadDocument, avatar_key: string | null, reply_count: number): Post {
  return {
    ...writtenOf(stored),
    ...filingOf(stored),
    title: stored.title,
    parent_id: null,
    avatar_key,
    reply_count,
  };
}

/** A reply as the API shows it, with what its thread is about now. */
export function replyOf(stored: ReplyDocument, thread: ThreadDocument, avatar_key: string | null): Post {
  return {
    ...writtenOf(stored),
    ...filingOf(thread),
    title: null,
    parent_id: stored.parent_id,
    avatar_key,
    reply_count: 0,
  };
}

function filingOf(thread: ThreadDocument) {
  const {
    number,
    category,
    labels,
    assignee_username,
    status,
    chip_id,
    target_type,
    target_id,
    cooldown_id,
  } = thread;
  return {
    number,
    category,
    labels,
    assignee_username,
    status,
    chip_id,
    target_type,
    target_id,
    cooldown_id,
  };
}

function writtenOf(stored: ThreadDocument | ReplyDocument) {
  const { id, project_id, user_id, username, content, content_blocks, is_deleted, is_ai_reply } = stored;
  return {
    id,
    project_id,
    user_id,
    username,
    content,
    content_blocks,
    is_deleted,
    is_ai_reply,
    created_at: isoTime(stored.created_at),
    updated_at: isoTime(stored.updated_at),
  };
}
