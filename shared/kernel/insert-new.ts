import { BSON, type Collection, type OptionalUnlessRequiredId } from 'mongodb';
import { duplicatesOf, isDuplicateKey, isStoreUnavailable } from './database.ts';
import { repeatLost } from './repeat-lost.ts';

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

/**
 * Inserts those of some documents that are not stored yet, under the keys that were made for them. Where the answer is
 * lost the rest is inserted again.
 */
export async function insertMissing<Stored extends { _id: string }>(
  collection: Pick<Collection<Stored>, 'insertMany'>,
  documents: readonly OptionalUnlessRequiredId<Stored>[],
): Promise<void> {
  if (documents.length === 0) return;
  await repeatLost(async () => {
    try {
      await collection.insertMany([...documents], { ordered: false });
    } catch (thrown) {
      if (!duplicatesOf(thrown)) throw thrown;
    }
  });
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
