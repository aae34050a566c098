import { count, type SettingsOf } from '../../kernel/setting-kinds.ts';

/** Settings of chats with the assistant. */
export const chatSessionSettings = {
  CHAT_SESSIONS_PER_USER: count.default(500).describe('Chat sessions that a user may keep.'),
};
export type ChatSessionSettings = SettingsOf<typeof chatSessionSettings>;
