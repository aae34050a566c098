import { CalibronError } from '../../kernel/errors.ts';
import type { UserId } from '../../kernel/ids.ts';
import { AccountError } from './errors.ts';
import type { Caller, PasswordChange, ProfileChange, TokenClaims, User } from './model.ts';
import type { Passwords } from './passwords.ts';
import { trimmedOrNull } from './rules.ts';
import type { SignIn } from './sign-in.ts';
import type { UserStore } from './store.ts';
import { userOf } from './wire.ts';

/** Changes that users make to their own account. */
export function createOwnAccount(users: UserStore, signIn: SignIn, passwords: Pick<Passwords, 'hash'>) {
  return {
    /** Changes the profile. @throws not_found when the account was deleted meanwhile */
    async change(userId: UserId, wanted: ProfileChange): Promise<User> {
      const { display_name, avatar_key } = wanted;
      const changed = await users.change(userId, {
        ...(display_name !== undefined && { display_name: trimmedOrNull(display_name) }),
        ...(avatar_key !== undefined && { avatar_key }),
      });
      if (!changed) throw new CalibronError('not_found', 'This account does not exist any more.');
      return userOf(changed);
    },

    /**
     * Replaces the password and revokes every token of the user except the one of this request. A wrong current password counts
     * as a failed login, so that a stolen token cannot be used to guess the password.
     * @throws wrong_current_password, too_many_requests
     */
    async changePassword({ user, token }: Caller, wanted: PasswordChange, address: string): Promise<void> {
      const right = await signIn.checkLimited(
        { username: user.username, password: wanted.current_password },
        address,
      );
      const changed =
        right?._id === user._id &&
        (await users.setPassword(right, {
          hashed_password: await passwords.hash(user._id, wanted.new_password, 'new_password'),
          must_change_password: false,
          spare: token?.token_id ?? null,
        }));
      if (!changed) {
        throw new AccountError('wrong_current_password', 'The current password is wrong.');
      }
    },

    /** Revokes a token. */
    logout: (token: TokenClaims) => users.revokeToken(token, new Date()),
  };
}
