import type { Accounts } from '../../shared/domain/accounts/index.ts';
import type { Administration, FirstAdministrator } from '../../shared/domain/administration/index.ts';

/**
 * Creates the first administrator of an empty store before the API could, whose log would be the only place
 * for the password. Null when there are users.
 */
export async function prepareAccounts(
  administration: Pick<Administration, 'createFirst'>,
): Promise<FirstAdministrator | null> {
  const created: FirstAdministrator[] = [];
  try {
    await administration.createFirst((administrator) => created.push(administrator));
  } catch (thrown) {
    // With an account the password must reach its owner; the API, which starts next, makes the missing project.
    if (created.length === 0) throw thrown;
  }
  return created[0] ?? null;
}

/**
 * An access token of the administrator. It is signed here, with the key of the data directory, since at a later
 * start nobody knows the password. Null when there is no such user.
 */
export async function administratorToken(
  { users, tokens }: Accounts,
  username: string,
): Promise<string | null> {
  const user = await users.findByUsername(username);
  return user && !user.disabled ? (await tokens.issue(user)).access_token : null;
}
