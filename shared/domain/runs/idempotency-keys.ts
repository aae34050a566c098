import type { Db } from 'mongodb';
import { type CollectionIndexes, isDuplicateKey } from '../../kernel/database.ts';
import { type ExecutionId, keyOf, type ProjectId, type UserId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import { sha256 } from '../../kernel/new-ids.ts';
import { RunError } from './errors.ts';
import type { RunIdentity } from './run-model.ts';

export const idempotencyIndexes: CollectionIndexes = {
  collection: 'idempotency_keys',
  indexes: [{ name: 'by_age', key: { created_at: 1 }, expireAfterSeconds: 7 * 24 * 3600 }],
};

export interface IdempotencyKeyDocument {
  /** `<project_id>/<user_id>/<hash of the key>` */
  _id: string;
  /** Hash of the request that the client sent with the key. */
  fingerprint: string;
  /**
   * The run that belongs to the key, and the message of its first answer. The message is stored because the flow may change
   * later.
   */
  run: RunIdentity;
  message: string;
  created_at: Date;
}

/** A key that a client sent with a request. */
export interface SentKey {
  id: string;
  fingerprint: string;
}

/**
 * A client's `Idempotency-Key` and the fingerprint of its request. Keys are scoped to a user within a project.
 * @param asked the whole request of the client, as JSON
 */
export function sentKey(
  projectId: ProjectId,
  userId: UserId,
  key: string,
  asked: readonly unknown[],
): SentKey {
  return {
    id: keyOf(projectId, userId, sha256(key)),
    fingerprint: sha256(JSON.stringify([projectId, ...asked])),
  };
}

/** Maps idempotency keys to their runs, for seven days. */
export function createIdempotencyKeys(db: Db) {
  const keys = db.collection<IdempotencyKeyDocument>(idempotencyIndexes.collection);
  return {
    /** The stored entry of a key; null for a new key. @throws idempotency_conflict when it was used with another request */
    async find({ id, fingerprint }: SentKey): Promise<IdempotencyKeyDocument | null> {
      const document = await keys.findOne({ _id: id });
      if (document && document.fingerprint !== fingerprint) {
        throw new RunError(
          'idempotency_conflict',
          'This Idempotency-Key was used with another request. Send a new key for a new request.',
        );
      }
      return document;
    },

    /** Assigns a new key to a run. @returns null when another request with this key came first */
    async claim(
      { id, fingerprint }: SentKey,
      run: RunIdentity,
      message: string,
    ): Promise<IdempotencyKeyDocument | null> {
      const document = { _id: id, fingerprint, run, message, created_at: new Date() };
      try {
        await insertNew(keys, document);
        return document;
      } catch (thrown) {
        if (!isDuplicateKey(thrown)) throw thrown;
        return null;
      }
    },

    /** Releases a key whose run was refused, so that it counts as new again. */
    async release({ id }: SentKey, executionId: ExecutionId): Promise<void> {
      await keys.deleteOne({ _id: id, 'run.execution_id': executionId });
    },
  };
}
