import type { Db } from 'mongodb';
import { type CollectionIndexes, isDuplicateKey } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf, sha256 } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import type { RunIdentity } from './run-model.ts';

export const idempotencyIndexes: CollectionIndexes = {
  collection: 'idempotency_keys',
  indexes: [{ name: 'by_age', key: { created_at: 1 }, expireAfterSeconds: 7 * 24 * 3600 }],
};

export interface IdempotencyKeyDocument {
  /** `<project_id>/<user_id>/<hash of the key>` */
  _id: string;
  /** Hash of what the client asked for with it. */
  fingerprint: string;
  /** The run that the key stands for, and the sentence of its first answer: what it ran may change later. */
  run: RunIdentity;
  message: string;
  created_at: Date;
}

/** A key as a client sent it with a request. */
export interface SentKey {
  id: string;
  fingerprint: string;
}

/**
 * A client's `Idempotency-Key` and the fingerprint of its request. Keys are a user's own, within a project.
 * @param asked all that the client asked for, as JSON
 */
export function sentKey(projectId: string, userId: string, key: string, asked: readonly unknown[]): SentKey {
  return {
    id: keyOf(projectId, userId, sha256(key)),
    fingerprint: sha256(JSON.stringify([projectId, ...asked])),
  };
}

/** What idempotency keys stand for, for seven days. */
export function createIdempotencyKeys(db: Db) {
  const keys = db.collection<IdempotencyKeyDocument>(idempotencyIndexes.collection);
  return {
    /** What a key stands for; null for a new one. @throws idempotency_conflict when it came with another request */
    async find({ id, fingerprint }: SentKey): Promise<IdempotencyKeyDocument | null> {
      const document = await keys.findOne({ _id: id });
      if (document && document.fingerprint !== fingerprint) {
        throw new CalibronError(
          'idempotency_conflict',
          'This Idempotency-Key was used with another request. Send a new key for a new request.',
        );
      }
      return document;
    },

    /** Lets a new key stand for a run. @returns null when another request with this key was faster */
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

    /** Makes a key new again whose run was refused. */
    async release({ id }: SentKey, executionId: string): Promise<void> {
      await keys.deleteOne({ _id: id, 'run.execution_id': executionId });
    },
  };
}
