import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { ChatSessionSettings } from './settings.ts';
import { chatSessionIndexes, createChatSessionStore } from './store.ts';

export type ChatSessions = ReturnType<typeof chatSessions.create>;

/** Conversations with the assistant. They belong to users, not to projects. */
export const chatSessions = defineArea({
  name: 'chatSessions',
  indexes: [chatSessionIndexes],
  create: ({ db, settings }: Kernel<ChatSessionSettings>) =>
    createChatSessionStore(db, settings.CHAT_SESSIONS_PER_USER),
});
