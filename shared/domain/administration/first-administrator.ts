import { isError } from '../../kernel/errors.ts';
import { newProjectId } from '../../kernel/new-ids.ts';
import { generatePassword, type Passwords, type UserStore } from '../accounts/index.ts';
import type { UserDocument } from '../accounts/model.ts';
import { ADMINISTRATION, defaultProjectName, type EnsureProject, newUser } from './new-user.ts';

export interface FirstAdministrator {
  username: string;
  /** Set only if it was generated. The caller must show it once; it is not stored. */
  password: string | null;
}

export interface FirstAdministratorDependencies {
  users: UserStore;
  passwords: Pick<Passwords, 'hash'>;
  ensureProject: EnsureProject;
}

/**
 * Creates the first administrator, with a default project, if there is no user yet; otherwise returns null. Safe in several
 * processes at once: the unique username lets one of them win. If a start was interrupted between user and project, the next
 * start completes it.
 * @param onCreated called as soon as the account is stored, so that a later crash does not lose the password
 */
export async function createFirstAdministrator(
  dependencies: FirstAdministratorDependencies,
  wanted: { username: string; password: string | undefined },
  onCreated: (created: FirstAdministrator) => void = () => undefined,
): Promise<FirstAdministrator | null> {
  const { users, ensureProject } = dependencies;
  const inserted = (await users.isEmpty()) ? await insertAdministrator(dependencies, wanted) : null;
  const created = inserted && {
    username: inserted.user.username,
    password: wanted.password === undefined ? inserted.password : null,
  };
  if (created) onCreated(created);
  const administrator = inserted?.user ?? (await users.findByUsername(wanted.username));
  if (administrator?.default_project_id && administrator.system_role === 'admin') {
    await ensureProject(
      { user_id: administrator._id, username: administrator.username },
      { project_id: administrator.default_project_id, name: defaultProjectName(administrator.username) },
    );
  }
  return created;
}

async function insertAdministrator(
  { users, passwords }: FirstAdministratorDependencies,
  wanted: { username: string; password: string | undefined },
): Promise<{ user: UserDocument; password: string } | null> {
  const password = wanted.password ?? generatePassword();
  const user = newUser({
    username: wanted.username,
    display_name: 'Administrator',
    default_project_id: newProjectId(),
    must_change_password: false,
    system_role: 'admin',
    hashed_password: await passwords.hash(ADMINISTRATION, password),
  });
  try {
    await users.insert(user);
  } catch (thrown) {
    if (isError(thrown, 'already_exists')) return null;
    throw thrown;
  }
  return { user, password };
}
