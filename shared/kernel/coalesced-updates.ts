import DataLoader from 'dataloader';
import type { Collection, Document, UpdateOneModel } from 'mongodb';
import { coalescedCallers, MAX_CALLERS } from './coalesced-callers.ts';
import { createCommandTurns } from './command-turns.ts';

/**
 * Carries out updates of single documents. Those of several callers go together, in no order, as {@link coalescedCallers}
 * says.
 * @returns how many of the caller's were inserted; too few after a failure of another one's
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
 * Carries out updates that find their document as a rule. Those that are asked for in one turn of the event loop go as one
 * command, in no order. They have to be safe to repeat: of those of a command one of which found none, or failed, nothing
 * more is known.
 * @returns whether the caller's found its document, null where that is not known
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

/** One command for all of them; of one alone the driver has less to prepare. */
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
