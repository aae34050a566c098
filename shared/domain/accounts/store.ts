import { coalesced } from '../../kernel/coalesced-reads.ts';
import { type CollectionIndexes, type Db, isDuplicateKey } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId, UserId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import { createLoginFailures } from './login-failures.ts';
import type { TokenClaims, UserDocument } from './model.ts';
import { createServiceAccountStore } from './service-account-store.ts';

export const accountIndexes: CollectionIndexes[] = [
  {
    collection: 'users',
    indexes: [
      { name: 'username', key: { username: 1 }, unique: true },
      { name: 'by_role', key: { system_role: 1, disabled: 1 } },
      { name: 'by_default_project', key: { default_project_id: 1 } },
      { name: 'by_service_project', key: { 'service.project_id': 1, username: 1 } },
    ],
  },
  {
    collection: 'login_failures',
    indexes: [{ name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 }],
  },
];

/** Fields of a user that can be set. */
type UserFields = Partial<
  Pick<
    UserDocument,
    | 'display_name'
    | 'organization'
    | 'avatar_key'
    | 'disabled'
    | 'system_role'
    | 'default_project_id'
    | 'hashed_password'
    | 'must_change_password'
  >
>;

/** Conditions that must still hold for a change of a user. */
export type Seen = Partial<Pick<UserDocument, 'system_role' | 'disabled' | 'hashed_password'>> & {
  'leaving.id'?: string;
};

export interface NewPassword {
  hashed_password: string;
  must_change_password: boolean;
  /** The token that stays valid; null for none. */
  spare: string | null;
}

/** Maximum number of individually revoked tokens per user; beyond it, all tokens of the user are revoked. */
const MAX_REVOKED_TOKENS = 500;

/** Stores users and their failed logins. */
export function createUserStore(db: Db) {
  const users = db.collection<UserDocument>('users');
  /** Changes fields of a user who still matches `seen`. @returns the changed user, or null if there was no match */
  function change(
    userId: UserId,
    fields: UserFields,
    {
      seen = {},
      revokeTokens = false,
      spare = null,
    }: { seen?: Seen; revokeTokens?: boolean | 'of sign-ins'; spare?: string | null } = {},
  ): Promise<UserDocument | null> {
    const revoked = revokeTokens ? { revoked_tokens: [], spared_token: spare } : {};
    return users.findOneAndUpdate(
      { _id: userId, ...seen },
      {
        $set: { ...fields, ...revoked, updated_at: new Date() },
        ...(revokeTokens && {
          $inc: { token_generation: 1, ...(revokeTokens === true && { program_generation: 1 }) },
        }),
      },
      { returnDocument: 'after' },
    );
  }

  const findMany = (userIds: readonly UserId[]) => users.find({ _id: { $in: [...userIds] } }).toArray();

  return {
    find: coalesced(findMany),

    findByUsername: (username: string) => users.findOne({ username }),

    async isEmpty(): Promise<boolean> {
      return (await users.findOne({}, { projection: { _id: 1 } })) === null;
    },

    /** The given users that exist, unordered. */
    findMany,

    /** The given usernames that are taken. */
    async taken(usernames: readonly string[]): Promise<UserDocument[]> {
      return users.find({ username: { $in: [...usernames] } }).toArray();
    },

    /** A page of all users by username, and their total number. */
    async page(skip: number, limit: number): Promise<{ users: UserDocument[]; total: number }> {
      const [found, total] = await Promise.all([
        users.find({}).sort({ username: 1 }).skip(skip).limit(limit).toArray(),
        users.countDocuments({}),
      ]);
      return { users: found, total };
    },

    change,

    /**
     * Sets a new password and revokes every token except the one to spare; false when the password has changed since it was read.
     */
    async setPassword(
      user: Pick<UserDocument, '_id' | 'hashed_password'>,
      { hashed_password, must_change_password, spare }: NewPassword,
    ): Promise<boolean> {
      const fields = { hashed_password, must_change_password };
      const seen = { hashed_password: user.hashed_password };
      return (await change(user._id, fields, { seen, revokeTokens: true, spare })) !== null;
    },

    /** Records the use of a token, and deletes the records of expired ones. */
    async noteTokenUse(
      userId: UserId,
      tokenId: string,
      now: Date,
      forgotten: readonly string[],
    ): Promise<void> {
      await users.updateOne(
        { _id: userId },
        {
          $set: { [`token_uses.${tokenId}`]: now },
          ...(forgotten.length > 0 && {
            $unset: Object.fromEntries(forgotten.map((id) => [`token_uses.${id}`, ''])),
          }),
        },
      );
    },

    ...createServiceAccountStore(users),
    ...createLoginFailures(db),

    /** Makes a project the default of a user. */
    setDefaultProject: (userId: UserId, projectId: ProjectId) =>
      change(userId, { default_project_id: projectId }),

    /** Clears a default project, for all users or for one. */
    async clearDefaultProject(projectId: ProjectId, userId?: UserId): Promise<void> {
      const of = { default_project_id: projectId, ...(userId !== undefined && { _id: userId }) };
      await users.updateMany(of, { $set: { default_project_id: null } });
    },

    /** Removes a user. */
    async remove(userId: UserId): Promise<void> {
      await users.deleteOne({ _id: userId });
    },

    /** Marks that a request is removing an active administrator's rights; false when the user is not one. */
    async markLeaving(userId: UserId, id: string): Promise<boolean> {
      const { matchedCount } = await users.updateOne(
        { _id: userId, system_role: 'admin', disabled: false },
        { $set: { leaving: { id, at: new Date() } } },
      );
      return matchedCount === 1;
    },

    async unmarkLeaving(userId: UserId, id: string): Promise<boolean> {
      const { matchedCount } = await users.updateOne(
        { _id: userId, 'leaving.id': id },
        { $unset: { leaving: '' } },
      );
      return matchedCount === 1;
    },

    activeAdministrators: () => users.find({ system_role: 'admin', disabled: false }).toArray(),

    /** Stores a new user. @throws already_exists when the username is taken. */
    async insert(user: UserDocument): Promise<void> {
      try {
        await insertNew(users, user);
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
        { _id: token.user_id, [`revoked_tokens.${MAX_REVOKED_TOKENS - 1}`]: { $exists: false } },
        { $addToSet: { revoked_tokens: { token_id: token.token_id, expires_at: token.expires_at } } },
      );
      if (revoked.matchedCount === 0) await change(token.user_id, {}, { revokeTokens: 'of sign-ins' });
    },
  };
}

export type UserStore = ReturnType<typeof createUserStore>;
