import { CalibronError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { generatePassword, type Passwords, type UserStore } from '../accounts/index.ts';
import type { UserDocument } from '../accounts/model.ts';
import { ADMINISTRATION, defaultProjectName, type EnsureProject, newUser } from './new-user.ts';

export interface FirstAdministrator {
  username: string;
  /** Only when it was generated: the caller shows it once, it is kept nowhere. */
  password: string | null;
}

export interface FirstAdministratorDependencies {
  users: UserStore;
  passwords: Pick<Passwords, 'hash'>;
  ensureProject: EnsureProject;
}

/**
 * Creates the first administrator, with a default project, when there is no user yet; null when
 * there is one. Safe in several processes at once: the unique username lets one of them win.
 * A start that was cut off between user and project is completed by the next one.
 * @param onCreated told as soon as the account is stored, so that a cut after it loses no password
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
    default_project_id: newId(),
    must_change_password: false,
    system_role: 'admin',
    hashed_password: await passwords.hash(ADMINISTRATION, password),
  });
  try {
    await users.insert(user);
  } catch (thrown) {
    if (thrown instanceof CalibronError && thrown.code === 'already_exists') return null;
    throw thrown;
  }
  return { user, password };
}
