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
    .enum(['on', 'concealed', 'off'])
    .default('on')
    .describe(
      'concealed: invites do not tell whether a username exists, and of people with whom the inviter shares no project only the name is shown until they enter the project. off: owners of projects invite only users with whom they share a project; administrators add the others.',
    ),
};
export type ProjectSettings = SettingsOf<typeof projectSettings>;
