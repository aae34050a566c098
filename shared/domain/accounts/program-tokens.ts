import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId, UserId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import { newId, sha256 } from '../../kernel/new-ids.ts';
import { assertRoomWithin } from '../../kernel/quotas.ts';
import type { TokenClaims, UserDocument } from './model.ts';
import type {
  NewProgramToken,
  ProgramGrant,
  ProgramToken,
  ProgramTokenDocument,
  ProgramTokenList,
} from './program-token-model.ts';
import { endAfterRotation, endOfToken, PREFIX_LENGTH, PROGRAM_TOKEN_START } from './program-token-rules.ts';
import type { AccountSettings } from './settings.ts';

const COLLECTION = 'program_tokens';

export const programTokenIndexes: CollectionIndexes = {
  collection: COLLECTION,
  indexes: [
    { name: 'by_hash', key: { hash: 1 }, unique: true },
    { name: 'by_user', key: { user_id: 1, created_at: 1, _id: 1 } },
    { name: 'by_project', key: { project_id: 1 } },
  ],
};

/** Minimum interval in milliseconds between two recorded uses of a token. */
const NOTE_EVERY = 60_000;
const NOTED_TOKENS = 10_000;

type Limits = Pick<AccountSettings, 'PROGRAM_TOKENS_PER_USER' | 'PROGRAM_TOKEN_DAYS'>;

export type ProgramTokens = ReturnType<typeof createProgramTokens>;

/** Tokens for programs: made, listed, rotated, revoked, and read from requests. */
export function createProgramTokens(db: Db, settings: Limits) {
  const tokens = db.collection<ProgramTokenDocument>(COLLECTION);
  /** Tokens whose use this process has recorded lately. */
  const noted = new LRUCache<string, true>({ max: NOTED_TOKENS, ttl: NOTE_EVERY });

  /** The time that a body gives, within the limits. */
  const end = (wanted: string | null | undefined, now: Date) =>
    endOfToken(wanted ? new Date(wanted) : null, now, settings.PROGRAM_TOKEN_DAYS);

  return {
    /** The tokens of a user or service account, oldest first. */
    async list(userId: UserId): Promise<ProgramTokenList> {
      const found = await tokens.find({ user_id: userId }).sort({ created_at: 1, _id: 1 }).toArray();
      return { tokens: found.map(programTokenOf), total: found.length };
    },

    /** Makes a token. @returns the secret, which is not stored @throws quota_exceeded, invalid_input */
    async create(
      user: Pick<UserDocument, '_id' | 'program_generation' | 'service'>,
      { name, scopes, project_id }: ProgramGrant,
      expiresAt?: string | null,
    ): Promise<NewProgramToken> {
      assertRoomWithin(
        {
          holder: 'This account',
          things: 'tokens for programs',
          limit: settings.PROGRAM_TOKENS_PER_USER,
          setting: 'PROGRAM_TOKENS_PER_USER',
          remedy: 'Revoke what is not needed',
        },
        await tokens.countDocuments({ user_id: user._id }),
      );
      const now = new Date();
      const { token, hash, prefix } = newSecret();
      const stored: ProgramTokenDocument = {
        _id: newId(),
        user_id: user._id,
        name,
        prefix,
        hash,
        scopes: [...new Set(scopes)],
        project_id,
        generation: user.program_generation ?? 0,
        created_at: now,
        rotated_at: now,
        expires_at: end(expiresAt, now),
        last_used_at: null,
        ...(user.service?.share_user_id && { share_user_id: user.service.share_user_id }),
      };
      await insertNew(tokens, stored);
      return { ...programTokenOf(stored), token };
    },

    /** A token by its id. @throws not_found */
    async get(tokenId: string): Promise<ProgramTokenDocument> {
      const found = await tokens.findOne({ _id: tokenId });
      if (!found) throw noToken();
      return found;
    },

    /** Replaces the secret of a token; the former one ends at once. @throws not_found, conflict, invalid_input */
    async rotate(
      former: ProgramTokenDocument,
      user: Pick<UserDocument, 'program_generation'>,
      expiresAt?: string | null,
    ): Promise<NewProgramToken> {
      const now = new Date();
      const { token, hash, prefix } = newSecret();
      const expires_at = end(expiresAt ?? endAfterRotation(former, now).toISOString(), now);
      const generation = user.program_generation ?? 0;
      const changed = await tokens.findOneAndUpdate(
        { _id: former._id, hash: former.hash },
        { $set: { hash, prefix, generation, rotated_at: now, expires_at } },
        { returnDocument: 'after' },
      );
      if (!changed)
        throw new CalibronError('conflict', 'The token was changed at the same moment. Try again.');
      return { ...programTokenOf(changed), token };
    },

    /** Revokes a token. */
    async revoke(tokenId: string): Promise<void> {
      await tokens.deleteOne({ _id: tokenId });
    },

    /** The tokens of service accounts use the share of this user from now on. */
    async shareOf(userIds: readonly UserId[], shareUserId: string): Promise<void> {
      if (userIds.length === 0) return;
      await tokens.updateMany({ user_id: { $in: [...userIds] } }, { $set: { share_user_id: shareUserId } });
    },

    /** Revokes every token of users or service accounts. */
    async removeOf(userIds: readonly UserId[]): Promise<void> {
      if (userIds.length > 0) await tokens.deleteMany({ user_id: { $in: [...userIds] } });
    },

    /** Revokes every token that is limited to a project. */
    async removeOfProject(projectId: ProjectId): Promise<void> {
      await tokens.deleteMany({ project_id: projectId });
    },

    /** The token of a presented secret; null if it is unknown or has expired. */
    async read(secret: string): Promise<TokenClaims | null> {
      const found = await tokens.findOne({ hash: sha256(secret) });
      if (!found || found.expires_at.getTime() <= Date.now()) return null;
      return {
        user_id: found.user_id,
        token_id: found._id,
        generation: found.generation,
        issued_at: found.rotated_at,
        expires_at: found.expires_at,
        program: {
          name: found.name,
          scopes: found.scopes,
          project_id: found.project_id,
          share_user_id: found.share_user_id,
        },
      };
    },

    /** Records the use of a token, once a minute at most. */
    async noteUse(tokenId: string, now: Date): Promise<void> {
      if (noted.has(tokenId)) return;
      noted.set(tokenId, true);
      const before = new Date(now.getTime() - NOTE_EVERY);
      await tokens.updateOne(
        { _id: tokenId, $or: [{ last_used_at: null }, { last_used_at: { $lt: before } }] },
        { $set: { last_used_at: now } },
      );
    },
  };
}

/** Whether a presented bearer token is one for programs. */
export function isProgramToken(presented: string): boolean {
  return presented.startsWith(PROGRAM_TOKEN_START);
}

export function noToken(): CalibronError {
  return new CalibronError('not_found', 'There is no such token.');
}

function newSecret(): { token: string; hash: string; prefix: string } {
  const token = `${PROGRAM_TOKEN_START}${randomBytes(32).toString('base64url')}`;
  return { token, hash: sha256(token), prefix: token.slice(0, PREFIX_LENGTH) };
}

function programTokenOf(stored: ProgramTokenDocument): ProgramToken {
  return {
    token_id: stored._id,
    name: stored.name,
    prefix: stored.prefix,
    scopes: stored.scopes,
    project_id: stored.project_id,
    created_at: stored.created_at.toISOString(),
    expires_at: stored.expires_at.toISOString(),
    last_used_at: stored.last_used_at?.toISOString() ?? null,
  };
}
