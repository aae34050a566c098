import { BSON, type Collection, type OptionalUnlessRequiredId } from 'mongodb';
import { duplicatesOf, isDuplicateKey, isStoreUnavailable } from './database.ts';
import { repeatLost } from './repeat-lost.ts';

/**
 * Inserts a document with a newly generated or checked key. If the answer is lost, the insert is repeated with the same key,
 * so that the document is stored only once and the caller gets no error for a write that succeeded.
 * @throws a duplicate key error if another document has the key or another unique value
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
 * Inserts the documents that are not stored yet; their keys are already set. If the answer is lost, the missing ones are
 * inserted again.
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

/** Whether exactly this document is stored: one with the same key may come from another request. */
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
