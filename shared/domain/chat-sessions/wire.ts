import { isoTime } from '../../kernel/time.ts';
import type { ChatSession, ChatSessionDocument, ChatSessionItem } from './model.ts';

/** Converts a stored session to the format of lists. */
export function chatSessionItemOf(stored: Omit<ChatSessionDocument, 'messages'>): ChatSessionItem {
  const { session_id, title, context, message_count, created_at, updated_at } = stored;
  return {
    session_id,
    title,
    context,
    message_count,
    created_at: isoTime(created_at),
    updated_at: isoTime(updated_at),
  };
}

/** Converts a stored session to the API's format. */
export function chatSessionOf(stored: ChatSessionDocument): ChatSession {
  const { message_count: _count, ...item } = chatSessionItemOf(stored);
  return {
    ...item,
    messages: stored.messages.map(({ append_id: _request, ...each }) => ({
      ...each,
      created_at: isoTime(each.created_at),
    })),
  };
}
