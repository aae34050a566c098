import { newId } from '../ids.ts';
import type { RegisteredUser, Registration } from './model.ts';
import { defaultProjectName, type EnsureProject, newUser } from './new-user.ts';
import { generatePassword, hashPassword } from './passwords.ts';
import { trimmedOrNull, wireUser } from './rules.ts';
import type { UserStore } from './store.ts';
import type { Tokens } from './tokens.ts';

/**
 * Makes an account, with a project of its own when that is wanted. A password that is not given is
 * generated and appears only in the answer. An account whose project cannot be made is taken back, so
 * that no password is lost with a failed answer.
 * @throws already_exists
 */
export async function registerUser(
  dependencies: { users: UserStore; tokens: Tokens; ensureProject: EnsureProject },
  wanted: Registration,
): Promise<RegisteredUser> {
  const { users, tokens, ensureProject } = dependencies;
  const password = wanted.password ?? generatePassword();
  const user = newUser({
    username: wanted.username,
    display_name: trimmedOrNull(wanted.display_name),
    organization: trimmedOrNull(wanted.organization),
    avatar_key: trimmedOrNull(wanted.avatar_key),
    default_project_id: wanted.create_default_project ? newId() : null,
    must_change_password: true,
    hashed_password: await hashPassword(password),
  });
  await users.insert(user);
  if (user.default_project_id !== null) {
    try {
      await ensureProject(
        { user_id: user._id, username: user.username },
        { project_id: user.default_project_id, name: defaultProjectName(user.username) },
      );
    } catch (thrown) {
      await users.remove(user._id);
      throw thrown;
    }
  }
  const { access_token } = await tokens.issue(user);
  return { ...wireUser(user), access_token, initial_password: wanted.password ? null : password };
}
