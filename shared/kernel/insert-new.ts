import { BSON, type Collection, type OptionalUnlessRequiredId } from 'mongodb';
import { isDuplicateKey, isStoreUnavailable } from './database.ts';

/**
 * Inserts a document under a key that was drawn or checked for it. Where the answer is lost the insert is repeated with
 * the same key, so that the document is stored once and the caller does not get an error for a write that succeeded.
 * @throws a duplicate key error when another document has the key, or a value that must be unique
 */
export async function insertNew<Stored extends { _id: string }>(
  collection: Pick<Collection<Stored>, 'insertOne' | 'aggregate'>,
  document: OptionalUnlessRequiredId<Stored>,
): Promise<void> {
  try {
    await collection.insertOne(document);
  } catch (thrown) {
    if (!isStoreUnavailable(thrown)) throw thrown;
    await repeat(collection, document);
  }
}

async function repeat<Stored extends { _id: string }>(
  collection: Pick<Collection<Stored>, 'insertOne' | 'aggregate'>,
  document: OptionalUnlessRequiredId<Stored>,
): Promise<void> {
  try {
    await collection.insertOne(document);
  } catch (thrown) {
    if (!isDuplicateKey(thrown) || !(await isStored(collection, document))) throw thrown;
  }
}

/** Whether the very document is there: one with the same key may be another request's. */
async function isStored<Stored extends { _id: string }>(
  collection: Pick<Collection<Stored>, 'aggregate'>,
  document: OptionalUnlessRequiredId<Stored>,
): Promise<boolean> {
  const [stored] = await collection.aggregate([{ $match: { _id: document._id } }]).toArray();
  return stored !== undefined && bytesOf(stored).equals(bytesOf(document));
}

function bytesOf(document: object): Buffer {
  return Buffer.from(BSON.serialize(document, { ignoreUndefined: true }));
}
