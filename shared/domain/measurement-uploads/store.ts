import { randomBytes } from 'node:crypto';
import type { Db } from 'mongodb';
import { type CollectionIndexes, retryDuplicateKey } from '../../kernel/database.ts';

/** The key that signs upload tokens; one record per installation. */
interface KeyDocument {
  _id: 'measurements';
  /** Base64 of 32 bytes. */
  key: string;
}

export const uploadKeyIndexes: CollectionIndexes = { collection: 'upload_keys', indexes: [] };

/** Reads the key that signs upload tokens, and creates it if missing. All processes share it. */
export function createUploadKey(db: Db): () => Promise<Buffer> {
  const keys = db.collection<KeyDocument>(uploadKeyIndexes.collection);
  let known: Promise<Buffer> | undefined;

  async function read(): Promise<Buffer> {
    const found = await retryDuplicateKey(() =>
      keys.findOneAndUpdate(
        { _id: 'measurements' },
        { $setOnInsert: { key: randomBytes(32).toString('base64') } },
        { upsert: true, returnDocument: 'after' },
      ),
    );
    if (!found) throw new Error('the key of upload tokens was not stored');
    return Buffer.from(found.key, 'base64');
  }

  return () => {
    known ??= read().catch((thrown: unknown) => {
      known = undefined;
      throw thrown;
    });
    return known;
  };
}
