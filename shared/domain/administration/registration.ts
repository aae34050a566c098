import { newProjectId } from '../../kernel/new-ids.ts';
import { generatePassword, type Passwords, type Tokens, type UserStore } from '../accounts/index.ts';
import type { UserDocument } from '../accounts/model.ts';
import { trimmedOrNull } from '../accounts/rules.ts';
import { userOf } from '../accounts/wire.ts';
import type { RegisteredUser, Registration } from './model.ts';
import { ADMINISTRATION, defaultProjectName, type EnsureProject, newUser } from './new-user.ts';

/**
 * Creates an account, on request with its own project. A missing password is generated and appears only in the answer. If the
 * project cannot be created, the account is deleted again, so that no password is lost with a failed answer.
 * @throws already_exists
 */
export async function registerUser(
  dependencies: {
    users: UserStore;
    tokens: Tokens;
    passwords: Pick<Passwords, 'hash'>;
    ensureProject: EnsureProject;
  },
  wanted: Registration,
): Promise<RegisteredUser> {
  const { users, tokens, passwords } = dependencies;
  const password = wanted.password ?? generatePassword();
  const user = newUser({
    username: wanted.username,
    display_name: trimmedOrNull(wanted.display_name),
    organization: trimmedOrNull(wanted.organization),
    avatar_key: trimmedOrNull(wanted.avatar_key),
    must_change_password: true,
    hashed_password: await passwords.hash(ADMINISTRATION, password),
  });
  await users.insert(user);
  const registered = wanted.create_default_project ? await withProject(dependencies, user) : user;
  const { access_token } = await tokens.issue(user);
  return { ...userOf(registered), access_token, initial_password: wanted.password ? null : password };
}

/** The project is created before the account refers to it, so that an interruption leaves no dangling reference. */
async function withProject(
  { users, ensureProject }: { users: UserStore; ensureProject: EnsureProject },
  user: UserDocument,
): Promise<UserDocument> {
  const { _id: user_id, username } = user;
  const project_id = newProjectId();
  try {
    await ensureProject({ user_id, username }, { project_id, name: defaultProjectName(username) });
    await users.setDefaultProject(user_id, project_id);
  } catch (thrown) {
    await users.remove(user_id);
    throw thrown;
  }
  return { ...user, default_project_id: project_id };
}
