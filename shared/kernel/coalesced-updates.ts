import DataLoader from 'dataloader';
import type { Collection, Document, UpdateOneModel } from 'mongodb';
import { createCommandTurns } from './command-turns.ts';

/** Callers whose updates go as one command. */
const MAX_CALLERS = 100;

/**
 * Carries out updates of single documents. Those that are asked for in one turn of the event loop, by whomever, go as
 * one command, in no order. They have to be safe to repeat: where one fails, those of each caller are carried out once
 * more by themselves, so that it fails for nobody else.
 * @returns how many of the caller's were inserted; too few after a failure of another one's
 */
export function coalescedUpdates<Stored extends Document>(
  collection: Pick<Collection<Stored>, 'bulkWrite' | 'updateOne'>,
): (updates: readonly UpdateOneModel<Stored>[]) => Promise<number> {
  const turns = createCommandTurns();
  const send = (updates: readonly UpdateOneModel<Stored>[]) => sendAll(collection, updates);

  async function sendTogether(callers: readonly (readonly UpdateOneModel<Stored>[])[]): Promise<number[]> {
    if (callers.length === 1) return [(await send(callers.flat())).upsertedCount];
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
  }

  const loader = new DataLoader<readonly UpdateOneModel<Stored>[], number>(
    async (callers) => {
      try {
        return await turns.carryOut(() => sendTogether(callers));
      } catch (thrown) {
        if (callers.length === 1) throw thrown;
        const alone = await Promise.allSettled(
          callers.map(async (updates) => (await send(updates)).upsertedCount),
        );
        return alone.map((each) =>
          each.status === 'fulfilled'
            ? each.value
            : each.reason instanceof Error
              ? each.reason
              : new Error(String(each.reason)),
        );
      }
    },
    { cache: false, maxBatchSize: MAX_CALLERS, batchScheduleFn: turns.schedule },
  );
  return async (updates) => (updates.length === 0 ? 0 : loader.load(updates));
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
