import DataLoader from 'dataloader';

/** Documents of one command. */
const MAX_BATCH = 500;

/**
 * Reads a document by its `_id`, null when there is none. Reads that are asked for in one turn of the event loop go as
 * one command, one of the same document once: what each of many requests asks for costs each a part of a command.
 * Nothing is kept, so every answer was read after it was asked for. A document may be shared by several who asked: it
 * must not be changed.
 * @param findMany those of the given ids that exist, in no order
 */
export function coalesced<Document extends { _id: string }>(
  findMany: (ids: readonly string[]) => Promise<Document[]>,
): (id: string) => Promise<Readonly<Document> | null> {
  const loader = new DataLoader<string, Document | null>(
    async (ids) => {
      const found = new Map((await findMany([...new Set(ids)])).map((each) => [each._id, each]));
      return ids.map((id) => found.get(id) ?? null);
    },
    { cache: false, maxBatchSize: MAX_BATCH, batchScheduleFn: (send) => setImmediate(send) },
  );
  return (id) => loader.load(id);
}
