import { z } from 'zod';
import type { SettingsOf } from '../../kernel/setting-kinds.ts';

/** Settings of messages to Slack. */
export const chatSettings = {
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
export type ChatSettings = SettingsOf<typeof chatSettings>;
