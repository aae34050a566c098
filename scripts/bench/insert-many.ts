import type { Collection, OptionalUnlessRequiredId } from 'mongodb';

/** Documents per insert, and maximum number of concurrent inserts. */
const BATCH = 2_000;
const INSERTS = 2;

/** Stores a document for each item, in batches. */
export async function insertMade<T extends { _id: string }, Item>(
  collection: Collection<T>,
  items: Iterable<Item>,
  made: (item: Item) => OptionalUnlessRequiredId<T>,
): Promise<void> {
  const inserts = new Set<Promise<unknown>>();
  const insert = async (documents: OptionalUnlessRequiredId<T>[]) => {
    if (inserts.size >= INSERTS) await Promise.race(inserts);
    const under = collection.insertMany(documents, { ordered: false }).finally(() => inserts.delete(under));
    inserts.add(under);
  };
  let batch: OptionalUnlessRequiredId<T>[] = [];
  for (const item of items) {
    batch.push(made(item));
    if (batch.length < BATCH) continue;
    await insert(batch);
    batch = [];
  }
  if (batch.length > 0) await insert(batch);
  await Promise.all(inserts);
}
