import DataLoader from 'dataloader';
import type { Collection, Document, UpdateOneModel } from 'mongodb';
import { coalescedCallers, MAX_CALLERS } from './coalesced-callers.ts';
import { createCommandTurns } from './command-turns.ts';

/**
 * Updates single documents. Updates of several callers are batched, unordered; see {@link coalescedCallers}.
 * @returns how many of the caller's updates inserted a document (upserts); too low if the batch failed because of another
 *   caller
 */
export function coalescedUpdates<Stored extends Document>(
  collection: Pick<Collection<Stored>, 'bulkWrite' | 'updateOne'>,
): (updates: readonly UpdateOneModel<Stored>[]) => Promise<number> {
  return coalescedCallers<UpdateOneModel<Stored>>(async (callers) => {
    if (callers.length === 1) return [(await sendAll(collection, callers.flat())).upsertedCount];
    const { upsertedIds } = await collection.bulkWrite(
      callers.flat().map((updateOne) => ({ updateOne })),
      { ordered: false },
    );
    let next = 0;
    return callers.map((updates) => {
      const [start, end] = [next, next + updates.length];
      next = end;
      return Object.keys(upsertedIds).filter((index) => Number(index) >= start && Number(index) < end).length;
    });
  });
}

/**
 * Updates documents that normally exist. Updates made in one turn of the event loop are batched into one command, unordered.
 * They must be safe to repeat: if any update in a batch matches no document or fails, the result of every update in it is
 * unknown.
 * @returns whether the update matched its document; null if unknown
 */
export function coalescedMatches<Stored extends Document>(
  collection: Pick<Collection<Stored>, 'bulkWrite' | 'updateOne'>,
): (update: UpdateOneModel<Stored>) => Promise<boolean | null> {
  const turns = createCommandTurns();
  const loader = new DataLoader<UpdateOneModel<Stored>, boolean | null>(
    async (updates) => {
      const isAlone = updates.length === 1;
      let found: boolean | null = null;
      try {
        const { matchedCount } = await turns.carryOut(() => sendAll(collection, updates));
        if (matchedCount === updates.length || isAlone) found = matchedCount === updates.length;
      } catch (thrown) {
        if (isAlone) throw thrown;
      }
      return updates.map(() => found);
    },
    { cache: false, maxBatchSize: MAX_CALLERS, batchScheduleFn: turns.schedule },
  );
  return (update) => loader.load(update);
}

/** Sends all updates as one command. A single update avoids the driver's overhead for bulk writes. */
function sendAll<Stored extends Document>(
  collection: Pick<Collection<Stored>, 'bulkWrite' | 'updateOne'>,
  updates: readonly UpdateOneModel<Stored>[],
): Promise<{ matchedCount: number; upsertedCount: number }> {
  const [first] = updates;
  if (first && updates.length === 1) {
    const { filter, update, upsert = false } = first;
    return collection.updateOne(filter, update, { upsert });
  }
  return collection.bulkWrite(
    updates.map((updateOne) => ({ updateOne })),
    { ordered: false },
  );
}
