import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { Accounts } from '../accounts/index.ts';
import type { AccountSettings } from '../accounts/settings.ts';
import type { ChatSessions } from '../chat-sessions/index.ts';
import type { Notifications } from '../notifications/index.ts';
import type { Projects } from '../projects/index.ts';
import type { Schedules } from '../schedules/index.ts';
import { createAdministration } from './administration.ts';
import { importUsers } from './bulk-import.ts';
import { createFirstAdministrator, type FirstAdministrator } from './first-administrator.ts';
import type { Registration } from './model.ts';
import { registerUser } from './registration.ts';

export type { FirstAdministrator } from './first-administrator.ts';
export { newUser } from './new-user.ts';

interface Needs extends Kernel<AccountSettings> {
  accounts: Accounts;
  projects: Projects;
  notifications: Pick<Notifications, 'inboxes'>;
  chatSessions: Pick<ChatSessions, 'removeOf'>;
  schedules: Pick<Schedules, 'pauseOf'>;
}

export type Administration = ReturnType<typeof administration.create>;

/** Creation and deletion of accounts, with their own projects. */
export const administration = defineArea({
  name: 'administration',
  indexes: [],
  create({ settings, accounts, projects, schedules, notifications, chatSessions }: Needs) {
    const { users, tokens, passwords } = accounts;
    const { ensure: ensureProject, belongings } = projects;
    return {
      ...createAdministration({
        users,
        passwords,
        ensureProject,
        belongings,
        pauseSchedules: schedules.pauseOf,
        removeInbox: notifications.inboxes.removeOf,
        removeChats: chatSessions.removeOf,
        removeTokens: accounts.programTokens.removeOf,
      }),
      /** As {@link registerUser}. */
      register: (wanted: Registration) => registerUser({ users, tokens, passwords, ensureProject }, wanted),
      /** As {@link importUsers}. */
      importUsers: (file: Uint8Array, onFailure: (thrown: unknown) => void) =>
        importUsers({ users, passwords }, file, onFailure),
      /** As {@link createFirstAdministrator}, with the name and password of the settings. */
      createFirst: (onCreated?: (created: FirstAdministrator) => void) =>
        createFirstAdministrator(
          { users, passwords, ensureProject },
          { username: settings.ADMIN_USERNAME, password: settings.ADMIN_PASSWORD },
          onCreated,
        ),
    };
  },
});
