import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { Accounts } from '../accounts/index.ts';
import type { Chat } from '../chat/index.ts';
import type { LanguageModels } from '../language-models/index.ts';
import type { Notifications } from '../notifications/index.ts';
import type { Projects } from '../projects/index.ts';
import { createAiReplies } from './ai-replies.ts';
import { createAnnouncing } from './announcing.ts';
import { archivingIndexes, createCategories } from './categories.ts';
import { createReading } from './reading.ts';
import { createReplyStore, replyIndexes } from './reply-store.ts';
import { searchIndexes } from './search-store.ts';
import type { ForumSettings } from './settings.ts';
import { createThreadStore, threadIndexes } from './thread-store.ts';
import { createWriting } from './writing.ts';

interface Needs extends Kernel<ForumSettings> {
  accounts: Accounts;
  projects: Pick<Projects, 'members'>;
  notifications: Pick<Notifications, 'notify'>;
  chat: Pick<Chat, 'announce'>;
  languageModels: Pick<LanguageModels, 'config' | 'writeText'>;
}

export type Forum = ReturnType<typeof forum.create>;

/** Threads in which the members of a project talk about its chips. */
export const forum = defineArea({
  name: 'forum',
  indexes: [
    ...threadIndexes,
    ...replyIndexes,
    ...searchIndexes,
    {
      collection: 'forum_categories',
      indexes: [
        { name: 'in_order', key: { project_id: 1, sort_order: 1, created_at: 1, key: 1 } },
        { name: 'archived', key: { project_id: 1, is_archived: 1 } },
      ],
    },
    { collection: 'forum_counts', indexes: [] },
    archivingIndexes,
  ],
  create({ db, settings, accounts, projects, notifications, chat, languageModels }: Needs) {
    const threads = createThreadStore(db);
    const replies = createReplyStore(db);
    const categories = createCategories(db, settings.FORUM_CATEGORIES_PER_PROJECT);
    const { members } = projects;
    const announcing = createAnnouncing({
      notifications,
      chat,
      clientUrl: settings.CLIENT_URL,
      environment: settings.CALIBRON_ENV,
    });
    const reading = createReading({ threads, replies, users: accounts.users });
    const limit = settings.FORUM_POSTS_PER_PROJECT;
    const writing = createWriting({ threads, replies, categories, reading, members, announcing, limit });
    const answer = createAiReplies({ reading, replies, writing, models: languageModels });
    return { categories, ...reading, ...writing, answer };
  },
});
