import { z } from 'zod';
import { count, type SettingsOf } from '../../kernel/setting-kinds.ts';

/** Settings of projects. */
export const projectSettings = {
  PROJECTS_PER_USER: count.default(100).describe('Projects that a user may own.'),
  SERVICE_ACCOUNTS_PER_PROJECT: count.default(50).describe('Service accounts that a project may have.'),
  INVITES_PER_HOUR: count
    .default(20)
    .describe('Invites per hour of usernames with whom the inviter shares no project, existing or not.'),
  INVITE_STRANGERS: z
    .enum(['on', 'off'])
    .default('on')
    .describe(
      'off: owners of projects invite only users with whom they share a project. Administrators add the others.',
    ),
};
export type ProjectSettings = SettingsOf<typeof projectSettings>;
