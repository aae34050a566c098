import { CalibronError } from '../../kernel/errors.ts';
import type { UserId } from '../../kernel/ids.ts';
import { newProjectId } from '../../kernel/new-ids.ts';
import { generatePassword, type Passwords, type Seen, type UserStore } from '../accounts/index.ts';
import type { UserDocument } from '../accounts/model.ts';
import { isActiveAdministrator, trimmedOrNull } from '../accounts/rules.ts';
import { userOf } from '../accounts/wire.ts';
import type { Belongings } from '../projects/index.ts';
import { whyNoAccountStarts } from '../projects/starter-rules.ts';
import { createAccountRemoval } from './account-removal.ts';
import { AdministrationError } from './errors.ts';
import { changedMeanwhile, leaveAdministration } from './last-administrator.ts';
import type { AdminUser, PasswordReset, PasswordResetAnswer, UserChange, UserList } from './model.ts';
import { ADMINISTRATION, defaultProjectName, type EnsureProject } from './new-user.ts';
import { adminUserOf } from './wire.ts';

export interface AdministrationDependencies {
  users: UserStore;
  passwords: Pick<Passwords, 'hash'>;
  ensureProject: EnsureProject;
  belongings: Belongings;
  /** Pauses the schedules of a user in all projects, with the reason. */
  pauseSchedules(userId: UserId, reason: string): Promise<void>;
  /** Removes the inbox of a user. */
  removeInbox(userId: UserId): Promise<void>;
  /** Removes the chat sessions of a user. */
  removeChats(userId: UserId): Promise<void>;
  /** Revokes the tokens for programs of users. */
  removeTokens(userIds: readonly UserId[]): Promise<void>;
}

/** What administrators can do with accounts. */
export function createAdministration(dependencies: AdministrationDependencies) {
  const { users, passwords, ensureProject, belongings, pauseSchedules } = dependencies;

  async function find(username: string): Promise<UserDocument> {
    const user = await users.findByUsername(username);
    if (!user) throw new CalibronError('not_found', 'There is no such user.');
    return user;
  }

  /** Pauses the schedules of a user who may no longer start runs. */
  async function pauseUnlessStarting(
    username: string,
    userId: UserId,
    account: { disabled: boolean } | null,
  ): Promise<void> {
    const reason = whyNoAccountStarts(username, account);
    if (reason !== null) await pauseSchedules(userId, reason);
  }

  return {
    ...createAccountRemoval({ ...dependencies, find, pauseUnlessStarting }),

    /** A page of all users by username. Users without a default project are shown with their oldest owned one. */
    async list(skip: number, limit: number): Promise<UserList> {
      const page = await users.page(skip, limit);
      const without = page.users.filter((user) => user.default_project_id === null);
      const owned = await belongings.oldestOwned(without.map((user) => user._id));
      return {
        users: page.users.map((user) => ({
          ...userOf(user),
          default_project_id: user.default_project_id ?? owned.get(user._id) ?? null,
        })),
        total: page.total,
      };
    },

    /** One user. @throws not_found */
    async read(username: string): Promise<AdminUser> {
      return adminUserOf(await find(username));
    },

    /**
     * Changes an account; disabling it revokes its tokens and pauses its schedules.
     * @throws not_found, own_account, last_administrator, conflict
     */
    async change(administratorId: string, username: string, wanted: UserChange): Promise<AdminUser> {
      const user = await find(username);
      const standing = {
        system_role: wanted.system_role ?? user.system_role,
        disabled: wanted.disabled ?? user.disabled,
      };
      const seen = { system_role: user.system_role, disabled: user.disabled };
      const moves = standing.system_role !== seen.system_role || standing.disabled !== seen.disabled;
      if (user.service && standing.system_role === 'admin') throw serviceAccount(username);
      if (moves && user._id === administratorId) {
        throw new AdministrationError(
          'own_account',
          'You cannot disable your own account or change your own role; ask another administrator.',
        );
      }
      const { display_name, organization, avatar_key } = wanted;
      const fields = {
        ...(typeof display_name === 'string' && { display_name: trimmedOrNull(display_name) }),
        ...(typeof organization === 'string' && { organization: trimmedOrNull(organization) }),
        ...(typeof avatar_key === 'string' && { avatar_key: trimmedOrNull(avatar_key) }),
        ...(moves && standing),
      };
      const revokeTokens = standing.disabled && !seen.disabled;
      const apply = (where: Seen) => users.change(user._id, fields, { seen: where, revokeTokens });
      const changed =
        isActiveAdministrator(user) && !isActiveAdministrator(standing)
          ? await leaveAdministration(users, user._id, (mark) => apply({ 'leaving.id': mark }))
          : await apply(moves ? seen : {});
      if (!changed) throw changedMeanwhile();
      await pauseUnlessStarting(username, user._id, standing);
      return adminUserOf(changed);
    },

    /**
     * Sets a temporary password and revokes the user's tokens. A generated password appears only in the answer.
     * @throws not_found, conflict
     */
    async resetPassword({ username, new_password }: PasswordReset): Promise<PasswordResetAnswer> {
      const user = await find(username);
      if (user.service) throw serviceAccount(username);
      if (user.identity) {
        throw new CalibronError(
          'conflict',
          `${username} signs in with the identity provider and has no password.`,
        );
      }
      const password = new_password ?? generatePassword();
      const reset = await users.setPassword(user, {
        hashed_password: await passwords.hash(ADMINISTRATION, password, 'new_password'),
        must_change_password: true,
        spare: null,
      });
      if (!reset) throw changedMeanwhile();
      return {
        message: `The password of ${username} was reset.`,
        ...(new_password ? {} : { initial_password: password }),
      };
    },

    /**
     * Gives a default project to a user without one: the oldest owned project, else a new one.
     * @throws not_found, already_exists
     */
    async giveProject(username: string): Promise<AdminUser> {
      const user = await find(username);
      if (user.service) throw serviceAccount(username);
      let projectId = (await belongings.oldestOwned([user._id])).get(user._id);
      if (projectId === undefined) {
        if (user.default_project_id !== null) {
          throw new CalibronError('already_exists', 'The user already has a default project.');
        }
        await ensureProject(
          { user_id: user._id, username },
          { project_id: newProjectId(), name: defaultProjectName(username) },
        );
        projectId = (await belongings.oldestOwned([user._id])).get(user._id);
      }
      const changed = projectId === undefined ? null : await users.setDefaultProject(user._id, projectId);
      if (!changed) throw changedMeanwhile();
      return adminUserOf(changed);
    },
  };
}

function serviceAccount(username: string): CalibronError {
  return new CalibronError(
    'conflict',
    `${username} is a service account: it has no password, no project of its own and no rights of an administrator.`,
  );
}
