import type { CollectionIndexes, Db } from '../database.ts';
import { isDuplicateKey } from '../database.ts';
import { CalibronError } from '../errors.ts';
import type { StoredUser, TokenClaims } from './model.ts';
import { allowedFailures, failureWindow } from './rules.ts';

interface LoginFailures {
  _id: string;
  /** The latest failures, oldest first. */
  failures: Date[];
  expires_at: Date;
}

export const accountIndexes: CollectionIndexes[] = [
  { collection: 'users', indexes: [{ name: 'username', key: { username: 1 }, unique: true }] },
  {
    collection: 'login_failures',
    indexes: [{ name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 }],
  },
];

/** A user has at most so many tokens revoked one by one; then all of the user's are revoked. */
const mostRevokedTokens = 500;

/** Users and what protects their login. */
export function createUserStore(db: Db) {
  const users = db.collection<StoredUser>('users');
  const failures = db.collection<LoginFailures>('login_failures');

  /** Revokes every token that the user has. */
  async function revokeAllTokens(userId: string): Promise<void> {
    await users.updateOne({ _id: userId }, { $inc: { token_generation: 1 }, $set: { revoked_tokens: [] } });
  }

  return {
    find: (userId: string) => users.findOne({ _id: userId }),

    findByUsername: (username: string) => users.findOne({ username }),

    async isEmpty(): Promise<boolean> {
      return (await users.findOne({}, { projection: { _id: 1 } })) === null;
    },

    /** Stores a new user. @throws already_exists when the username is taken. */
    async insert(user: StoredUser): Promise<void> {
      try {
        await users.insertOne(user);
      } catch (thrown) {
        if (!isDuplicateKey(thrown)) throw thrown;
        throw new CalibronError('already_exists', `The username ${user.username} is already registered.`);
      }
    },

    /** Revokes one token. Survives restarts; takes effect with the next request in every process. */
    async revokeToken(token: TokenClaims, now: Date): Promise<void> {
      await users.updateOne(
        { _id: token.user_id },
        { $pull: { revoked_tokens: { expires_at: { $lte: now } } } },
      );
      const revoked = await users.updateOne(
        { _id: token.user_id, [`revoked_tokens.${mostRevokedTokens - 1}`]: { $exists: false } },
        { $push: { revoked_tokens: { token_id: token.token_id, expires_at: token.expires_at } } },
      );
      if (revoked.matchedCount === 0) await revokeAllTokens(token.user_id);
    },

    revokeAllTokens,

    /** The latest failed logins under a key, oldest first. */
    async loginFailures(key: string): Promise<readonly Date[]> {
      return (await failures.findOne({ _id: key }))?.failures ?? [];
    },

    async recordLoginFailure(key: string, now: Date): Promise<void> {
      await failures.updateOne(
        { _id: key },
        {
          $push: { failures: { $each: [now], $slice: -allowedFailures } },
          $set: { expires_at: new Date(now.getTime() + failureWindow) },
        },
        { upsert: true },
      );
    },

    async clearLoginFailures(key: string): Promise<void> {
      await failures.deleteOne({ _id: key });
    },
  };
}

export type UserStore = ReturnType<typeof createUserStore>;
