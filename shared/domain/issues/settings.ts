import { count, type SettingsOf } from '../../kernel/setting-kinds.ts';

/** Settings of issues. */
export const issueSettings = {
  ISSUES_PER_RESULT: count.default(200).describe('Issues that a task result may have.'),
  REPLIES_PER_ISSUE: count
    .max(500, 'must be 1 to 500')
    .default(500)
    .describe('Replies that an issue may have.'),
};
export type IssueSettings = SettingsOf<typeof issueSettings>;
