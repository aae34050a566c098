import { count, type SettingsOf } from '../../kernel/setting-kinds.ts';

/** Settings of projects. */
export const projectSettings = {
  PROJECTS_PER_USER: count.default(100).describe('Projects that a user may own.'),
  SERVICE_ACCOUNTS_PER_PROJECT: count.default(50).describe('Service accounts that a project may have.'),
};
export type ProjectSettings = SettingsOf<typeof projectSettings>;
