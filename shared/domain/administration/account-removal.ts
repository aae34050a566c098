import type { UserId } from '../../kernel/ids.ts';
import type { Seen, UserStore } from '../accounts/index.ts';
import type { UserDocument } from '../accounts/model.ts';
import { isActiveAdministrator } from '../accounts/rules.ts';
import type { Belongings } from '../projects/index.ts';
import { AdministrationError } from './errors.ts';
import { changedMeanwhile, leaveAdministration } from './last-administrator.ts';

/** Deletes accounts. */
export function createAccountRemoval({
  users,
  belongings,
  removeInbox,
  removeChats,
  removeTokens,
  find,
  pauseUnlessStarting,
}: {
  users: UserStore;
  belongings: Belongings;
  /** Removes the inbox of a user. */
  removeInbox(userId: UserId): Promise<void>;
  /** Removes the chat sessions of a user. */
  removeChats(userId: UserId): Promise<void>;
  /** Revokes the tokens for programs of users. */
  removeTokens(userIds: readonly UserId[]): Promise<void>;
  /** A user by name. @throws not_found */
  find(username: string): Promise<UserDocument>;
  /** Pauses the schedules of a user who may no longer start runs. */
  pauseUnlessStarting(username: string, userId: UserId, account: { disabled: boolean } | null): Promise<void>;
}) {
  /** Disables an account and revokes its tokens; an administrator's only if another one remains. */
  async function close(user: UserDocument): Promise<void> {
    const disable = (seen: Seen) => users.change(user._id, { disabled: true }, { seen, revokeTokens: true });
    if (isActiveAdministrator(user)) {
      await leaveAdministration(users, user._id, (mark) => disable({ 'leaving.id': mark }));
    } else if (!(await disable({ system_role: user.system_role, disabled: user.disabled }))) {
      throw changedMeanwhile();
    }
  }

  return {
    /**
     * Deletes an account with its projects, memberships, inbox and chat sessions; what the user wrote keeps the username. The
     * account is disabled first and its record is deleted last, so that an interrupted deletion can be repeated.
     * @throws own_account, not_found, project_busy, last_administrator, conflict
     */
    async remove(administrator: UserDocument, username: string): Promise<void> {
      if (administrator.username === username) {
        throw new AdministrationError(
          'own_account',
          'You cannot delete your own account; ask another administrator.',
        );
      }
      const user = await find(username);
      await belongings.assertFree(user._id);
      await close(user);
      await belongings.remove(user);
      await users.remove(user._id);
      await pauseUnlessStarting(username, user._id, null);
      // Requests in flight when the account was disabled may have created more since.
      await belongings.remove(user);
      await removeInbox(user._id);
      await removeChats(user._id);
      await removeTokens([user._id]);
    },
  };
}
