export type ChatThreadKind = 'forum_post' | 'issue';

/** A thread of ours that has one in the lab's chat. */
export interface ChatThread {
  project_id: string;
  kind: ChatThreadKind;
  id: string;
}

/** A message as an area gives it, without the chat's own marks. */
export interface ChatMessage {
  headline: { text: string; url: string | null };
  fields: readonly { name: string; value: string }[];
  /** Markdown of which the first lines are shown. */
  text: string;
  /** Of the bar beside the message, `#rrggbb`. */
  color: string | null;
}

/** Something that happened in a thread. */
export interface ChatEvent {
  /** The same event has the same id, and is told once. */
  id: string;
  /** `root` begins the thread in the chat; everything else is told in it. */
  kind: 'root' | 'reply' | 'status';
  message: ChatMessage;
}

/** `_id` is `<project>/<kind>/<id of our thread>/<id of the event>`. */
export interface ChatMessageDocument {
  _id: string;
  project_id: string;
  thread_kind: ChatThreadKind;
  thread_id: string;
  /** 0 for what begins the thread, 1 for all that follows. */
  rank: 0 | 1;
  /** By it the chat knows a message that is sent again. */
  client_msg_id: string;
  state: 'pending' | 'sent' | 'skipped' | 'failed';
  /** Why it was not sent. */
  reason: string | null;
  /** Gone once it needs no sending. */
  message?: ChatMessage;
  created_at: Date;
}

/** Where a thread of ours is in the chat; `_id` is `<project>/<kind>/<id of our thread>`. */
export interface ChatThreadDocument {
  _id: string;
  project_id: string;
  channel: string;
  /** The chat's id of the first message. */
  ts: string;
  created_at: Date;
}
