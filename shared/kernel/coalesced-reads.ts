import DataLoader from 'dataloader';

/** Maximum number of documents read by one command. */
const MAX_BATCH = 500;

/**
 * Reads a document by its `_id`; null if there is none. Reads made in one turn of the event loop are batched into one
 * command, without duplicates. Nothing is cached, so every answer was read after its request. Several callers may get the
 * same object, so it must not be modified.
 * @param findMany returns the documents that exist for the given ids, in any order
 */
export function coalesced<Document extends { _id: Id }, Id extends string = string>(
  findMany: (ids: readonly Id[]) => Promise<Document[]>,
): (id: Id) => Promise<Readonly<Document> | null> {
  const loader = new DataLoader<Id, Document | null>(
    async (ids) => {
      const found = new Map(
        (await findMany([...new Set(ids)])).map((each): [Id, Document] => [each._id, each]),
      );
      return ids.map((id) => found.get(id) ?? null);
    },
    { cache: false, maxBatchSize: MAX_BATCH, batchScheduleFn: (send) => setImmediate(send) },
  );
  return (id) => loader.load(id);
}
