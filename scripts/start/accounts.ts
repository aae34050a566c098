import { createUserStore } from '../../shared/domain/accounts/store.ts';
import { createTokens, tokenSecret } from '../../shared/domain/accounts/tokens.ts';
import {
  createFirstAdministrator,
  type FirstAdministrator,
} from '../../shared/domain/administration/first-administrator.ts';
import { collections } from '../../shared/domain/collections.ts';
import { createProjectStore } from '../../shared/domain/projects/store.ts';
import type { Settings } from '../../shared/kernel/config.ts';
import { type Db, ensureIndexes } from '../../shared/kernel/database.ts';

/**
 * Creates the first administrator of an empty store before the API could, whose log would be the only place
 * for the password. Null when there are users.
 */
export async function prepareAccounts(db: Db, settings: Settings): Promise<FirstAdministrator | null> {
  await ensureIndexes(db, collections);
  const created: FirstAdministrator[] = [];
  const wanted = { username: settings.ADMIN_USERNAME, password: settings.ADMIN_PASSWORD };
  try {
    await createFirstAdministrator(
      createUserStore(db),
      createProjectStore(db).ensure,
      wanted,
      (administrator) => created.push(administrator),
    );
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
export async function administratorToken(db: Db, settings: Settings): Promise<string | null> {
  const user = await createUserStore(db).findByUsername(settings.ADMIN_USERNAME);
  if (!user || user.disabled) return null;
  const secret = await tokenSecret(settings.TOKEN_SECRET, settings.DATA_DIR);
  const tokens = await createTokens(secret, { lifetime: settings.TOKEN_LIFETIME, idle: settings.TOKEN_IDLE });
  return (await tokens.issue(user)).access_token;
}
