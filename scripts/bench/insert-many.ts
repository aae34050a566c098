import type { Collection, OptionalUnlessRequiredId } from 'mongodb';

/** Documents of one insert, and inserts that are on their way while the next is made. */
const BATCH = 2_000;
const INSERTS = 2;

/** Stores what is made of each index, many at once. */
export async function insertMade<T extends { _id: string }>(
  collection: Collection<T>,
  indices: Iterable<number>,
  made: (index: number) => OptionalUnlessRequiredId<T>,
): Promise<void> {
  const inserts = new Set<Promise<unknown>>();
  const insert = async (documents: OptionalUnlessRequiredId<T>[]) => {
    if (inserts.size >= INSERTS) await Promise.race(inserts);
    const under = collection.insertMany(documents, { ordered: false }).finally(() => inserts.delete(under));
    inserts.add(under);
  };
  let batch: OptionalUnlessRequiredId<T>[] = [];
  for (const index of indices) {
    batch.push(made(index));
    if (batch.length < BATCH) continue;
    await insert(batch);
    batch = [];
  }
  if (batch.length > 0) await insert(batch);
  await Promise.all(inserts);
}
