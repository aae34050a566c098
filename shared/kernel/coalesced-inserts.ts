import DataLoader from 'dataloader';
import type { Collection, Document, OptionalUnlessRequiredId } from 'mongodb';
import { createCommandTurns } from './command-turns.ts';
import { duplicatesOf } from './database.ts';

/** Callers whose documents go as one command. */
const MAX_CALLERS = 100;

/**
 * Inserts documents that are missing, and leaves alone those whose key is taken: for the store that is half the work of an
 * upsert. Those that are asked for in one turn of the event loop, by whomever, go as one command, in no order. They have to
 * be safe to repeat: where one fails, those of each caller are inserted once more by themselves, so that it fails for
 * nobody else.
 * @returns how many of the caller's were inserted; too few after a failure of another one's
 */
export function coalescedInserts<Stored extends Document>(
  collection: Pick<Collection<Stored>, 'insertMany'>,
): (documents: readonly OptionalUnlessRequiredId<Stored>[]) => Promise<number> {
  type Documents = readonly OptionalUnlessRequiredId<Stored>[];
  const turns = createCommandTurns();

  /** Of each caller how many were inserted. */
  async function insert(callers: readonly Documents[]): Promise<number[]> {
    let taken = new Set<number>();
    try {
      await collection.insertMany(callers.flat(), { ordered: false });
    } catch (thrown) {
      const duplicates = duplicatesOf(thrown);
      if (!duplicates) throw thrown;
      taken = duplicates;
    }
    let next = 0;
    return callers.map((documents) => documents.filter(() => !taken.has(next++)).length);
  }

  async function insertAlone(documents: Documents): Promise<number | Error> {
    try {
      const [inserted = 0] = await insert([documents]);
      return inserted;
    } catch (thrown) {
      return thrown instanceof Error ? thrown : new Error(String(thrown));
    }
  }

  const loader = new DataLoader<Documents, number>(
    async (callers) => {
      try {
        return await turns.carryOut(() => insert(callers));
      } catch (thrown) {
        if (callers.length === 1) throw thrown;
        return Promise.all(callers.map(insertAlone));
      }
    },
    { cache: false, maxBatchSize: MAX_CALLERS, batchScheduleFn: turns.schedule },
  );
  return async (documents) => (documents.length === 0 ? 0 : loader.load(documents));
}
