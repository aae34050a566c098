import { isoTime } from '../../kernel/time.ts';
import type { Category, CategoryDocument, Post, ReplyDocument, ThreadDocument } from './model.ts';

/** Converts a stored category to the API's format. */
export function categoryOf({ _id, created_at, ...shown }: CategoryDocument): Category {
  return shown;
}

/** Converts the first post of a thread to the API's format. */
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

/** Converts a reply to the API's format, with the current subject of its thread. */
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
