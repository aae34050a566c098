import { z } from 'zod';
import type { UserId } from '../../kernel/ids.ts';
import { instant, integer, isAddressable, timestamp } from '../../kernel/wire.ts';

/** Limits of a session. A document of the store can have 16 MiB. */
export const CHAT_LIMITS = {
  messages: 1000,
  /** Characters of a message's text, and of its picture (Base64). */
  content: 100_000,
  image: 7_000_000,
  /** Characters of the context as JSON. */
  context: 20_000,
  /** Bytes of all messages. */
  bytes: 8 * 1024 * 1024,
} as const;

const title = z.string().max(200);
const context = z
  .record(z.string(), z.unknown())
  .refine((given) => JSON.stringify(given).length <= CHAT_LIMITS.context, {
    message: `should have at most ${CHAT_LIMITS.context} characters as JSON`,
    params: { type: 'value_error' },
  });

export const newMessage = z.object({
  role: z.string().min(1).max(32),
  content: z.string().max(CHAT_LIMITS.content),
  attached_image: z.string().max(CHAT_LIMITS.image).nullish(),
  created_at: instant().nullish().describe('Default: now.'),
});
const newMessages = z.array(newMessage).max(CHAT_LIMITS.messages);
export type NewChatMessage = z.infer<typeof newMessage>;

/** Body of POST /copilot/chat/sessions. */
export const newChatSession = z.object({
  session_id: z
    .string()
    .regex(/^[A-Za-z0-9._:-]{1,128}$/)
    .refine(isAddressable, 'must not be . or ..')
    .describe('Chosen by the client: 1 to 128 of letters, digits, `.`, `_`, `:`, `-`.'),
  title: title.nullish().describe('Default: New Chat.'),
  context: context.nullish(),
  messages: newMessages.nullish(),
});
export type NewChatSession = z.infer<typeof newChatSession>;

/** Body of PATCH /copilot/chat/sessions/{session_id}; null or absent fields stay unchanged. */
export const chatSessionChange = z.object({
  title: title.nullish(),
  context: context.nullish(),
  messages: newMessages.nullish().describe('Replaces all messages of the session.'),
});
export type ChatSessionChange = z.infer<typeof chatSessionChange>;

/** Body of POST /copilot/chat/sessions/{session_id}/messages. */
export const appendedMessages = z.object({ messages: newMessages.min(1) });

export const chatMessage = z.object({
  role: z.string(),
  content: z.string(),
  attached_image: z.string().nullable(),
  created_at: timestamp,
});

/** A conversation of one user with the assistant. */
export const chatSession = z
  .object({
    session_id: z.string(),
    title: z.string(),
    context: z.record(z.string(), z.unknown()).nullable(),
    messages: z.array(chatMessage),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'ChatSession' });
export type ChatSession = z.infer<typeof chatSession>;

export const chatSessionItem = chatSession
  .omit({ messages: true })
  .extend({ message_count: z.number().int() });
export type ChatSessionItem = z.infer<typeof chatSessionItem>;
export const chatSessionList = z.object({ sessions: z.array(chatSessionItem) });

export const chatSessionPage = z.object({
  skip: integer({ min: 0 }).prefault(0),
  limit: integer({ min: 1, max: 500 }).prefault(500),
});

export const deletedAnswer = z.record(z.string(), z.boolean());

export interface StoredMessage {
  role: string;
  content: string;
  attached_image: string | null;
  created_at: Date;
  /** Id of the request that appended it; absent on messages that came with the session. */
  append_id?: string;
}

/** A session as stored; `_id` is `<user_id>/<session_id>`. */
export interface ChatSessionDocument {
  _id: string;
  user_id: UserId;
  session_id: string;
  title: string;
  context: Record<string, unknown> | null;
  messages: StoredMessage[];
  message_count: number;
  /** Bytes of all messages. */
  bytes: number;
  created_at: Date;
  updated_at: Date;
}
