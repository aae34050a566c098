import type { Collection, Document, OptionalUnlessRequiredId } from 'mongodb';
import { coalescedCallers } from './coalesced-callers.ts';
import { duplicatesOf } from './database.ts';

/**
 * Inserts documents and ignores those whose key already exists. This costs the store half the work of an upsert.
 * Documents of several callers are batched, unordered; see {@link coalescedCallers}.
 * @returns how many of the caller's documents were inserted; too low if the batch failed because of another caller
 */
export function coalescedInserts<Stored extends Document>(
  collection: Pick<Collection<Stored>, 'insertMany'>,
): (documents: readonly OptionalUnlessRequiredId<Stored>[]) => Promise<number> {
  return coalescedCallers<OptionalUnlessRequiredId<Stored>>(async (callers) => {
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
  });
}
