import type { ProjectId } from '../../kernel/ids.ts';
export type ChatThreadKind = 'forum_post' | 'issue';

/** A Calibron thread that has a counterpart in the lab's chat. */
export interface ChatThread {
  project_id: ProjectId;
  kind: ChatThreadKind;
  id: string;
}

/** A message as areas provide it, without the chat's own markup. */
export interface ChatMessage {
  headline: { text: string; url: string | null };
  fields: readonly { name: string; value: string }[];
  /** Markdown; the first lines are shown. */
  text: string;
  /** Color of the bar beside the message, `#rrggbb`. */
  color: string | null;
}

/** An event in a thread. */
export interface ChatEvent {
  /** An event with the same id is posted only once. */
  id: string;
  /** `root` starts the thread in the chat; the other kinds are posted as replies. */
  kind: 'root' | 'reply' | 'status';
  message: ChatMessage;
}

/** `_id` is `<project>/<kind>/<id of our thread>/<id of the event>`. */
export interface ChatMessageDocument {
  _id: string;
  project_id: ProjectId;
  thread_kind: ChatThreadKind;
  thread_id: string;
  /** 0 for the message that starts the thread, 1 for all others. */
  rank: 0 | 1;
  /** The chat uses it to recognize a message that is sent again. */
  client_msg_id: string;
  state: 'pending' | 'sent' | 'skipped' | 'failed';
  /** Why it was not sent. */
  reason: string | null;
  /** Removed once it no longer needs to be sent. */
  message?: ChatMessage;
  created_at: Date;
}

/** The place of a thread in the chat; `_id` is `<project>/<kind>/<id of our thread>`. */
export interface ChatThreadDocument {
  _id: string;
  project_id: ProjectId;
  channel: string;
  /** The chat's id of the thread's first message. */
  ts: string;
  created_at: Date;
}
