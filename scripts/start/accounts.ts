import type { Accounts } from '../../shared/domain/accounts/index.ts';
import type { Administration, FirstAdministrator } from '../../shared/domain/administration/index.ts';

/**
 * Creates the first administrator of an empty store before the API does, because the API could show the password
 * only in its log. Null if there are users.
 */
export async function prepareAccounts(
  administration: Pick<Administration, 'createFirst'>,
): Promise<FirstAdministrator | null> {
  const created: FirstAdministrator[] = [];
  try {
    await administration.createFirst((administrator) => created.push(administrator));
  } catch (thrown) {
    // If an account was created, its password must still be shown. The API, which starts next, creates the missing project.
    if (created.length === 0) throw thrown;
  }
  return created[0] ?? null;
}

/**
 * An access token of the administrator. It is signed here, with the key of the data directory, because a later
 * start does not know the password. Null if there is no such user.
 */
export async function administratorToken(
  { users, tokens }: Accounts,
  username: string,
): Promise<string | null> {
  const user = await users.findByUsername(username);
  return user && !user.disabled ? (await tokens.issue(user)).access_token : null;
}
