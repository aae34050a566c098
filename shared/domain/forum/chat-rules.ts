import type { ChatMessage } from '../chat/model.ts';
import type { ThreadDocument, ThreadStatus } from './model.ts';

/** Color of the bar beside a message. */
const colors: Readonly<Record<ThreadStatus, string>> = {
  open: '#3a5ccc',
  investigating: '#d97706',
  identified: '#e21331',
  resolved: '#18794e',
};

/** The message that starts a thread in the chat. */
export function messageOfThread(
  thread: ThreadDocument,
  { clientUrl, environment }: { clientUrl: string; environment: string },
): ChatMessage {
  const { target_type, target_id } = thread;
  return {
    headline: {
      text: `#${thread.number} ${thread.title}`,
      url: `${clientUrl.replace(/\/+$/, '')}/forum/${thread.id}`,
    },
    fields: [
      { name: 'Author', value: thread.username },
      { name: 'Environment', value: environment },
      { name: 'Chip', value: thread.chip_id ?? '-' },
      { name: 'Target', value: target_type && target_id ? `${target_type}:${target_id}` : '-' },
      { name: 'Category', value: thread.category },
    ],
    text: thread.content,
    color: colors[thread.status],
  };
}

/** The message of a reply. */
export function messageOfReply({ username, content }: { username: string; content: string }): ChatMessage {
  return { headline: { text: username, url: null }, fields: [], text: content, color: null };
}

/** The message of a change of status. */
export function messageOfStatus(username: string, before: ThreadStatus, after: ThreadStatus): ChatMessage {
  return {
    headline: { text: `${username}: ${before} → ${after}`, url: null },
    fields: [],
    text: '',
    color: colors[after],
  };
}
