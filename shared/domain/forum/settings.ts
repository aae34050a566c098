import { count, type SettingsOf } from '../../kernel/setting-kinds.ts';

/** Settings of the forum. */
export const forumSettings = {
  FORUM_CATEGORIES_PER_PROJECT: count
    .default(100)
    .describe('Categories that the forum of a project may have, archived ones included.'),
  FORUM_POSTS_PER_PROJECT: count
    .default(500_000)
    .describe('Threads and replies that the forum of a project may have, deleted ones included.'),
};
export type ForumSettings = SettingsOf<typeof forumSettings>;
