import { z } from 'zod';
import { count } from './setting-kinds.ts';

/** Settings of discussions between users, included in the schema of all settings. */
export const discussionSettings = {
  FORUM_CATEGORIES_PER_PROJECT: count
    .default(100)
    .describe('Categories that the forum of a project may have, archived ones included.'),
  FORUM_POSTS_PER_PROJECT: count
    .default(500_000)
    .describe('Threads and replies that the forum of a project may have, deleted ones included.'),
  IMAGES_MIB_PER_PROJECT: count
    .default(1024)
    .describe('MiB of images that a project may have in its forum and its issues.'),
  SLACK_TOKEN: z
    .string()
    .optional()
    .describe('Bot token (xoxb-…) with chat:write, for messages about the forum and issues; unset: none.'),
  SLACK_CHANNEL: z
    .string()
    .regex(/^[\w-]+$/, "must be a channel's id such as C0123456789")
    .optional()
    .describe('Id of the Slack channel that gets a message for each new thread; unset: no messages.'),
  SLACK_API_URL: z
    .string()
    .regex(/^https?:\/\/[^\s]+\/$/, 'must be an http:// or https:// address that ends in /')
    .default('https://slack.com/api/')
    .describe("Slack's Web API."),
};
